package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"confluence/queue"
	"confluence/views"
)

// problemDocument is a problem as application/problem+json (RFC 9457).
type problemDocument struct {
	Type       string          `json:"type"`
	Title      string          `json:"title"`
	Status     int             `json:"status"`
	Code       string          `json:"code"`
	Detail     string          `json:"detail"`
	RequestID  string          `json:"request_id"`
	RetryAfter int             `json:"retry_after_seconds,omitempty"`
	Reason     queue.Reason    `json:"reason,omitempty"` // of ticket_not_found
	RunID      string          `json:"run_id,omitempty"`
	Outcome    queue.Outcome   `json:"outcome,omitempty"` // of a ticket that finished
	Standing   json.RawMessage `json:"standing,omitempty"`
}

// problem answers with the Problem Details of err.
func (s *Server) problem(c echo.Context, err error) error {
	return s.sendProblem(c, problemFor(err), err)
}

// sendProblem answers with p; err is what the log says of an internal one.
func (s *Server) sendProblem(c echo.Context, p problem, err error) error {
	s.logInternal(c, p, err)
	l := s.language(c)
	speaks(c, l)
	document := problemDocument{
		Type: views.Address(c.Request().Context(), "/problems/"+p.Code), Title: l.Tell(p.Title), Status: p.Status, Code: p.Code, Detail: l.Tell(p.Detail),
		RequestID: requestID(c), RetryAfter: p.RetryAfter, RunID: p.RunID,
	}
	if p.Ended != nil {
		document.Reason, document.Outcome = p.Ended.Reason, p.Ended.Outcome
	}
	if p.Standing != nil {
		document.Standing = appendView(nil, *p.Standing)
	}
	setProblemHeader(c, p)
	c.Response().Header().Set(echo.HeaderContentType, typeProblem)
	c.Response().WriteHeader(p.Status)
	return writeJSON(c.Response(), document)
}

// setProblemHeader sets what a refusal says in its header, on a page as well as on a document.
func setProblemHeader(c echo.Context, p problem) {
	header := c.Response().Header()
	if p.RetryAfter > 0 {
		header.Set(echo.HeaderRetryAfter, strconv.Itoa(p.RetryAfter))
	}
	if p.Status == http.StatusUnauthorized {
		header.Set(echo.HeaderWWWAuthenticate, `Bearer error="invalid_token"`)
	}
}

// logInternal is where a mistake of ours goes to; its reader gets the request id. Who has gone can't be answered, and that is no mistake.
func (s *Server) logInternal(c echo.Context, p problem, err error) {
	if p.Status == http.StatusInternalServerError && c.Request().Context().Err() == nil {
		s.log.Error("a request failed", "request_id", requestID(c), "method", c.Request().Method, "path", logPath(c.Request()), "err", err)
	}
}

// handleError answers for every handler that has returned an error.
func (s *Server) handleError(err error, c echo.Context) {
	if errors.Is(err, queue.ErrStore) {
		s.progress.refused(s.now())
	}
	if c.Response().Committed {
		return
	}
	if c.Request().Context().Err() == nil { // who has gone was told nothing
		s.metrics.refused(err)
	}
	if isAPI(c.Request().URL.Path) {
		_ = s.problem(c, err) // the client has gone, if it errs
		return
	}
	p := problemFor(err)
	s.logInternal(c, p, err)
	setProblemHeader(c, p)
	if broken := s.pageError(c, p.Status, err); broken != nil && !c.Response().Committed {
		s.log.Error("an error page could not be made", "request_id", requestID(c), "err", broken)
		l := s.language(c)
		_ = c.String(p.Status, l.Tell(p.Title)+". "+l.Tell(p.Detail)) // the client has gone, if it errs
	}
}

func isAPI(path string) bool { return path == "/api" || strings.HasPrefix(path, "/api/") }
