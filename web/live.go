package web

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/coder/websocket"
	"github.com/labstack/echo/v4"

	"confluence/queue"
)

// liveStanding is GET /live: the session's standing, then each change of it, until its ticket has ended.
func (s *Server) liveStanding(c echo.Context) error {
	session := s.session(c)
	k, err := s.live.accept(c)
	if k == nil {
		return err
	}
	k.guest = guest{session: session, address: networkOf(c)}
	k.audible = c.QueryParam("pulse") != ""
	s.live.enter(k, func() { s.serveStanding(k) })
	return nil // whatever happens now: the connection is no request any more
}

func (s *Server) serveStanding(k *socket) {
	session := k.guest.session
	if session == "" {
		k.dismiss(noTicket(queue.Ended{Reason: queue.ReasonNone}))
		return
	}
	feed := &standingFeed{room: s.live, socket: k}
	k.feed = feed
	feed.release = s.runs.watch(session)
	feed.stop = s.o.Controller.Watch(session, feed)
	view, err := s.o.Controller.Status(s.live.ctx, session)
	feed.read(view, err)
	k.pulse = s.live.pings.add(k)
}

// standingFeed is what one socket of a session tells of its ticket. The socket is of one ticket: it ends with it.
type standingFeed struct {
	room    *liveRoom
	socket  *socket
	release func() // of the session's runs
	stop    func() // the controller's telling

	mu     sync.Mutex
	view   queue.View // the latest
	told   bool       // view holds one
	known  bool       // the first read is done: view is of the ticket that this socket is about
	ending *queue.Ended
}

// Standing is told by the controller.
func (f *standingFeed) Standing(v queue.View) {
	f.mu.Lock()
	if f.told && v.Revision < f.view.Revision { // made before the first read, which a position must not rise behind
		f.mu.Unlock()
		return
	}
	news := f.known && v.Revision != f.view.Revision // else it is what the first read has told already
	f.view, f.told = v, true
	f.mu.Unlock()
	if news {
		f.socket.wake()
	}
}

// Ended is told by the controller. Until the first read it may be about an older ticket, of which the news is on its way still.
func (f *standingFeed) Ended(e queue.Ended) {
	f.mu.Lock()
	f.ending = &e
	over := f.known && f.view.TicketID == e.TicketID
	f.mu.Unlock()
	if over {
		f.socket.dismiss(farewellTo(e))
	}
}

// read takes the first read, made after the subscription. What the subscription has told in between may be older or newer.
func (f *standingFeed) read(v queue.View, err error) {
	var none *queue.NotFoundError
	f.mu.Lock()
	if err == nil && (!f.told || v.Revision > f.view.Revision) {
		f.view, f.told = v, true
	}
	f.known = f.told
	told, ticket, ending := f.told, f.view.TicketID, f.ending
	f.mu.Unlock()
	switch {
	case told && ending != nil && ending.TicketID == ticket:
		f.socket.dismiss(farewellTo(*ending))
	case told:
		f.socket.wake()
	case errors.As(err, &none):
		f.socket.dismiss(noTicket(none.Ended))
	case errors.Is(err, queue.ErrStopped):
		f.socket.dismiss(farewell{code: websocket.StatusServiceRestart})
	default:
		if f.room.ctx.Err() == nil {
			f.room.server.log.Error("a socket could not read its standing", "err", err)
		}
		f.socket.dismiss(farewell{code: websocket.StatusInternalError})
	}
}

func (f *standingFeed) alive(ctx context.Context) {
	if err := f.room.server.o.Controller.Seen(ctx, f.socket.guest.session); err != nil && ctx.Err() == nil {
		f.room.server.log.Error("a heartbeat was not recorded", "err", err)
	}
}

func (f *standingFeed) end() {
	f.stop()
	f.release()
}

// message is the standing as it is, with the numbers of the line around it.
func (f *standingFeed) message(ctx context.Context, b []byte) []byte {
	f.mu.Lock()
	v := f.view
	f.mu.Unlock()
	picture, err := f.room.picture(ctx, v.Revision)
	b = appendViewMessage(b, v)
	if err != nil {
		if ctx.Err() == nil {
			f.room.server.log.Error("a socket could not read the line", "err", err)
		}
		return b // the standing is whole without the drawing of the line
	}
	return appendLine(b, v, picture)
}

// appendLine adds the field line to the JSON object in b.
func appendLine(b []byte, v queue.View, picture *queue.Picture) []byte {
	b = append(b[:len(b)-1], `,"line":{"serving":`...)
	b = appendNumbers(b, picture.Serving)
	b = appendNumbers(append(b, `,"called":`...), picture.Called)
	b = appendNumbers(append(b, `,"next":`...), picture.Next)
	if len(picture.Serving) == 0 {
		b = append(b, `,"run_elapsed_seconds":null`...)
		b = appendSeconds(append(b, `,"usual_low_seconds":`...), v.UsualLow)
		b = appendSeconds(append(b, `,"usual_high_seconds":`...), v.UsualHigh)
	} else {
		b = appendRunTimes(b, v.RunElapsed, v.UsualLow, v.UsualHigh)
	}
	b = strconv.AppendBool(append(b, `,"stopping":`...), picture.Runner == queue.RunnerStopping)
	return append(b, "}}"...)
}

// picture is the public picture, no older than revision. It is read once a revision, however many sockets show it; what passes with time is
// not in what they show of it.
func (l *liveRoom) picture(ctx context.Context, revision int64) (*queue.Picture, error) {
	if p := l.last.Load(); p != nil && p.Revision >= revision {
		return p, nil
	}
	p, err := l.server.o.Controller.Picture(ctx)
	if err != nil {
		return nil, err
	}
	l.last.Store(&p)
	return &p, nil
}

// farewellTo is the last word about a ticket that ended while its socket was open.
func farewellTo(e queue.Ended) farewell {
	code := closeNoTicket
	if e.Reason == queue.ReasonFinished || e.Reason == queue.ReasonLeft {
		code = websocket.StatusNormalClosure
	}
	return farewell{message: endedMessage(endedType(e.Reason), e), code: code}
}

// noTicket is the answer to a session without a ticket: that the last one was lost, if it was, else none, with what is remembered.
func noTicket(e queue.Ended) farewell {
	kind := "none"
	if e.Reason == queue.ReasonLapsed || e.Reason == queue.ReasonHeartbeatLost {
		kind = endedType(e.Reason)
	}
	return farewell{message: endedMessage(kind, e), code: closeNoTicket}
}
