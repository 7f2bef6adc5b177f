package web

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"confluence/queue"
)

// crowdSite is a site for many sockets over real TCP.
type crowdSite struct {
	*site
	address string
}

func openCrowd(t *testing.T) *crowdSite {
	t.Helper()
	s := open(t, siteOptions{tcp: true, line: queue.Config{MaxLength: 100_000, Heartbeat: time.Hour}})
	return &crowdSite{s, strings.TrimPrefix(s.network.base, "http://")}
}

// join makes a ticket and gives its session's cookie.
func (s *crowdSite) join() string {
	s.t.Helper()
	r, err := http.Post(s.network.base+"/api/v1/queue/join", typeJSON, nil)
	must(s.t, err)
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK || len(r.Cookies()) != 1 {
		s.t.Fatalf("join: %s", r.Status)
	}
	return r.Cookies()[0].Name + "=" + r.Cookies()[0].Value
}

// dial opens a socket as a browser does, from one of several loopback addresses, and reads what comes up to the first message.
func (s *crowdSite) dial(i int, cookie string) (net.Conn, *bufio.Reader, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 3, byte(1+i%16))}}
	conn, err := d.Dial("tcp", s.address)
	if err != nil {
		return nil, nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return nil, nil, err
	}
	_, err = fmt.Fprintf(conn, "GET /live HTTP/1.1\r\nHost: %s\r\nOrigin: http://%[1]s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: confluence.v1\r\n"+
		"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\nCookie: %s\r\n\r\n", s.address, cookie)
	if err != nil {
		return nil, nil, err
	}
	in := bufio.NewReaderSize(conn, 256)
	r, err := http.ReadResponse(in, nil)
	if err != nil || r.StatusCode != http.StatusSwitchingProtocols {
		return nil, nil, fmt.Errorf("handshake: %v %w", r, err)
	}
	_, err = in.Peek(4)
	return conn, in, err
}

func (s *crowdSite) sockets() int {
	s.server.live.mu.Lock()
	defer s.server.live.mu.Unlock()
	return len(s.server.live.open)
}

func (s *crowdSite) pinged() int {
	s.server.live.pings.mu.Lock()
	defer s.server.live.pings.mu.Unlock()
	return s.server.live.pings.list.Len()
}

// heapAndGoroutines is what is in use.
func heapAndGoroutines() (int64, int) {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc), runtime.NumGoroutine()
}

// A waiting browser is one goroutine that reads, and nothing else that runs or ticks.
func TestLiveSocketIsOneGoroutine(t *testing.T) {
	const sockets = 300
	s := openCrowd(t)
	cookie := s.join()
	http.DefaultClient.CloseIdleConnections()
	_, before := heapAndGoroutines()
	for i := range sockets {
		if i%socketsPerSession == 0 {
			cookie = s.join()
		}
		conn, _, err := s.dial(i, cookie)
		must(t, err)
		defer conn.Close()
	}
	http.DefaultClient.CloseIdleConnections()
	eventually(t, "a goroutine for each socket and no more", func() bool {
		return runtime.NumGoroutine() <= before+sockets+2 // and one or two for the connection that joined
	})
	if n := s.sockets(); n != sockets {
		t.Errorf("%d sockets are open", n)
	}
	eventually(t, "all are pinged", func() bool { return s.pinged() == sockets })
}

// loopback is both ends of a TCP connection.
func loopback(t *testing.T) (ours, theirs net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	theirs, err = net.Dial("tcp", l.Addr().String())
	must(t, err)
	ours, err = l.Accept()
	must(t, err)
	t.Cleanup(func() { _, _ = ours.Close(), theirs.Close() })
	return ours, theirs
}

