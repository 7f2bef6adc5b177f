package web

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"
	"github.com/labstack/echo/v4"

	"confluence/queue"
)

// accept upgrades the request. Without a socket the request is over: refused with the error, or answered already if that is nil.
func (l *liveRoom) accept(c echo.Context) (*socket, error) {
	r := c.Request()
	if l.server.door.foreign(r) {
		return nil, l.server.crossSite(r)
	}
	l.mu.Lock()
	stopping := l.stopping
	l.mu.Unlock()
	if stopping {
		return nil, queue.ErrStopped
	}
	taken := handover{ResponseWriter: c.Response()}
	handshake, err := websocket.Accept(&taken, r, &websocket.AcceptOptions{
		Subprotocols:       []string{subprotocol},
		InsecureSkipVerify: true,                          // of the origin, which was verified above, and for more than the library knows
		CompressionMode:    websocket.CompressionDisabled, // over 1 MB a connection, for messages of half a kilobyte
	})
	if err != nil {
		return nil, nil // Accept has answered
	}
	_ = handshake.CloseNow() // it has only the empty hull of the connection
	return newSocket(l, taken.conn, taken.rest), nil
}

// handover takes the connection from the library once that has done the handshake. The library's own connection has buffers, channels and
// locks for whoever reads and writes messages; the room tells thousands, and what they say is ignored. Measured with 15,000 sockets: 23 KiB a
// socket with the library's connection and a goroutine of the handler's beside it, 6 KiB with our own.
type handover struct {
	http.ResponseWriter
	conn net.Conn
	rest io.Reader // where to read on
}

// Hijack is called by the library after it has answered.
func (h *handover) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffers, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.conn, h.rest = conn, conn
	if n := buffers.Reader.Buffered(); n > 0 { // the client didn't wait for the answer
		early, _ := buffers.Reader.Peek(n)
		h.rest = io.MultiReader(bytes.NewReader(bytes.Clone(early)), conn)
	}
	return hull{}, buffers, nil
}

// hull is a connection without anything in it.
type hull struct{}

func (hull) Read([]byte) (int, error)         { return 0, io.EOF }
func (hull) Write(b []byte) (int, error)      { return len(b), nil }
func (hull) Close() error                     { return nil }
func (hull) LocalAddr() net.Addr              { return nil }
func (hull) RemoteAddr() net.Addr             { return nil }
func (hull) SetDeadline(time.Time) error      { return nil }
func (hull) SetReadDeadline(time.Time) error  { return nil }
func (hull) SetWriteDeadline(time.Time) error { return nil }
