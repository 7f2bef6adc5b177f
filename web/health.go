package web

import (
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"confluence/queue"
)

// healthz says that the process lives.
func (s *Server) healthz(c echo.Context) error {
	return sendJSON(c, http.StatusOK, struct {
		Status string `json:"status"`
	}{"ok"})
}

// readyz says whether the server takes visitors, and which part is the reason if it doesn't.
func (s *Server) readyz(c echo.Context) error {
	answer := struct {
		Status string            `json:"status"`
		Parts  map[string]string `json:"parts"`
	}{"ready", map[string]string{"server": "ok", "line": "ok", "runner": "ok"}}
	status := http.StatusOK
	refuse := func(part, why string) {
		answer.Status, answer.Parts[part], status = "not_ready", why, http.StatusServiceUnavailable
	}
	p, err := s.o.Controller.Picture(c.Request().Context())
	switch {
	case err != nil:
		s.log.Error("the line does not answer", "request_id", requestID(c), "err", err)
		refuse("line", "not answering")
	default:
		answer.Parts["runner"] = string(p.Runner) // people can wait for a runner that is away
		if why := s.progress.trouble(p, s.now(), s.o.Controller.Config().Reservation); why != "" {
			refuse("line", why)
		}
	}
	if s.draining.Load() {
		refuse("server", "stopping")
	}
	return sendJSON(c, status, answer)
}

// unsavedFor: a line that could not be saved counts as one that can't for so long. Then it is tried again by whoever comes.
const unsavedFor = 15 * time.Second

// progress is what readiness knows of whether the line moves.
type progress struct {
	mu      sync.Mutex
	unsaved time.Time // when a change could not be saved last; zero: never
	still   time.Time // since when somebody has been waiting before an idle slot; zero: nobody is
}

// refused says that a change of the line could not be saved.
func (g *progress) refused(now time.Time) {
	g.mu.Lock()
	g.unsaved = now
	g.mu.Unlock()
}

// trouble is why the line does not move; empty if it does. Somebody who waits before an idle slot for a whole reservation is trouble.
func (g *progress) trouble(p queue.Picture, now time.Time, reservation time.Duration) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	idle := len(p.Serving)+len(p.Called) < p.Slots
	switch {
	case !idle || p.Length == 0 || p.Paused || p.Runner == queue.RunnerUnavailable:
		g.still = time.Time{}
	case g.still.IsZero():
		g.still = now
	case now.Sub(g.still) >= reservation:
		return "nobody is called, though a slot is idle"
	}
	if !g.unsaved.IsZero() && now.Sub(g.unsaved) < unsavedFor {
		return "can't be saved"
	}
	return ""
}
