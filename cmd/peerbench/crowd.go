package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// crowd is the process of the clients: it obeys "join N", "open N [raw|compress]", "await ROUND" and "load SECONDS CONNECTIONS".
func crowd(address string) error {
	c := &clients{address: address, heard: make(map[int]*hearing)}
	return obey("ready", func(verb string, args []string) (any, error) {
		n, err := strconv.Atoi(args[0])
		if err != nil {
			return nil, err
		}
		switch verb {
		case "join":
			return n, c.join(n)
		case "open":
			begin := time.Now()
			if err := c.open(n, args[1]); err != nil {
				return nil, err
			}
			return time.Since(begin).Seconds(), c.await(0, n)
		case "size":
			return c.size.Load(), nil
		case "await":
			if err := c.await(n, len(c.conns)); err != nil {
				return nil, err
			}
			return c.hearing(n).last.Load(), nil
		case "lost":
			return c.lost.Load(), nil
		case "load":
			m, err := strconv.Atoi(args[1])
			if err != nil {
				return nil, err
			}
			return c.load(time.Duration(n)*time.Second, m)
		}
		return nil, fmt.Errorf("what is %s?", verb)
	})
}

// clients are browsers, as little of them as the server needs to see.
type clients struct {
	address string
	cookies []string // of those that have joined
	conns   []net.Conn
	size    atomic.Int64 // of the last message
	lost    atomic.Int64 // sockets that were closed

	mu    sync.Mutex
	heard map[int]*hearing
}

// hearing counts who has had the message of a round.
type hearing struct {
	n    atomic.Int64
	last atomic.Int64 // when the last one had it, in nanoseconds of the Unix epoch
}

func (c *clients) hearing(round int) *hearing {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.heard[round] == nil {
		c.heard[round] = &hearing{}
	}
	return c.heard[round]
}

func (c *clients) await(round, n int) error {
	h := c.hearing(round)
	for range 30_000 {
		if h.n.Load() >= int64(n) {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return fmt.Errorf("%d of %d have had the message of round %d; %d sockets are lost", h.n.Load(), n, round, c.lost.Load())
}

// dial comes from one of several loopback addresses, others in each process, so that ports suffice.
func (c *clients) dial(i int) (net.Conn, error) {
	d := net.Dialer{
		LocalAddr: &net.TCPAddr{IP: net.IPv4(127, byte(os.Getpid()>>8), byte(os.Getpid()), byte(2+i/4_000))},
		Timeout:   20 * time.Second,
		KeepAlive: -1,
		Control: func(_, _ string, raw syscall.RawConn) error { // the port is chosen for the pair of addresses, not for the source alone
			const ipBindAddressNoPort = 24 // linux/in.h
			return raw.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, ipBindAddressNoPort, 1) })
		},
	}
	return d.Dial("tcp", c.address)
}

// parallel does fn for 0 to n-1, 64 at a time.
func parallel(n int, fn func(i int) error) error {
	var next atomic.Int64
	errs := make(chan error, 64)
	for range 64 {
		go func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					errs <- nil
					return
				}
				if err := fn(i); err != nil {
					errs <- err
					return
				}
			}
		}()
	}
	var first error
	for range 64 {
		first = cmp.Or(first, <-errs)
	}
	return first
}

// join makes n sessions with a ticket each.
func (c *clients) join(n int) error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	defer client.CloseIdleConnections()
	c.cookies = make([]string, n)
	return parallel(n, func(i int) error {
		r, err := client.Post("http://"+c.address+"/api/v1/queue/join", "application/json", strings.NewReader(`{"query":"select 6*7"}`))
		if err != nil {
			return err
		}
		defer r.Body.Close()
		if _, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != http.StatusOK || len(r.Cookies()) != 1 {
			return fmt.Errorf("join: %s %v", r.Status, err)
		}
		c.cookies[i] = r.Cookies()[0].Name + "=" + r.Cookies()[0].Value
		return nil
	})
}

