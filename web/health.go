package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
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
	}
	if s.draining.Load() {
		refuse("server", "stopping")
	}
	return sendJSON(c, status, answer)
}
