package web

import (
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

const logLongest = 300 // bytes of a path or a header in the log

// logRequest writes one line a request. It answers errors itself, to know the status. There is nothing in the line that lets its reader in,
// and nothing that a visitor asks: no header, no query string, no body.
func (s *Server) logRequest(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := s.now()
		r, w := c.Request(), c.Response()
		cut := true
		defer func() {
			s.log.Info("request", "request_id", requestID(c), "method", printable(r.Method), "path", logPath(r), "status", w.Status,
				"bytes", w.Size, "seconds", s.now().Sub(start).Round(time.Microsecond).Seconds(), "peer", c.RealIP(), "cut", cut)
		}()
		if err := next(c); err != nil {
			c.Error(err)
		}
		cut = false
		return nil
	}
}

// logPath is the path as it stood in the request, in ASCII, without the query string.
func logPath(r *http.Request) string { return printable(r.URL.EscapedPath()) }

// printable is a text that a visitor sent, for a line of the log: short, without characters that a terminal or a reader of lines obeys.
func printable(text string) string {
	if len(text) > logLongest {
		text = text[:logLongest] + "..."
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
}
