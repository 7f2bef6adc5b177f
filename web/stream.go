package web

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
)

const (
	// streamSilence is the longest silence on a stream; proxies cut what is silent for longer.
	streamSilence = 15 * time.Second
	// writePatience is how long one write may wait for a client that doesn't read.
	writePatience = time.Minute
)

// stream is an answer that is written piece by piece, each sent at once.
type stream struct {
	c       echo.Context
	control *http.ResponseController
	now     func() time.Time
	buf     []byte
}

func (s *Server) newStream(c echo.Context) *stream {
	return &stream{c: c, control: http.NewResponseController(c.Response()), now: s.now}
}

// openEvents begins a stream of server-sent events; close it at the end. It errs with queue.ErrStopped while the server goes down, and with
// errRateLimited when the session that follows has too many of them; no session: a stream that must be.
func (s *Server) openEvents(c echo.Context, session string) (st *stream, close func(), err error) {
	if close, err = s.streams.follow(session); err != nil {
		return nil, nil, err
	}
	st = s.newStream(c)
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, typeEvents)
	header.Set("X-Accel-Buffering", "no") // nginx would hold events back
	header.Add(echo.HeaderVary, echo.HeaderAccept)
	c.Response().WriteHeader(http.StatusOK)
	return st, close, st.flush()
}

// event sends one event; id may be empty. The data is one line.
func (st *stream) event(name, id string, data []byte) error {
	b := append(st.buf[:0], "event: "...)
	b = append(b, name...)
	if id != "" {
		b = append(append(b, "\nid: "...), id...)
	}
	b = append(append(b, "\ndata: "...), data...)
	st.buf = append(b, "\n\n"...)
	return st.send(st.buf)
}

// comment is a sign of life that readers skip.
func (st *stream) comment() error { return st.send([]byte(": \n\n")) }

// send writes b and has it leave at once.
func (st *stream) send(b []byte) error {
	if err := st.write(b); err != nil {
		return err
	}
	return st.flush()
}

// write bounds the time of every part, so that a client that doesn't read is let go, and one that reads slowly is not.
func (st *stream) write(b []byte) error {
	for len(b) > 0 {
		n := min(len(b), pieceBytes)
		if err := st.deadline(st.now().Add(writePatience)); err != nil {
			return err
		}
		if _, err := st.c.Response().Write(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

func (st *stream) flush() error {
	if err := st.deadline(st.now().Add(writePatience)); err != nil {
		return err
	}
	return st.control.Flush()
}

// deadline is no error on what can't have one: that is no network connection.
func (st *stream) deadline(at time.Time) error {
	if err := st.control.SetWriteDeadline(at); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// end gives the connection back as it was.
func (st *stream) end() { _ = st.deadline(time.Time{}) }

// lastEventID is the id of the last event that the client has seen, 0 for a new one.
func lastEventID(c echo.Context) int64 {
	at, err := strconv.ParseInt(c.Request().Header.Get("Last-Event-ID"), 10, 64)
	if err != nil || at < 0 {
		return 0
	}
	return at
}
