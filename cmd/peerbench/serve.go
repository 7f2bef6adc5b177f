package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// host is a server that can tell all its clients something.
type host interface {
	serve(net.Listener) error
	tell(round int) error // a message that has mark(round) in it, to all; it may return before it is sent
}

// mark is how clients know the message of a round.
func mark(round int) string { return fmt.Sprintf("round-%d.", round) }

// message is what the peers send: as long as ours is, with the mark of the round in it.
func message(round, size int) []byte {
	m := `{"type":"standing","notice":"` + mark(round) + `","padding":"`
	return []byte(m + strings.Repeat("x", max(0, size-len(m)-2)) + `"}`)
}

// serve is the process of a server.
func serve(kind string) error {
	h, err := newHost(kind)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- h.serve(listener) }()
	return obey(listener.Addr().String(), func(verb string, args []string) (any, error) {
		switch verb {
		case "held": // bytes of resident memory, without what is free already
			runtime.GC()
			debug.FreeOSMemory()
			return resident()
		case "resident":
			return resident()
		case "cpu": // nanoseconds
			return cpuTime()
		case "goroutines":
			return runtime.NumGoroutine(), nil
		case "tell":
			round, err := strconv.Atoi(args[0])
			if err != nil {
				return nil, err
			}
			begin := time.Now().UnixNano()
			return begin, h.tell(round)
		case "size":
			messageSize, err = strconv.Atoi(args[0])
			return messageSize, err
		case "profile":
			return args[0], profile(args[0], args[1])
		}
		return nil, fmt.Errorf("what is %s?", verb)
	})
}

// messageSize is how long the peers' messages are.
var messageSize = 750

func newHost(kind string) (host, error) {
	switch kind {
	case "ours", "ours-log":
		return newOurs(kind == "ours-log")
	case "gws":
		return newGWS(), nil
	case "gorilla":
		return newGorilla(), nil
	case "tcp":
		return &rawTCP{}, nil
	case "http":
		return bareHTTP{}, nil
	}
	return nil, fmt.Errorf("there is no server %s", kind)
}

// resident is the process's own resident memory, in bytes.
func resident() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "RssAnon:"); found {
			kb, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kb << 10, err
		}
	}
	return 0, errors.New("the system doesn't tell the resident memory")
}

// cpuTime is what the process has used, in nanoseconds.
func cpuTime() (int64, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return u.Utime.Nano() + u.Stime.Nano(), nil
}

var profiling *os.File

// profile begins (cpu) or writes (heap, cpu again) a profile, for who looks into a figure.
func profile(kind, path string) error {
	if kind == "cpu" && profiling != nil {
		pprof.StopCPUProfile()
		err := profiling.Close()
		profiling = nil
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if kind == "cpu" {
		profiling = f
		return pprof.StartCPUProfile(f)
	}
	return errors.Join(pprof.Lookup(kind).WriteTo(f, 0), f.Close())
}

// rawTCP is the floor: connections with a goroutine that reads, and plain writes.
type rawTCP struct {
	mu    sync.Mutex
	conns []net.Conn
}

func (s *rawTCP) serve(l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.conns = append(s.conns, c)
		s.mu.Unlock()
		go func() {
			_, _ = c.Write(frame(message(0, messageSize)))
			b := make([]byte, 128)
			for {
				if _, err := c.Read(b); err != nil {
					return
				}
			}
		}()
	}
}

func (s *rawTCP) tell(round int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := frame(message(round, messageSize))
	for _, c := range s.conns {
		if _, err := c.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// frame is a server's unmasked text frame, as a client expects it.
func frame(payload []byte) []byte {
	return append([]byte{0x81, 126, byte(len(payload) >> 8), byte(len(payload))}, payload...)
}

// bareHTTP is the floor of requests: a handler of net/http that answers what a status call does.
type bareHTTP struct{}

func (bareHTTP) serve(l net.Listener) error {
	body := message(0, 600)
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
}

func (bareHTTP) tell(int) error { return nil }
