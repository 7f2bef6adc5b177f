package web

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"confluence/queue"
	"confluence/queue/runner"
	"confluence/views/i18n"
)

// The refusals that HTTP itself gives; those of the line and of the runner come from their packages.
var (
	errInvalidJSON          = errors.New("the body is not the JSON that this call takes")
	errInvalidQuery         = errors.New("there is no query text")
	errInvalidToken         = errors.New("the bearer token is not one of ours, or too old")
	errNotFound             = errors.New("nothing is here")
	errMethodNotAllowed     = errors.New("this address does not take that method")
	errTooLarge             = errors.New("the query is too large")
	errURLTooLong           = errors.New("the address is too long")
	errUnsupportedMediaType = errors.New("the body is of a type that this call does not take")
	errCrossSite            = errors.New("the request comes from another site")
	errRateLimited          = errors.New("the session sends too many requests")
	errRunInProgress        = errors.New("the run of this key is still going")
	errKeyConflict          = errors.New("the key was used with another query")
	errKeyInvalid           = errors.New("the idempotency key is none")
	errRunWasInterrupted    = errors.New("this key's run was interrupted")
	errInvalidNotice        = errors.New("the notice can't be one")
	errNoNotice             = fmt.Errorf("%w: it has no words", errInvalidNotice)
	errNoticeTooLong        = fmt.Errorf("%w: it is too long", errInvalidNotice)
	errResultGone           = errors.New("the result of this key's run is not kept any more")
)

// refusal is a sentinel with more to tell: words for the client in place of the table's, or a state beside them.
type refusal struct {
	err      error
	detail   i18n.Message // zero: the table's
	standing *queue.View  // the caller's view, of busy
	runID    string       // the run that it is about
	after    int          // seconds for Retry-After in place of the table's; 0: the table's
}

func (r *refusal) Error() string { return r.err.Error() + ": " + i18n.English.Tell(r.detail) }
func (r *refusal) Unwrap() error { return r.err }

// refuse gives err words of its own.
func refuse(err error, detail i18n.Message) error { return &refusal{err: err, detail: detail} }

// problem is an error as its reader gets it: a Problem Details document, or a page.
type problem struct {
	Code       string
	Status     int
	Title      i18n.Message
	Detail     i18n.Message // what to do, for this case
	About      i18n.Message // what the code means in general, for its page
	RetryAfter int          // seconds, jittered; 0 where waiting doesn't help
	Standing   *queue.View  // the caller's view, of busy
	Ended      *queue.Ended // what became of the ticket, of ticket_not_found
	RunID      string       // the run that it is about
}

// problemCode is a row of the table.
type problemCode struct {
	code     string
	status   int
	retryMin int // seconds; Retry-After is spread evenly from retryMin to retryMax
	retryMax int
}

// problemCodes is every error that the API can give. Each has its page, /problems/{code}, and in the catalogues its words, under
// problem.{code}: what it is, what to do (.detail), and what it means in general (.about).
var problemCodes = []problemCode{
	{code: "busy", status: http.StatusConflict, retryMin: 5, retryMax: 15},
	{code: "cross_site", status: http.StatusForbidden},
	{code: "idempotency_conflict", status: http.StatusUnprocessableEntity},
	{code: "internal", status: http.StatusInternalServerError},
	{code: "invalid_idempotency_key", status: http.StatusBadRequest},
	{code: "invalid_json", status: http.StatusBadRequest},
	{code: "invalid_notice", status: http.StatusUnprocessableEntity},
	{code: "invalid_query", status: http.StatusUnprocessableEntity},
	{code: "invalid_token", status: http.StatusUnauthorized},
	{code: "method_not_allowed", status: http.StatusMethodNotAllowed},
	{code: "not_found", status: http.StatusNotFound},
	{code: "query_rejected", status: http.StatusUnprocessableEntity},
	{code: "queue_full", status: http.StatusServiceUnavailable, retryMin: 5, retryMax: 20},
	{code: "rate_limited", status: http.StatusTooManyRequests, retryMin: 5, retryMax: 15},
	{code: "reservation_expired", status: http.StatusConflict},
	{code: "restarting", status: http.StatusServiceUnavailable, retryMin: 2, retryMax: 10},
	{code: "result_gone", status: http.StatusGone},
	{code: "run_cancelled", status: http.StatusConflict},
	{code: "run_failed", status: http.StatusBadGateway},
	{code: "run_in_progress", status: http.StatusConflict, retryMin: 2, retryMax: 6},
	{code: "run_timed_out", status: http.StatusGatewayTimeout},
	{code: "run_interrupted", status: http.StatusConflict},
	{code: "runner_unavailable", status: http.StatusServiceUnavailable, retryMin: 5, retryMax: 15},
	{code: "store_unavailable", status: http.StatusServiceUnavailable, retryMin: 5, retryMax: 15},
	{code: "ticket_not_found", status: http.StatusNotFound},
	{code: "too_large", status: http.StatusRequestEntityTooLarge},
	{code: "url_too_long", status: http.StatusRequestURITooLong},
	{code: "unsupported_media_type", status: http.StatusUnsupportedMediaType},
}

// problemIndex finds a row by its code.
var problemIndex = func() map[string]*problemCode {
	index := make(map[string]*problemCode, len(problemCodes))
	for i := range problemCodes {
		index[problemCodes[i].code] = &problemCodes[i]
	}
	return index
}()

