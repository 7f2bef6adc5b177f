package web

import (
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"runtime/debug"

	"github.com/labstack/echo/v4"

	"confluence/views/i18n"
)

// securityPolicy allows what the pages are made of, all from here: nothing inline, nothing from elsewhere, no frame around them.
const securityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// requestID is the id that nameRequest has given the request: it stands in the header of the answer.
func requestID(c echo.Context) string { return c.Response().Header().Get(echo.HeaderXRequestID) }

// nameRequest gives each request an id, for its answer and the log. A proxy's own is taken if it looks like one.
func (s *Server) nameRequest(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		id := c.Request().Header.Get(echo.HeaderXRequestID)
		if !isRequestID(id) {
			id = newRequestID()
		}
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		return next(c)
	}
}

func newRequestID() string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	id := [20]byte{'r', 'e', 'q', '_'}
	random := id[4:]
	_, _ = rand.Read(random) // never errs
	for i, b := range random {
		random[i] = letters[b&31]
	}
	return string(id[:])
}

func isRequestID(id string) bool {
	if len(id) < 8 || len(id) > 64 {
		return false
	}
	for _, r := range id {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
		default:
			return false
		}
	}
	return true
}

// recoverPanic makes a panic an internal error. Where the answer has begun only the connection can tell that something broke.
func (s *Server) recoverPanic(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if v == http.ErrAbortHandler { // meant as it is
				panic(v)
			}
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
			if c.Response().Committed {
				s.log.Error("a request failed", "request_id", requestID(c), "path", logPath(c.Request()), "err", err)
				panic(http.ErrAbortHandler)
			}
		}()
		return next(c)
	}
}

// boundBody gives a body its time to arrive, also where nobody reads it: net/http reads on after the answer, to use the connection again, and
// would wait for ever. Who reads a body takes the deadline away afterwards.
func (s *Server) boundBody(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if body := c.Request().Body; body != nil && body != http.NoBody {
			_ = http.NewResponseController(c.Response()).SetReadDeadline(s.now().Add(bodyTimeout)) // what can't have one is no network connection
		}
		return next(c)
	}
}

// maxURLBytes bounds an address with its query string. No address that is served comes near.
const maxURLBytes = 8 << 10

// boundURL refuses an address that nobody means.
func (s *Server) boundURL(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if len(c.Request().RequestURI) > maxURLBytes {
			return refuse(errURLTooLong, i18n.Msg("problem.url_too_long.most", "most", i18n.Bytes(maxURLBytes)))
		}
		return next(c)
	}
}

// securityHeader is what each answer has. The values are shared by all answers: whoever sets another replaces the slice, and nobody writes into
// it. That saves six allocations a request.
var securityHeader = http.Header{
	echo.HeaderContentSecurityPolicy: {securityPolicy},
	echo.HeaderXContentTypeOptions:   {"nosniff"},
	echo.HeaderReferrerPolicy:        {"same-origin"}, // forms must be able to say where they come from
	"Cross-Origin-Opener-Policy":     {"same-origin"},
	"Cross-Origin-Resource-Policy":   {"same-origin"},
	echo.HeaderCacheControl:          {"no-store"},
}

// secure sets the headers that each answer has. Answers are private unless a handler says otherwise.
func (s *Server) secure(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		maps.Copy(c.Response().Header(), securityHeader)
		return next(c)
	}
}
