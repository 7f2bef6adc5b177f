package web

import (
	"context"
	"math"
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
	st := x.state()
	rows := x.rows(0, min(pageRows, st.RowCount))
	if !st.Going {
		return s.render(c, http.StatusOK, views.ResultPage(s.presenter().result(st, rows)))
	}
	picture, err := s.o.Controller.Picture(ctx)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, views.RunPage(s.presenter().run(st, rows, picture)))
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
	x.awaitEnd(ctx)
	return see(c, runAddress(x.id))
}

// awaitEnd waits until the run's end is told, or ctx ends.
func (x *run) awaitEnd(ctx context.Context) {
	for {
		p, changed := x.answer.read(math.MaxInt32) // behind all that can come
		if p.end || changed == nil {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
