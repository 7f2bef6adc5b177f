package web

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"confluence/queue"
	"confluence/views"
	"confluence/views/i18n"
)

// registerPages adds the pages, their forms and their sockets. Everything that changes something is a POST, answered with a redirect to the
// page that shows the truth, or with the page that says why nothing changed.
func (s *Server) registerPages(e *echo.Echo) {
	get(e, "/", s.pageForm)
	get(e, "/wait", s.pageWait)
	get(e, "/runs", s.pageRuns)
	get(e, "/runs/:id", s.pageRun)
	get(e, "/kiosk", s.pageKiosk)
	get(e, joinCodePath, s.serveJoinCode)
	get(e, "/problems/:code", s.pageProblem)
	e.POST("/language", s.postLanguage)
	e.POST("/query", s.postQuery)
	e.POST("/claim", s.postClaim)
	e.POST("/leave", s.postLeave)
	e.POST("/wait", s.postAuto)
	e.POST("/runs/:id/cancel", s.postCancel)
	e.GET("/live", s.liveStanding)
	e.GET("/live/kiosk", s.liveKiosk)
}

func (s *Server) presenter(c echo.Context) presenter {
	return presenter{
		lang:       s.language(c),
		here:       here(c),
		about:      s.o.Runner.Describe(),
		line:       s.o.Controller.Config(),
		maxQuery:   s.o.MaxQueryBytes,
		runTimeout: s.runs.timeout,
		unwatched:  s.runs.unwatched,
		kept:       s.runs.ttl,
		lasting:    s.o.Lasting,
	}
}

// render makes the whole page before the first byte of the answer, so that a page is whole or an error.
func (s *Server) render(c echo.Context, status int, page templ.Component) error {
	var b bytes.Buffer
	l := s.language(c)
	if err := page.Render(i18n.With(views.WithBrand(c.Request().Context(), s.brand), l), &b); err != nil {
		return err
	}
	speaks(c, l)
	c.Response().Header().Add(echo.HeaderVary, echo.HeaderCookie)
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store") // Back asks again, and so shows what is true now
	return c.HTMLBlob(status, b.Bytes())
}

// see answers a POST: the page at address shows the truth.
func see(c echo.Context, address string) error {
	return c.Redirect(http.StatusSeeOther, views.Address(c.Request().Context(), address))
}

// peek is the session's ticket; nil without one.
func (s *Server) peek(ctx context.Context, session string) (*queue.View, error) {
	if session == "" {
		return nil, nil
	}
	v, err := s.o.Controller.Peek(ctx, session)
	switch {
	case errors.Is(err, queue.ErrTicketNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &v, nil
}

// pageProblem is GET /problems/:code.
func (s *Server) pageProblem(c echo.Context) error {
	code := c.Param("code")
	if _, ok := problemIndex[code]; !ok {
		return errNotFound
	}
	page := s.presenter(c).problemDoc(problemOf(code))
	return s.render(c, http.StatusOK, views.ProblemDocPage(page))
}

// pageError answers a request for a page that went wrong, with the status of the error's code.
func (s *Server) pageError(c echo.Context, status int, err error) error {
	of := problemFor(err)
	at := problemAt{requestID: requestID(c), now: s.now(), reload: here(c)}
	// What became of the ticket is good to know, and no reason to fail again.
	at.standing, _ = s.peek(c.Request().Context(), s.session(c))
	if of.RetryAfter > 0 { // spread anew: the page and the header say the same
		c.Response().Header().Set(echo.HeaderRetryAfter, strconv.Itoa(of.RetryAfter))
	}
	words := presenter{lang: s.language(c), here: here(c), kept: s.runs.ttl, lasting: s.o.Lasting} // asks no other part, which may be what is broken
	return s.render(c, status, views.ProblemPage(words.problem(of, at)))
}