// problemSentinels says which code an error has. The first that fits counts.
var problemSentinels = []struct {
	err  error
	code string
}{
	{queue.ErrTicketNotFound, "ticket_not_found"},
	{queue.ErrQueueFull, "queue_full"},
	{queue.ErrBusy, "busy"},
	{queue.ErrReservationExpired, "reservation_expired"},
	{queue.ErrRunnerUnavailable, "runner_unavailable"},
	{queue.ErrStopped, "restarting"},
	{queue.ErrStore, "store_unavailable"},
	{queue.ErrRunTimedOut, "run_timed_out"},
	{queue.ErrRunCancelled, "run_cancelled"},
	{queue.ErrRunDisconnected, "run_cancelled"},
	{queue.ErrRunInterrupted, "restarting"},
	{runner.ErrUnavailable, "runner_unavailable"},
	{errInvalidJSON, "invalid_json"},
	{errInvalidQuery, "invalid_query"},
	{errInvalidToken, "invalid_token"},
	{errNotFound, "not_found"},
	{errMethodNotAllowed, "method_not_allowed"},
	{errTooLarge, "too_large"},
	{errURLTooLong, "url_too_long"},
	{errUnsupportedMediaType, "unsupported_media_type"},
	{errCrossSite, "cross_site"},
	{errRateLimited, "rate_limited"},
	{errRunInProgress, "run_in_progress"},
	{errKeyConflict, "idempotency_conflict"},
	{errKeyInvalid, "invalid_idempotency_key"},
	{errInvalidNotice, "invalid_notice"},
	{errResultGone, "result_gone"},
	{errRunWasInterrupted, "run_interrupted"},
}

// problemFor is what a reader is told of err. What is not in the table is internal: its words stay in the log.
func problemFor(err error) problem {
	p := problemOf(codeOf(err))
	var rejected *runner.RejectedError
	var failed *runner.FailedError
	if wait := retryAfter(err); wait > 0 {
		p.RetryAfter = wholeSeconds(wait)
	}
	switch {
	case errors.As(err, &rejected):
		p.Detail = i18n.Verbatim(rejected.Detail)
	case errors.As(err, &failed) && failed.Detail != "":
		p.Detail = i18n.Verbatim(failed.Detail)
	case errors.Is(err, queue.ErrRunDisconnected):
		p.Detail = i18n.Msg("problem.run_cancelled.nobody")
	case errors.Is(err, queue.ErrRunInterrupted):
		p.Detail = i18n.Msg("problem.restarting.run")
	}
	var missing *queue.NotFoundError
	if errors.As(err, &missing) {
		ended := missing.Ended
		p.Ended, p.RunID = &ended, ended.RunID
		p.Detail = endedDetail(ended)
	}
	var r *refusal
	if errors.As(err, &r) {
		if !r.detail.IsZero() {
			p.Detail = r.detail
		}
		if r.standing != nil {
			p.Standing = r.standing
		}
		if r.runID != "" {
			p.RunID = r.runID
		}
		if r.after > 0 {
			p.RetryAfter = r.after
		}
	}
	return p
}

// problemOf is the table's row of a code, with a Retry-After of its own. An unknown code is internal.
func problemOf(code string) problem {
	row, ok := problemIndex[code]
	if !ok {
		row = problemIndex["internal"]
	}
	words := "problem." + row.code
	p := problem{Code: row.code, Status: row.status, Title: i18n.Msg(words), Detail: i18n.Msg(words + ".detail"), About: i18n.Msg(words + ".about")}
	if row.retryMax > 0 {
		p.RetryAfter = row.retryMin + rand.IntN(row.retryMax-row.retryMin+1)
	}
	return p
}

// retryAfter is when a runner that is away said that asking again may help; 0: it didn't.
func retryAfter(err error) time.Duration {
	var away *runner.UnavailableError
	if errors.As(err, &away) {
		return max(0, away.RetryAfter)
	}
	return 0
}

// wholeSeconds is d, rounded up.
func wholeSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

func codeOf(err error) string {
	for _, s := range problemSentinels {
		if errors.Is(err, s.err) {
			return s.code
		}
	}
	var rejected *runner.RejectedError
	var failed *runner.FailedError
	var routed *echo.HTTPError
	switch {
	case errors.As(err, &rejected):
		return "query_rejected"
	case errors.As(err, &failed):
		return "run_failed"
	case errors.As(err, &routed):
		switch routed.Code {
		case http.StatusNotFound:
			return "not_found"
		case http.StatusMethodNotAllowed:
			return "method_not_allowed"
		case http.StatusRequestEntityTooLarge:
			return "too_large"
		case http.StatusUnsupportedMediaType:
			return "unsupported_media_type"
		}
	}
	return "internal"
}

// endedDetail says what became of a ticket that is no more, and what to do.
func endedDetail(e queue.Ended) i18n.Message {
	switch e.Reason {
	case queue.ReasonLeft:
		return i18n.Msg("problem.ticket_not_found.left")
	case queue.ReasonLapsed:
		return i18n.Msg("problem.ticket_not_found.lapsed")
	case queue.ReasonHeartbeatLost:
		return i18n.Msg("problem.ticket_not_found.silent")
	case queue.ReasonFinished:
		return i18n.Msg("problem.ticket_not_found.finished", "path", "/api/v1/runs/"+e.RunID)
	default:
		return i18n.Msg("problem.ticket_not_found.none")
	}
}
