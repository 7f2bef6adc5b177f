package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"confluence/queue"
	"confluence/queue/runner"
	"confluence/views"
)

// pageWait is GET /wait: whatever the session's ticket is at. For its owner it is the heartbeat.
func (s *Server) pageWait(c echo.Context) error {
	session := s.session(c)
	if session == "" {
		return see(c, "/")
	}
	ctx := c.Request().Context()
	v, err := s.o.Controller.Status(ctx, session)
	var none *queue.NotFoundError
	switch {
	case errors.As(err, &none):
		return s.showEnded(c, http.StatusOK, none.Ended, none.Ended.Kept.Query)
	case err != nil:
		return err
	case v.Status == queue.Running:
		return see(c, runAddress(v.RunID))
	case v.Status == queue.Ready:
		return s.showTurn(c, http.StatusOK, v, "", views.Fault{})
	}
	picture, err := s.o.Controller.Picture(ctx)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, views.WaitPage(s.presenter(c).wait(v, picture, s.now())))
}

func (s *Server) showTurn(c echo.Context, status int, v queue.View, text string, fault views.Fault) error {
	picture, err := s.o.Controller.Picture(c.Request().Context())
	if err != nil {
		return err
	}
	return s.render(c, status, views.TurnPage(s.presenter(c).turn(v, picture, text, fault, s.now())))
}

// showEnded says what became of a ticket. status is for a page that says it; text is what its owner wanted to run.
func (s *Server) showEnded(c echo.Context, status int, e queue.Ended, text string) error {
	switch e.Reason {
	case queue.ReasonFinished:
		return see(c, runAddress(e.RunID))
	case queue.ReasonLapsed, queue.ReasonHeartbeatLost:
	default:
		return see(c, "/")
	}
	picture, err := s.o.Controller.Picture(c.Request().Context())
	if err != nil {
		return err
	}
	if e.Reason == queue.ReasonLapsed {
		return s.render(c, status, views.ExpiredPage(s.presenter(c).expired(e, picture, text, s.now())))
	}
	return s.render(c, status, views.LostPage(s.presenter(c).lost(e, picture, text, s.now())))
}

// postClaim is POST /claim: starts the turn, with the text of the form, or with the one that was kept where the form has none.
func (s *Server) postClaim(c echo.Context) error {
	sent, unfit := s.formText(c)
	if unfit != nil && !errors.Is(unfit, errTooLarge) {
		return unfit
	}
	session := s.session(c)
	if session == "" {
		return see(c, "/")
	}
	ctx := c.Request().Context()
	v, err := s.o.Controller.Peek(ctx, session)
	if err != nil {
		return s.claimMissed(c, session, sent, err)
	}
	if v.Status == queue.Running {
		return see(c, runAddress(v.RunID))
	}
	text := sent.text
	if !sent.present {
		text = v.Kept.Query
	}
	if v.Status == queue.Queued {
		return s.claimTooEarly(c, session, v, sent, unfit)
	}
	if fault, status := s.textFault(c, text, unfit); status != 0 {
		return s.showTurn(c, status, v, text, fault)
	}
	x, err := s.runs.start(ctx, session, text, false)
	fault, status := s.textFault(c, text, err)
	switch {
	case err == nil:
		return see(c, runAddress(x.id))
	case status != 0:
		return s.showTurn(c, status, v, text, fault)
	case errors.Is(err, queue.ErrReservationExpired):
		_, err := s.o.Controller.Peek(ctx, session)
		return s.claimMissed(c, session, sent, err)
	case errors.Is(err, queue.ErrRunnerUnavailable), errors.Is(err, runner.ErrUnavailable):
		// The turn stays, and gets its whole time again; so does the text.
		return s.keep(c, session, queue.Kept{Query: text, AutoStart: v.Kept.AutoStart})
	case errors.Is(err, queue.ErrBusy): // sent twice: the other one has started
		return see(c, "/wait")
	}
	return err
}

// claimMissed answers a claim of a session that has no ticket any more. The text stays on the page.
func (s *Server) claimMissed(c echo.Context, session string, sent sentText, err error) error {
	var none *queue.NotFoundError
	switch {
	case err == nil: // joined again in another tab
		return see(c, "/wait")
	case !errors.As(err, &none):
		return err
	}
	text := sent.text
	if !sent.present {
		text = none.Ended.Kept.Query
	}
	left := none.Ended.Reason == queue.ReasonLeft || none.Ended.Reason == queue.ReasonNone
	if left && sent.present {
		return s.showForm(c, http.StatusConflict, session, text, s.presenter(c).noTurn())
	}
	return s.showEnded(c, http.StatusConflict, none.Ended, text)
}

// claimTooEarly answers a claim of a ticket that isn't called yet, from a page that shows an older turn: its text is for this ticket now.
func (s *Server) claimTooEarly(c echo.Context, session string, v queue.View, sent sentText, unfit error) error {
	if unfit == nil && strings.TrimSpace(sent.text) != "" && s.runs.check(c.Request().Context(), sent.text) == nil {
		return s.keep(c, session, queue.Kept{Query: sent.text, AutoStart: v.Kept.AutoStart})
	}
	return see(c, "/wait")
}

// keep replaces what is kept with the session's ticket, and shows the ticket, or what became of it.
func (s *Server) keep(c echo.Context, session string, kept queue.Kept) error {
	err := s.keepText(c.Request().Context(), session, kept)
	if fault, status := s.textFault(c, kept.Query, err); status != 0 {
		return s.showForm(c, status, session, kept.Query, fault)
	}
	if err != nil && !errors.Is(err, queue.ErrTicketNotFound) {
		return err
	}
	return see(c, "/wait")
}

// postLeave is POST /leave: leaves the line, or passes the turn on.
func (s *Server) postLeave(c echo.Context) error {
	if session := s.session(c); session != "" {
		if err := s.leave(c.Request().Context(), session); err != nil {
			return err
		}
	}
	return see(c, "/")
}

// postAuto is POST /wait: keeps with the ticket whether its query starts by itself.
func (s *Server) postAuto(c echo.Context) error {
	fields, whole, err := readForm(c, formRest)
	auto := fields.Get("auto")
	switch {
	case err != nil:
		return err
	case !whole, auto != "on" && auto != "off":
		return errUnsupportedMediaType
	}
	if err := s.setAuto(c.Request().Context(), s.session(c), auto == "on"); err != nil {
		return err
	}
	if strings.Contains(c.Request().Header.Get(echo.HeaderAccept), echo.MIMETextHTML) {
		return see(c, "/wait")
	}
	return c.NoContent(http.StatusNoContent) // a script
}

// setAuto is harmless without a ticket.
func (s *Server) setAuto(ctx context.Context, session string, on bool) error {
	v, err := s.peek(ctx, session)
	if v == nil {
		return err
	}
	err = s.o.Controller.Keep(ctx, session, queue.Kept{Query: v.Kept.Query, AutoStart: on})
	if errors.Is(err, queue.ErrTicketNotFound) {
		return nil
	}
	return err
}