// pushed is a socket that waits in line, whose messages are delivered by the test.
func pushed(t *testing.T, conn net.Conn) (*socket, *standingFeed, func()) {
	t.Helper()
	s := open(t, siteOptions{})
	k := newSocket(s.server.live, conn, conn)
	k.guest.session = "s"
	feed := &standingFeed{room: s.server.live, socket: k, known: true, told: true}
	k.feed = feed
	o := s.server.live.outbox
	o.senders = runtime.GOMAXPROCS(0) // as many as there may be: the test is the sender
	t.Cleanup(func() { o.senders = 0 })
	p := &pen{}
	return k, feed, func() {
		if k, said := o.take(); k != nil {
			o.deliver(k, said, p)
			return
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		o.senders++
	}
}

func TestLivePushAllocatesNothing(t *testing.T) {
	ours, theirs := loopback(t)
	go func() { _, _ = io.Copy(io.Discard, theirs) }()
	_, feed, deliver := pushed(t, ours)
	v := queue.View{TicketID: "q_8Rsx2OZJqcSQKeJ4", Status: queue.Queued, Position: 12, Ahead: 11, Notice: "Back at noon", Revision: 0}
	if _, err := feed.room.picture(t.Context(), 0); err != nil { // is made once for all
		t.Fatal(err)
	}
	feed.room.last.Load().Revision = 1 << 40
	if n := testing.AllocsPerRun(1000, func() {
		v.Revision++
		feed.Standing(v)
		deliver()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// slow-reader: whatever is told to who doesn't read, one message and one goroutine wait for it.
func TestLiveSlowReaderIsBounded(t *testing.T) {
	ours, theirs := loopback(t)
	must(t, ours.(*net.TCPConn).SetWriteBuffer(4096))
	k, feed, deliver := pushed(t, ours)
	for range 1000 { // what the system takes is full
		feed.Standing(queue.View{TicketID: "q", Revision: feed.view.Revision + 1})
		deliver()
	}
	o := k.room.outbox
	o.mu.Lock()
	stalled := k.post == postWriting && k.stale
	o.mu.Unlock()
	if !stalled {
		t.Fatal("the socket isn't stalled")
	}
	heap, goroutines := heapAndGoroutines()
	for range 100_000 {
		feed.Standing(queue.View{TicketID: "q", Revision: feed.view.Revision + 1})
		deliver()
	}
	after, now := heapAndGoroutines()
	if now > goroutines+2 || after > heap+64<<10 {
		t.Errorf("%d goroutines, before %d; %d bytes more", now, goroutines, after-heap)
	}

	// It reads again, and what it hears last is the latest.
	heard := &syncBuffer{}
	go func() { _, _ = io.Copy(heard, theirs) }()
	eventually(t, "the latest state", func() bool {
		deliver()
		return strings.Contains(heard.String(), fmt.Sprintf(`"revision":%d,`, feed.view.Revision))
	})
}

// churn: 20,000 connects and closes, half of them with a reset, leave nothing behind.
func TestLiveChurn(t *testing.T) {
	const each, waves = 500, 40
	s := openCrowd(t)
	cookies := make([]string, 50)
	for i := range cookies {
		cookies[i] = s.join()
	}
	wave := func() {
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				for j := range each / 50 {
					conn, _, err := s.dial(i, cookies[i])
					if err != nil {
						t.Error(err)
						return
					}
					if j%2 == 0 {
						_ = conn.(*net.TCPConn).SetLinger(0) // RST
					}
					_ = conn.Close()
				}
			})
		}
		all.Wait()
		eventually(t, "all sockets are gone", func() bool { return s.sockets() == 0 })
	}
	wave()
	http.DefaultClient.CloseIdleConnections()
	heap, goroutines := heapAndGoroutines()
	for range waves - 1 {
		wave()
	}
	eventually(t, "goroutines and heap are back", func() bool {
		after, now := heapAndGoroutines()
		return now <= goroutines+2 && after <= heap+2<<20
	})
	if n := s.pinged(); n != 0 {
		t.Errorf("%d sockets that are gone are pinged", n)
	}
}

// What the reader must do itself: answer pings and goodbyes, also when the client didn't wait for the handshake's answer.
func TestLiveControlFrames(t *testing.T) {
	s := openCrowd(t)
	cookie := s.join()
	for name, test := range map[string]struct {
		send []byte
		want []byte
	}{
		"ping":              {clientFrame(finalBit|opPing, "are you there"), append([]byte{0x8a, 13}, "are you there"...)},
		"ping of a lot":     {clientFrame(finalBit|opPing, strings.Repeat("x", 125)), append([]byte{0x8a, 125}, strings.Repeat("x", 125)...)},
		"goodbye":           {clientFrame(finalBit|opClose, "\x03\xe9going"), []byte{0x88, 2, 0x03, 0xe9}},
		"silent goodbye":    {clientFrame(finalBit|opClose, ""), []byte{0x88, 0}},
		"no frame":          {[]byte("GET / HTTP/1.1\r\n\r\n"), []byte{0x88, 2, 0x03, 0xea}},
		"unmasked":          {[]byte{0x81, 1, 'x'}, []byte{0x88, 2, 0x03, 0xea}},
		"too much":          {clientFrame(finalBit|opText, strings.Repeat("x", readLimit+1)), []byte{0x88, 2, 0x03, 0xf1}},
		"too much, claimed": {[]byte{0x81, 0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, []byte{0x88, 2, 0x03, 0xf1}},
	} {
		t.Run(name, func(t *testing.T) {
			conn, in, err := s.dial(0, cookie)
			must(t, err)
			defer conn.Close()
			head, err := in.Peek(4)
			must(t, err)
			_, err = in.Discard(4 + int(head[2])<<8 + int(head[3])) // the standing
			must(t, err)
			_, err = conn.Write(test.send)
			must(t, err)
			got := make([]byte, len(test.want))
			_, err = io.ReadFull(in, got)
			must(t, err)
			if string(got) != string(test.want) {
				t.Errorf("got % x, want % x", got, test.want)
			}
			if test.want[0] == 0x88 {
				if test.send[0] != 0x88 {
					_, err = conn.Write(clientFrame(finalBit|opClose, "\x03\xea"))
					must(t, err)
					must(t, conn.(*net.TCPConn).CloseWrite())
				}
				if n, err := in.Read(got); err != io.EOF {
					t.Errorf("after the goodbye: %d %v", n, err)
				}
			}
		})
	}
}