// open opens n sockets more.
func (c *clients) open(n int, how string) error {
	first := len(c.conns)
	c.conns = append(c.conns, make([]net.Conn, n)...)
	zero := c.hearing(0)
	return parallel(n, func(i int) error {
		i += first
		conn, err := c.dial(i)
		if err != nil {
			return err
		}
		c.conns[i] = conn
		in := bufio.NewReaderSize(conn, 2048)
		if how != "raw" {
			if err := c.shake(conn, in, i, how); err != nil {
				return err
			}
		}
		go c.listen(conn, in, zero)
		return nil
	})
}

func (c *clients) shake(conn net.Conn, in *bufio.Reader, i int, how string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "GET /live HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: confluence.v1\r\n"+
		"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\r\nAccept-Language: en\r\nCache-Control: no-cache\r\n", c.address, c.address)
	if how == "compress" {
		b.WriteString("Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n")
	}
	if i < len(c.cookies) {
		b.WriteString("Cookie: " + c.cookies[i] + "\r\n")
	}
	b.WriteString("\r\n")
	if _, err := conn.Write(b.Bytes()); err != nil {
		return err
	}
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return fmt.Errorf("handshake: %w", err)
		}
		if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 101")) {
			return fmt.Errorf("handshake: %s", line)
		}
		if len(line) == 2 {
			return nil
		}
	}
}

// listen reads what the server sends, notes the rounds, and answers pings.
func (c *clients) listen(conn net.Conn, in *bufio.Reader, zero *hearing) {
	defer c.lost.Add(1)
	began := false
	for {
		head, err := in.Peek(2)
		if err != nil {
			return
		}
		opcode, size, skip := head[0]&15, int(head[1]&127), 2
		if size == 126 {
			if head, err = in.Peek(4); err != nil {
				return
			}
			size, skip = int(binary.BigEndian.Uint16(head[2:])), 4
		}
		whole, err := in.Peek(skip + size)
		if err != nil {
			return
		}
		switch payload := whole[skip:]; opcode {
		case 1:
			if !began {
				began = true
				c.size.Store(int64(size))
				zero.n.Add(1)
			}
			if at := bytes.Index(payload, []byte("round-")); at >= 0 {
				digits, _, _ := bytes.Cut(payload[at+6:], []byte("."))
				if round, err := strconv.Atoi(string(digits)); err == nil && round > 0 {
					h := c.hearing(round)
					h.n.Add(1)
					h.last.Store(time.Now().UnixNano())
				}
			}
		case 9:
			pong := append([]byte{0x8a, 0x80 | byte(size), 0, 0, 0, 0}, payload...) // masked with zeros
			if _, err := conn.Write(pong); err != nil {
				return
			}
		}
		_, _ = in.Discard(skip + size)
	}
}

// load sends status calls over kept connections for so long, each as soon as the one before is answered, and gives calls a second.
func (c *clients) load(d time.Duration, connections int) (float64, error) {
	cookie := ""
	if len(c.cookies) > 0 {
		cookie = "Cookie: " + c.cookies[len(c.cookies)/2] + "\r\n"
	}
	request := []byte("GET /api/v1/queue/status HTTP/1.1\r\nHost: " + c.address + "\r\nAccept: application/json\r\nUser-Agent: peerbench\r\n" + cookie + "\r\n")
	var calls atomic.Int64
	end := time.Now().Add(d)
	err := parallel(connections, func(i int) error {
		conn, err := c.dial(i)
		if err != nil {
			return err
		}
		defer conn.Close()
		in := bufio.NewReaderSize(conn, 4096)
		for time.Now().Before(end) {
			if _, err := conn.Write(request); err != nil {
				return err
			}
			if err := readAnswer(in); err != nil {
				return err
			}
			calls.Add(1)
		}
		return nil
	})
	return float64(calls.Load()) / d.Seconds(), err
}

// readAnswer reads an answer that must be 200 and say its length.
func readAnswer(in *bufio.Reader) error {
	length := -1
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		switch {
		case err != nil:
			return err
		case first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200")):
			return fmt.Errorf("answer: %s", line)
		case len(line) == 2:
			_, err := in.Discard(length)
			return err
		}
		if name, value, _ := bytes.Cut(line, []byte(": ")); bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
	}
}
