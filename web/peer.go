package web

import (
	"context"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// peerLook is how often the connection of a run that is tied to it is looked at.
const peerLook = 250 * time.Millisecond

type peerKey struct{}

// ConnContext lets a request know its connection; it is the ConnContext of the http.Server. Without it a client that sent more than its
// request and went is only noticed at the next write: net/http stops looking at the first byte that it doesn't expect.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, c)
}

// peerConn is the TCP connection that a request came by, or nil.
func peerConn(ctx context.Context) syscall.Conn {
	c, _ := ctx.Value(peerKey{}).(net.Conn)
	if wrapped, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
		c = wrapped.NetConn()
	}
	tcp, _ := c.(syscall.Conn)
	return tcp
}

// watchPeer calls gone when the client of the request closes or loses its connection, also behind bytes that nobody has read. It looks until
// stop is called, which waits for it to end.
func watchPeer(ctx context.Context, gone func()) (stop func()) {
	conn := peerConn(ctx)
	if conn == nil {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		look := time.NewTicker(peerLook)
		defer look.Stop()
		for {
			select {
			case <-done:
				return
			case <-look.C:
				if peerGone(conn) {
					gone()
					return
				}
			}
		}
	}()
	return func() { close(done); <-ended }
}

// The states of a TCP connection whose other side has closed it (linux/tcp_states.h).
const (
	tcpClose     = 7
	tcpCloseWait = 8
)

func peerGone(conn syscall.Conn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return true
	}
	gone := false
	if err := raw.Control(func(fd uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		gone = err == nil && (info.State == tcpClose || info.State == tcpCloseWait)
	}); err != nil {
		return true
	}
	return gone
}

// vanishWithin has the system give up a connection whose peer has acknowledged nothing for so long. It is for streams that are a heartbeat:
// a peer that merely pauses in reading a download must not lose it.
func vanishWithin(ctx context.Context, patience time.Duration) {
	conn := peerConn(ctx)
	if conn == nil {
		return
	}
	if raw, err := conn.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { // what can't be set is noticed by the next comments
			_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(max(patience, time.Second).Milliseconds()))
		})
	}
}
