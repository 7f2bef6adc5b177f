package main

import (
	"log/slog"
	"net"
	"sync"
	"syscall"
	"time"
)

// leastForWork is how many files are left for the work that visitors have come for: the line, runs and their results.
const leastForWork = 64

// connectionsAtMost is how many connections fit in with the files that a process may open. One in twenty is for other things than connections.
func connectionsAtMost() int {
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) != nil || files.Cur > 1<<30 {
		return 1 << 30
	}
	return max(1, int(files.Cur)-max(leastForWork, int(files.Cur/20)))
}

// roomyListener lets in as many connections as there is room for. The others wait outside: were they let in, no file would be left to run
// the query of who has waited.
type roomyListener struct {
	net.Listener
	room  chan struct{} // one element a connection
	shut  chan struct{} // closed by Close
	close sync.Once
	log   *slog.Logger
	told  time.Time // when the log was told last that there is no room
}

func newRoomyListener(outer net.Listener, connections int, log *slog.Logger) *roomyListener {
	return &roomyListener{Listener: outer, room: make(chan struct{}, connections), shut: make(chan struct{}), log: log}
}

// Accept is net.Listener's; like http.Server's, its calls come one after another.
func (l *roomyListener) Accept() (net.Conn, error) {
	select {
	case l.room <- struct{}{}:
	default:
		if now := time.Now(); now.Sub(l.told) > time.Minute {
			l.told = now
			l.log.Warn("as many connections are open as there is room for; the next wait outside. A higher limit of open files makes room", "connections", cap(l.room))
		}
		select {
		case l.room <- struct{}{}:
		case <-l.shut:
			return nil, net.ErrClosed
		}
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.room
		return nil, err
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		<-l.room // no such connection is counted
		return conn, nil
	}
	return &roomyConn{TCPConn: tcp, leave: sync.OnceFunc(func() { <-l.room })}, nil
}

// Close is net.Listener's.
func (l *roomyListener) Close() error {
	l.close.Do(func() { close(l.shut) })
	return l.Listener.Close()
}

// roomyConn is a connection that makes room when it is closed.
type roomyConn struct {
	*net.TCPConn
	leave func()
}

// Close is net.Conn's.
func (c *roomyConn) Close() error {
	defer c.leave()
	return c.TCPConn.Close()
}
