package web

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// The codes that a socket is closed with, beside 1000, 1012 and 1013 of RFC 6455: the page knows by them whether to come back.
const (
	closeNoTicket  websocket.StatusCode = 4001 // the ticket lapsed, was given up or never was: stop reconnecting
	closeTooMany   websocket.StatusCode = 4002 // a newer socket of this session took the place: reconnect when visible again
	readLimit                           = 1024 // bytes of one client message; messages are read and ignored
	writeTimeout                        = 10 * time.Second
	refusedTimeout                      = time.Second // for the goodbye to a socket that was never let in
)

// feed makes what a socket sends. message is called by the socket's sender alone: it appends the present state as one whole message to b, or
// answers nil if there is nothing to say.
type feed interface {
	message(ctx context.Context, b []byte) []byte
}

// messages are buffers that wait for the next message.
var messages = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

// farewell is a socket's last message (nil: none) and the code that closes it.
type farewell struct {
	message []byte
	code    websocket.StatusCode
}

// socket is one open websocket. Three kinds of goroutines work on it: its reader, which owns it and lives as long as it does; a sender,
// which lives while there is something to send; and, at each ping, one that waits for the pong. A slow peer holds up its own sender only:
// what was not sent yet is replaced by what is true now.
type socket struct {
	room   *liveRoom
	conn   *websocket.Conn
	ctx    context.Context // the room's, not the request's: that one is over when the upgrade is done
	cancel context.CancelFunc
	feed   feed
	alive  func(context.Context) // called at each pong

	mu      sync.Mutex
	stale   bool // there is something that the peer has not been sent
	sending bool // a sender is at work
	bye     *farewell
	pulse   *time.Timer   // the next ping; nil: none yet
	repeat  *time.Timer   // the next message after a silence; nil: none wanted
	silence time.Duration // how long that is
	ended   bool          // the reader is gone: nothing starts any more
}

// wake has the present state sent.
func (k *socket) wake() { k.stir(nil) }

// dismiss has the last message sent and the socket closed. The first one counts.
func (k *socket) dismiss(bye farewell) { k.stir(&bye) }

func (k *socket) stir(bye *farewell) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended || k.bye != nil {
		return
	}
	k.bye = bye
	k.stale = true
	if !k.sending {
		k.sending = true
		k.room.work.Go(k.send)
	}
}

// send writes until there is nothing left to say. A write that takes too long ends the socket.
func (k *socket) send() {
	for {
		k.mu.Lock()
		stale, bye := k.stale, k.bye
		k.stale = false
		k.sending = stale
		k.mu.Unlock()
		switch {
		case bye != nil:
			k.leave(*bye)
			return
		case !stale:
			return
		}
		if k.tell() != nil {
			k.cancel()
			return
		}
	}
}

// tell sends the present state.
func (k *socket) tell() error {
	b := messages.Get().(*[]byte)
	defer messages.Put(b)
	k.mu.Lock()
	if k.repeat != nil && !k.ended {
		k.repeat.Reset(k.silence)
	}
	k.mu.Unlock()
	message := k.feed.message(k.ctx, (*b)[:0])
	if message == nil {
		return nil
	}
	*b = message
	return k.write(message)
}

// again has the present state sent once more whenever the socket was silent for so long.
func (k *socket) again(silence time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.silence = silence
	k.repeat = time.AfterFunc(silence, k.wake)
}

func (k *socket) leave(bye farewell) {
	defer k.cancel()
	if bye.message != nil && k.write(bye.message) != nil {
		return
	}
	// An error means that the peer was gone before it answered, which is as good as goodbye.
	_ = k.conn.Close(bye.code, "")
}

func (k *socket) write(message []byte) error {
	ctx, cancel := context.WithTimeout(k.ctx, writeTimeout)
	defer cancel()
	return k.conn.Write(ctx, websocket.MessageText, message)
}

// read reads and ignores what the peer sends until the socket ends. Pongs and the peer's close frame are handled in here.
func (k *socket) read() {
	defer k.end()
	k.conn.SetReadLimit(readLimit)
	for {
		_, r, err := k.conn.Reader(k.ctx)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			return
		}
	}
}

func (k *socket) end() {
	k.mu.Lock()
	k.ended = true
	for _, timer := range []*time.Timer{k.pulse, k.repeat} {
		if timer != nil {
			timer.Stop()
		}
	}
	k.mu.Unlock()
	k.cancel()
	// Waits for a close that is under way; an error says that it was closed already.
	_ = k.conn.CloseNow()
}

// beat pings at every interval until the socket ends. A peer whose pong takes two more intervals has vanished: three intervals fit into the
// heartbeat.
func (k *socket) beat(interval time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.pulse = time.AfterFunc(interval, func() {
		if !k.enter() {
			return
		}
		defer k.room.work.Done()
		if !k.ping(2 * interval) {
			k.cancel()
			return
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		if !k.ended {
			k.pulse.Reset(interval)
		}
	})
}

// enter counts a goroutine that a timer started; false when the socket has ended.
func (k *socket) enter() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended {
		return false
	}
	k.room.work.Add(1)
	return true
}

func (k *socket) ping(timeout time.Duration) bool {
	ctx, cancel := context.WithTimeout(k.ctx, timeout)
	defer cancel()
	if k.conn.Ping(ctx) != nil {
		return false
	}
	k.alive(ctx)
	return true
}
