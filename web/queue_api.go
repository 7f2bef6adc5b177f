package web

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"confluence/queue"
	"confluence/queue/runner"
)

// holdAtMost is the longest that a status call is held for a change.
const holdAtMost = 30 * time.Second

// apiJoin is POST /api/v1/queue/join.
func (s *Server) apiJoin(c echo.Context) error {
	text, given, err := s.readQuery(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err := s.limitPolls(ctx, s.session(c), false); err != nil {
		return err
	}
	if given {
		// A runner that is away can't tell: the text is looked at again at the turn.
		if err := s.runs.check(ctx, text); err != nil && !errors.Is(err, runner.ErrUnavailable) {
			return err
		}
	}
	session, err := s.ensureSession(c)
	if err != nil {
		return err
	}
	settled, err := s.admit(c, session, true)
	if err != nil {
		return err
	}
	defer settled()
	v, err := s.join(ctx, session, queue.Kept{Query: text})
	if err != nil {
		return err
	}
	return sendView(c, v)
}

// apiLeave is DELETE /api/v1/queue/ticket.
func (s *Server) apiLeave(c echo.Context) error {
	if session := s.session(c); session != "" {
		if err := s.leave(c.Request().Context(), session); err != nil {
			return err
		}
	}
	return c.NoContent(http.StatusNoContent)
}

// leave drops the session's ticket. It is gone even while the disk doesn't take that: it is saved later.
func (s *Server) leave(ctx context.Context, session string) error {
	if err := s.o.Controller.Leave(ctx, session); !errors.Is(err, queue.ErrStore) {
		return err
	}
	return nil
}

// apiPicture is GET /api/v1/queue.
func (s *Server) apiPicture(c echo.Context) error {
	p, err := s.o.Controller.Picture(c.Request().Context())
	if err != nil {
		return err
	}
	header, tag := c.Response().Header(), pictureTag(p)
	header.Set("ETag", tag)
	header.Set(echo.HeaderCacheControl, "no-cache")
	if tagMatches(c.Request().Header.Get("If-None-Match"), tag) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, typeJSON, append(appendPicture(nil, p), '\n'))
}

// apiStatus is GET /api/v1/queue/status: a view, or a stream of them.
func (s *Server) apiStatus(c echo.Context) error {
	r := c.Request()
	session := s.session(c)
	if session == "" {
		return &queue.NotFoundError{Ended: queue.Ended{Reason: queue.ReasonNone}}
	}
	if header := c.Response().Header(); header[echo.HeaderVary] == nil {
		header[echo.HeaderVary] = statusVaries
	} else {
		header.Add(echo.HeaderVary, statusVaries[0])
	}
	if r.Method == http.MethodGet && negotiate(r.Header.Get(echo.HeaderAccept), typeJSON, typeEvents) == typeEvents {
		if err := s.limitPolls(r.Context(), session, true); err != nil {
			return err
		}
		return s.streamStatus(c, session)
	}
	v, err := s.o.Controller.Status(r.Context(), session)
	known, wait := r.Header.Get("If-None-Match"), preferredWait(r.Header.Values("Prefer"))
	held := err == nil && wait > 0 && tagMatches(known, viewTag(v))
	if !held { // the line itself paces a call that is held
		if limited := s.limitPolls(r.Context(), session, false); limited != nil {
			return limited
		}
	}
	if err != nil {
		return err
	}
	if held {
		c.Response().Header().Set("Preference-Applied", "wait="+strconv.Itoa(int(wait/time.Second)))
		if v, err = s.holdStatus(r.Context(), session, viewTag(v), wait); err != nil {
			return err
		}
	}
	tag := viewTag(v)
	c.Response().Header().Set("ETag", tag)
	if known != "" && tagMatches(known, tag) {
		return c.NoContent(http.StatusNotModified)
	}
	return sendView(c, v)
}

