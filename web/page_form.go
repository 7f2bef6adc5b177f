package web

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"confluence/queue"
	"confluence/queue/runner"
	"confluence/views"
)

// pageForm is GET /: what the line is like, and the form. Looking makes no ticket.
func (s *Server) pageForm(c echo.Context) error {
	session, err := s.ensureSession(c)
	if err != nil {
		return err
	}
	text := s.presenter(c).example(c.QueryParam("example"))
	if again := c.QueryParam("again"); again != "" {
		if x, ok := s.runs.get(session, again); ok {
			text = x.state().Query
		}
	}
	return s.showForm(c, http.StatusOK, session, text, views.Fault{})
}

func (s *Server) showForm(c echo.Context, status int, session, text string, fault views.Fault) error {
	ctx := c.Request().Context()
	picture, err := s.o.Controller.Picture(ctx)
	if err != nil {
		return err
	}
	v, err := s.peek(ctx, session)
	if err != nil {
		return err
	}
	if text == "" && fault.Heading == "" && v != nil {
		text = v.Kept.Query // who comes back finds what they wrote
	}
	return s.render(c, status, views.FormPage(s.presenter(c).form(picture, v, text, fault)))
}

// postQuery is POST /query: runs the text if the runner is free, else joins the line with it. A text with a mistake moves nothing.
func (s *Server) postQuery(c echo.Context) error {
	sent, unfit := s.formText(c)
	if unfit != nil && !errors.Is(unfit, errTooLarge) {
		return unfit
	}
	cookieless := sent.page && s.session(c) == ""
	session, err := s.ensureSession(c)
	if err != nil {
		return err
	}
	if cookieless { // a ticket would be nobody's
		return s.showForm(c, http.StatusForbidden, session, sent.text, s.presenter(c).noCookie())
	}
	if fault, status := s.textFault(c, sent.text, unfit); status != 0 {
		return s.showForm(c, status, session, sent.text, fault)
	}
	settled, err := s.admit(c, session, true)
	if errors.Is(err, errRateLimited) {
		return s.showCrowded(c, session, sent.text, err)
	}
	if err != nil {
		return err
	}
	where, err := s.ask(c.Request().Context(), session, sent.text)
	settled()
	fault, status := s.textFault(c, sent.text, err)
	switch {
	case err == nil:
		return see(c, where)
	case status != 0:
		return s.showForm(c, status, session, sent.text, fault)
	case errors.Is(err, queue.ErrQueueFull):
		return s.showFull(c, sent.text)
	}
	return err
}

// textFault is what a page says of a text that was refused with err, and its status; 0: err is no fault of the text.
func (s *Server) textFault(c echo.Context, text string, err error) (fault views.Fault, status int) {
	var mistake *runner.RejectedError
	switch p := s.presenter(c); {
	case errors.As(err, &mistake):
		fault = p.rejected(mistake.Detail)
	case errors.Is(err, errInvalidQuery):
		fault = p.emptyText()
	case errors.Is(err, errNoRoomForText): // a kind of errTooLarge
		fault = p.textNotKept()
	case errors.Is(err, errTooLarge):
		fault = p.tooLong(len(text))
	default:
		return fault, 0
	}
	s.metrics.refused(err)
	return fault, problemFor(err).Status
}

// ask runs the text, or joins with it, and says which page shows the truth. A session whose run is going is led there, and one that waits
// has its text replaced.
func (s *Server) ask(ctx context.Context, session, text string) (where string, err error) {
	kept := queue.Kept{Query: text, AutoStart: true}
	v, err := s.peek(ctx, session)
	switch {
	case err != nil:
		return "", err
	case v != nil && v.Status == queue.Running:
		return runAddress(v.RunID), nil
	case v != nil:
		kept.AutoStart = v.Kept.AutoStart
	}
	if err := s.o.Controller.ForgetLapse(ctx, session); err != nil {
		return "", err
	}
	// Who is refused because of others joins; if they have gone meanwhile the turn is there, and the second start takes it.
	for range 2 {
		x, err := s.runs.start(ctx, session, text, false)
		if err == nil {
			return runAddress(x.id), nil
		}
		if !refusedForNow(err) {
			return "", err
		}
		joined, err := s.join(ctx, session, kept)
		if err != nil {
			return "", err
		}
		if joined.Status == queue.Running { // the same form, sent twice
			return runAddress(joined.RunID), nil
		}
		if joined.Status == queue.Queued {
			break
		}
	}
	return "/wait", nil
}

// refusedForNow tells whether a start was refused for a reason that waiting in line helps against.
func refusedForNow(err error) bool {
	for _, reason := range []error{queue.ErrBusy, queue.ErrReservationExpired, queue.ErrRunnerUnavailable, runner.ErrUnavailable} {
		if errors.Is(err, reason) {
			return true
		}
	}
	return false
}

// showCrowded says that enough have come from the visitor's address, and keeps the text.
func (s *Server) showCrowded(c echo.Context, session, text string, err error) error {
	s.metrics.refused(err)
	of := problemFor(err)
	setProblemHeader(c, of)
	return s.showForm(c, of.Status, session, text, s.presenter(c).crowded())
}

// showFull says that the line takes no more, and keeps the text.
func (s *Server) showFull(c echo.Context, text string) error {
	picture, err := s.o.Controller.Picture(c.Request().Context())
	if err != nil {
		return err
	}
	s.metrics.refused(queue.ErrQueueFull)
	of := problemFor(queue.ErrQueueFull)
	c.Response().Header().Set(echo.HeaderRetryAfter, strconv.Itoa(of.RetryAfter))
	return s.render(c, of.Status, views.FullPage(s.presenter(c).full(picture, text, of.RetryAfter)))
}
