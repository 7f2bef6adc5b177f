package main

import (
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"
)

// Who comes when there is no room waits outside, and is let in when somebody goes. Closing wakes who waits to accept.
func TestConnectionsThatFindNoRoomWaitOutside(t *testing.T) {
	outer, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	said := &transcript{}
	l := newRoomyListener(outer, 2, slog.New(slog.NewTextHandler(said, nil)))
	accepted, ended := make(chan net.Conn, 10), make(chan error, 1)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				ended <- err
				return
			}
			accepted <- conn
		}
	}()
	for range 4 {
		conn, err := net.Dial("tcp", outer.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	first, second := <-accepted, <-accepted
	defer second.Close()
	eventually(t, soonEnough, "the log to tell of it", func() bool { return strings.Contains(said.String(), "connections=2") })
	if n := len(accepted); n != 0 {
		t.Fatalf("%d more than there is room for", n)
	}
	first.Close()
	first.Close() // twice makes no more room
	select {
	case third := <-accepted:
		defer third.Close()
	case <-time.After(soonEnough):
		t.Fatal("nobody is let in when there is room again")
	}
	if n := len(accepted); n != 0 {
		t.Errorf("%d more than there is room for", n)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	select {
	case <-ended:
	case <-time.After(soonEnough):
		t.Fatal("who waits for room is not woken by closing")
	}
}

func TestRoomIsLeftForWork(t *testing.T) {
	if n := connectionsAtMost(); n < 1 {
		t.Errorf("%d connections", n)
	}
}