// preferredWait is the N of Prefer: wait=N, at most what we hold; 0 for none.
func preferredWait(values []string) time.Duration {
	for _, value := range values {
		for preference := range strings.SplitSeq(value, ",") {
			name, n, _ := strings.Cut(preference, "=")
			if !strings.EqualFold(strings.TrimSpace(name), "wait") {
				continue
			}
			if seconds, err := strconv.Atoi(strings.Trim(strings.TrimSpace(n), `"`)); err == nil && seconds > 0 {
				return min(time.Duration(min(seconds, 3600))*time.Second, holdAtMost)
			}
		}
	}
	return 0
}

// holdStatus waits until the standing is no longer the one of the tag. The held call is a heartbeat all the while.
func (s *Server) holdStatus(ctx context.Context, session, tag string, wait time.Duration) (queue.View, error) {
	box := newMailbox()
	defer s.o.Controller.Watch(session, box)()
	over := time.NewTimer(wait)
	defer over.Stop()
	beat := time.NewTicker(s.beat)
	defer beat.Stop()
	for {
		// The call itself tells what is so now; the mailbox only says when to look.
		v, err := s.o.Controller.Status(ctx, session)
		if err != nil || viewTag(v) != tag {
			return v, err
		}
		select {
		case <-box.news:
		case <-beat.C:
		case <-over.C:
			return v, nil
		case <-s.done:
			return v, queue.ErrStopped
		case <-ctx.Done():
			return v, ctx.Err()
		}
	}
}

// streamStatus sends each change of the standing, until the ticket ends. The open stream is the heartbeat.
func (s *Server) streamStatus(c echo.Context, session string) error {
	ctx := c.Request().Context()
	box := newMailbox()
	defer s.o.Controller.Watch(session, box)() // first: nothing that changes after the first look is missed
	v, err := s.o.Controller.Status(ctx, session)
	if err != nil {
		return err
	}
	st, leave, err := s.openEvents(c, session)
	if err != nil {
		return err
	}
	defer leave()
	defer st.end()
	defer s.runs.watch(session)()
	vanishWithin(ctx, v.HeartbeatEvery)
	if lastEventID(c) != v.Revision { // who has seen this very revision knows it; whole states are sent, so nothing else is missed
		if err := sendStanding(st, v); err != nil {
			return nil
		}
	}
	beat := time.NewTicker(min(s.beat, streamSilence))
	defer beat.Stop()
	for {
		select {
		case <-box.news:
			next, ended := box.take()
			if ended != nil && ended.TicketID == v.TicketID {
				kind := endedType(ended.Reason)
				_ = st.event(kind, "", endedMessage(kind, *ended)) // the last word; who has gone misses nothing
				return nil
			}
			if next == nil || next.Revision < v.Revision || next.Revision == v.Revision && viewTag(*next) == viewTag(v) {
				continue // an older one was made before the first look, behind which no position may rise
			}
			v = *next
			err = sendStanding(st, v)
		case <-beat.C:
			if err = st.comment(); err == nil {
				err = s.o.Controller.Seen(ctx, session)
			}
		case <-s.done:
			return nil
		case <-ctx.Done():
			return nil
		}
		if err != nil {
			return nil // the client has gone; the heartbeat decides about its ticket
		}
	}
}

func sendStanding(st *stream, v queue.View) error {
	return st.event("standing", strconv.FormatInt(v.Revision, 10), appendView(nil, v))
}

// Header values that every answer of a kind shares (see securityHeader).
var (
	statusVaries = []string{"Accept, Prefer"}
	jsonType     = []string{typeJSON}
)

func sendView(c echo.Context, v queue.View) error {
	b := buffers.Get().(*[]byte)
	defer buffers.Put(b)
	*b = append(appendView((*b)[:0], v), '\n')
	c.Response().Header()[echo.HeaderContentType] = jsonType
	c.Response().WriteHeader(http.StatusOK)
	_, err := c.Response().Write(*b)
	return err
}
