package web

import (
	"context"
	"errors"
	"time"

	"github.com/labstack/echo/v4"

	"confluence/queue"
	"confluence/views/i18n"
)

// defaultMaxKept is how many bytes of texts wait with their tickets.
const defaultMaxKept = 64 << 20

// newcomers bounds what visitors may add to the line: per address if the operator wants it, and texts in total.
type newcomers struct {
	controller *queue.AdmissionController
	joins      *pace  // by address; nil: any number
	waiting    *tally // tickets in line by address; nil: any number
	kept       *tally // bytes of texts, all in one group
}

func newNewcomers(d *door, controller *queue.AdmissionController, now func() time.Time) *newcomers {
	n := &newcomers{controller: controller}
	if d.JoinsPerAddress > 0 {
		n.joins = &pace{now: now, every: time.Minute / time.Duration(d.JoinsPerAddress), burst: d.JoinsPerAddress, turned: now(), present: map[string]time.Time{}}
	}
	if d.WaitingPerAddress > 0 {
		n.waiting = newTally(int64(d.WaitingPerAddress), n.waits, now)
	}
	limit := int64(defaultMaxKept)
	if d.MaxKeptBytes > 0 {
		limit = d.MaxKeptBytes
	}
	n.kept = newTally(limit, n.keeps, now)
	return n
}

// waits tells whether the session is in line. What can't be known counts.
func (n *newcomers) waits(ctx context.Context, session string) bool {
	v, err := n.controller.Peek(ctx, session)
	return err == nil && v.Status == queue.Queued || err != nil && !errors.Is(err, queue.ErrTicketNotFound)
}

func (n *newcomers) keeps(ctx context.Context, session string) bool {
	v, err := n.controller.Peek(ctx, session)
	return err == nil && v.Kept.Query != "" || err != nil && !errors.Is(err, queue.ErrTicketNotFound)
}

// admit decides whether a session may get a ticket from where it comes. One that has a ticket may always ask for it again. Call settled
// when the ticket is made, or isn't. What can't wait in line doesn't count towards those that do.
func (s *Server) admit(c echo.Context, session string, canWait bool) (settled func(), err error) {
	n := s.newcomers
	settled = func() {}
	from := networkOf(c)
	if n.joins == nil && n.waiting == nil || from == "" || isPerson(session) {
		return settled, nil
	}
	ctx := c.Request().Context()
	if v, err := s.peek(ctx, session); v != nil || err != nil {
		return settled, err
	}
	if n.joins != nil {
		if wait := n.joins.take(from); wait > 0 {
			return nil, &refusal{err: errRateLimited, after: wholeSeconds(wait),
				detail: i18n.Msg("problem.rate_limited.joins")}
		}
	}
	if n.waiting != nil && canWait {
		settled, ok := n.waiting.enter(ctx, from, session, 1)
		if !ok {
			return nil, refuse(errRateLimited, i18n.Msg("problem.rate_limited.waiting"))
		}
		return settled, nil
	}
	return settled, nil
}

// join joins with what is to be kept. A text for which there is no room is not kept, and the error says so: the ticket is made nevertheless.
func (s *Server) join(ctx context.Context, session string, kept queue.Kept) (queue.View, error) {
	if kept.Query == "" {
		return s.o.Controller.Join(ctx, session, kept)
	}
	settled, fits := s.newcomers.kept.enter(ctx, "", session, int64(len(kept.Query)))
	if fits {
		defer settled()
		return s.o.Controller.Join(ctx, session, kept)
	}
	v, err := s.o.Controller.Join(ctx, session, queue.Kept{})
	if err != nil {
		return v, err
	}
	return v, &refusal{err: errNoRoomForText, standing: &v, detail: noRoomDetail}
}

// keepText replaces what is kept with the session's ticket.
func (s *Server) keepText(ctx context.Context, session string, kept queue.Kept) error {
	settled, fits := s.newcomers.kept.enter(ctx, "", session, int64(len(kept.Query)))
	if !fits {
		return &refusal{err: errNoRoomForText, detail: noRoomDetail}
	}
	defer settled()
	return s.o.Controller.Keep(ctx, session, kept)
}

var noRoomDetail = i18n.Msg("problem.too_large.kept")

// errNoRoomForText is a kind of errTooLarge.
var errNoRoomForText = noRoomForText{}

type noRoomForText struct{}

func (noRoomForText) Error() string        { return "there is no room for the text" }
func (noRoomForText) Is(target error) bool { return target == errTooLarge }
