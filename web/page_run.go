package web

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"confluence/views"
)

// cancelPatience is how long the answer to a cancel waits for the run's end, so that the page after it shows the end already.
const cancelPatience = time.Second

// pageRun is GET /runs/:id: the owner's run while it goes, and its answer after that. It counts as watching.
func (s *Server) pageRun(c echo.Context) error {
	session := s.session(c)
	x, ok := s.runs.get(session, c.Param("id"))
	if !ok {
		return errNotFound
	}
	x.touch()
	ctx := c.Request().Context()
	if err := s.o.Controller.Seen(ctx, session); err != nil {
		return err
	}
	st, rows, err := x.show(pageRows, pageText)
	if err != nil {
		s.logUnreadable(c, x, err)
		return errNotFound
	}
	if !st.Going {
		return s.render(c, http.StatusOK, views.ResultPage(s.presenter(c).result(st, rows)))
	}
	picture, err := s.o.Controller.Picture(ctx)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, views.RunPage(s.presenter(c).run(st, rows, picture)))
}

// pageRuns is GET /runs: the visitor's own runs. It counts as watching none of them.
func (s *Server) pageRuns(c echo.Context) error {
	var states []runState
	for _, x := range s.runs.of(s.session(c)) {
		states = append(states, x.state())
	}
	return s.render(c, http.StatusOK, views.RunsPage(s.presenter(c).ownRuns(states)))
}

// postCancel is POST /runs/:id/cancel. Twice is harmless.
func (s *Server) postCancel(c echo.Context) error {
	x, ok := s.runs.get(s.session(c), c.Param("id"))
	if !ok {
		return errNotFound
	}
	x.cancel()
	ctx, cancel := context.WithTimeout(c.Request().Context(), cancelPatience)
	defer cancel()
	x.wait(ctx)
	return see(c, runAddress(x.id))
}
