package web

import (
	"container/list"
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/coder/websocket"
)

// The codes that a socket is closed with, beside 1000, 1012 and 1013 of RFC 6455: the page knows by them whether to come back.
const (
	closeNoTicket  websocket.StatusCode = 4001 // the ticket lapsed, was given up or never was: stop reconnecting
	closeTooMany   websocket.StatusCode = 4002 // a newer socket of this session took the place: reconnect when visible again
	readLimit                           = 1024 // bytes of one client message; messages are read and ignored
	writeTimeout                        = 10 * time.Second
	closeTimeout                        = 5 * time.Second // for the answer to a goodbye
	refusedTimeout                      = time.Second     // for the goodbye to a socket that was never let in
	pingsUnheard                        = 2               // so many pings without a pong, and the peer has vanished
)

// feed makes what a socket sends.
type feed interface {
	// message appends the present state as one whole message to b, or gives b as it is if there is nothing to say. One call at a time.
	message(ctx context.Context, b []byte) []byte
	// alive is called at each pong.
	alive(ctx context.Context)
	// end is called once, when the socket has ended.
	end()
}

// farewell is a socket's last message (nil: none) and the code that closes it.
type farewell struct {
	message []byte
	code    websocket.StatusCode
}

// socket is one open websocket. The only goroutine of its own is its reader, which lives as long as it does. What it has to say is a few marks,
// under the lock of the room's outbox, until one of the outbox's senders says it: what was not sent yet is replaced by what is true now, and
// a slow peer holds up nobody else.
type socket struct {
	room  *liveRoom
	conn  net.Conn
	raw   syscall.RawConn // of conn; nil: it can't be written to without waiting
	guest guest
	feed  feed // nil: there is nothing to say but a farewell
	hurry bool // it is not let in, and its goodbye is short

	audible bool // its pings are told as messages, too: the scripts of a page hear no ping
	in      frameReader

	pulse  *list.Element // among the room's pings; nil: none
	repeat *list.Element // among the room's repeats; nil: none

	// Under the outbox's lock:
	post    posting
	next    *socket // behind it in the outbox
	stale   bool    // there is something that the peer has not been sent
	ping    bool
	unheard int    // pings without a pong
	pong    []byte // answers a ping; nil: none is to be sent
	bye     *farewell
	parted  bool // bye is sent
	left    bool // the peer has said goodbye
}

// posting is where a socket is on its way to be written.
type posting int

const (
	postIdle    posting = iota // it has nothing to say
	postWaiting                // it is in the outbox
	postWriting                // a sender writes it, or a goroutine waits until the peer reads
	postOver                   // it has ended
)

func newSocket(l *liveRoom, conn net.Conn, rest io.Reader) *socket {
	k := &socket{room: l, conn: conn, in: frameReader{from: rest}}
	if tcp, ok := conn.(syscall.Conn); ok { // TLS is none
		k.raw, _ = tcp.SyscallConn() // without it each write has a goroutine
	}
	return k
}

// wake has the present state sent.
func (k *socket) wake() { k.room.outbox.mark(k, func() { k.stale = true }) }

// dismiss has the last message sent and the socket closed. The first one counts.
func (k *socket) dismiss(bye farewell) {
	k.room.outbox.mark(k, func() { k.bye = &bye })
}

// beat pings the peer. One that has not answered the last ones has vanished.
func (k *socket) beat() {
	k.room.outbox.mark(k, func() {
		if k.unheard >= pingsUnheard {
			k.cut()
			return
		}
		k.unheard++
		k.ping = true
	})
}

// heard takes a pong. One that answers no ping says nothing.
func (k *socket) heard() {
	answered := false
	k.room.outbox.mark(k, func() { answered, k.unheard = k.unheard > 0, 0 })
	if answered && k.feed != nil {
		k.feed.alive(k.room.ctx)
	}
}

// read reads what the peer sends until the socket ends. Messages are ignored.
func (k *socket) read() {
	defer k.end()
	out := k.room.outbox
	for {
		opcode, payload, err := k.in.next(readLimit)
		switch {
		case errors.Is(err, errFrame):
			k.dismiss(farewell{code: websocket.StatusProtocolError})
		case errors.Is(err, errMessages):
			k.dismiss(farewell{code: websocket.StatusMessageTooBig})
		case err != nil:
			return
		case opcode == opPong:
			k.heard()
			continue
		case opcode == opPing:
			answer := append([]byte{}, payload...)
			out.mark(k, func() { k.pong = answer })
			continue
		default: // the peer's goodbye: it waits for ours, and has the connection closed by us
			if out.goodbye(k) {
				return
			}
			k.dismiss(farewell{code: closeAnswer(payload)})
		}
		_, _ = io.Copy(io.Discard, k.in.from) // nothing counts any more; closing with something unread would lose our goodbye
		return
	}
}

// end cleans up when the reader is done.
func (k *socket) end() {
	k.room.outbox.drop(k)
	k.room.pings.remove(k.pulse)
	k.room.repeats.remove(k.repeat)
	_ = k.conn.Close() // an error says that it was closed already
	if !k.hurry {
		k.room.leave(k)
	}
	if k.feed != nil {
		k.feed.end()
	}
}

// cut ends the connection without a word, and without waiting; the reader then ends the socket.
func (k *socket) cut() {
	conn := k.conn
	if wrapped, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS would say something first
		conn = wrapped.NetConn()
	}
	_ = conn.Close()
}

// patience is how long a peer may take to read, and to answer a goodbye.
func (k *socket) patience() (write, answer time.Duration) {
	if k.hurry {
		return refusedTimeout, refusedTimeout
	}
	return writeTimeout, closeTimeout
}
