package web

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"confluence/queue"
	"confluence/queue/runner"
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
	errResultGone           = errors.New("the result of this key's run is not kept any more")
)

// refusal is a sentinel with more to tell: words for the client in place of the table's, or a state beside them.
type refusal struct {
	err      error
	detail   string      // "": the table's
	standing *queue.View // the caller's view, of busy
	runID    string      // the run that it is about
	after    int         // seconds for Retry-After in place of the table's; 0: the table's
}

func (r *refusal) Error() string { return r.err.Error() + ": " + r.detail }
func (r *refusal) Unwrap() error { return r.err }

// refuse gives err words of its own.
func refuse(err error, detail string) error { return &refusal{err: err, detail: detail} }

// problem is an error as its reader gets it: a Problem Details document, or a page.
type problem struct {
	Code       string
	Status     int
	Title      string
	Detail     string       // what to do, for this case
	About      string       // what the code means in general, for its page
	RetryAfter int          // seconds, jittered; 0 where waiting doesn't help
	Standing   *queue.View  // the caller's view, of busy
	Ended      *queue.Ended // what became of the ticket, of ticket_not_found
	RunID      string       // the run that it is about
}

// problemCode is a row of the table.
type problemCode struct {
	code     string
	status   int
	title    string
	detail   string
	about    string
	retryMin int // seconds; Retry-After is spread evenly from retryMin to retryMax
	retryMax int
}

// problemCodes is every error that the API can give. Each has its page, /problems/{code}.
var problemCodes = []problemCode{
	{code: "busy", status: http.StatusConflict, title: "It is not your turn yet",
		detail:   "Join with POST /api/v1/queue/join, follow GET /api/v1/queue/status, and send the query again when status is ready.",
		about:    "The runner serves others at the moment, or others wait before you. Nothing has changed: who has a ticket keeps its place, and it is in the answer as standing. Who has none gets one by joining.",
		retryMin: 5, retryMax: 15},
	{code: "cross_site", status: http.StatusForbidden, title: "The request comes from another site",
		detail: "Open Confluence at its own address and send the request from there. If you were there, tell the operator to set CONFLUENCE_WEB_PUBLIC_URL to the address that you see.",
		about:  "A browser said that a page of another site made this request. So that no other site can act in your name nothing was done. If you were at Confluence’s own address, a proxy before it changes the host name: its operator must have the proxy pass the Host header on, or set CONFLUENCE_WEB_PUBLIC_URL to the address that you see."},
	{code: "idempotency_conflict", status: http.StatusUnprocessableEntity, title: "The key was used with another query",
		detail: "Use a new Idempotency-Key for each query. Nothing was run.",
		about:  "An Idempotency-Key stands for one query of one session. This key was sent before, with another text, so nothing was done. The run that it stands for is as it was."},
	{code: "internal", status: http.StatusInternalServerError, title: "Something broke on our side",
		detail: "Try once more. If it happens again tell the operator the request id.",
		about:  "The server made a mistake. Your ticket, if you have one, is as it was. The request id finds the mistake in the operator’s log."},
	{code: "invalid_idempotency_key", status: http.StatusBadRequest, title: "The Idempotency-Key can’t be one",
		detail: "Send a key of 1 to 255 printable characters of ASCII, such as a UUID.",
		about:  "The Idempotency-Key header must have 1 to 255 printable characters of ASCII, and be there once. Nothing was done."},
	{code: "invalid_json", status: http.StatusBadRequest, title: "The body is not valid JSON",
		detail: `Send a JSON object in UTF-8, such as {"query": "…"}.`,
		about:  "The body could not be read as the JSON object that the call takes. Nothing was done."},
	{code: "invalid_query", status: http.StatusUnprocessableEntity, title: "There is no query",
		detail: `Send the text as {"query": "…"}, or keep one with your ticket when you join.`,
		about:  "The query is empty, and none was kept when joining. Nothing was done, and no turn was used."},
	{code: "invalid_token", status: http.StatusUnauthorized, title: "The bearer token is not valid",
		detail: "Get a new one with POST /api/v1/session, or send none and keep the cookie.",
		about:  "The Authorization header holds a token that this server did not give, or gave more than 30 days ago."},
	{code: "method_not_allowed", status: http.StatusMethodNotAllowed, title: "This address does not take that method",
		detail: "Use one of the methods in the Allow header.",
		about:  "The address exists, but not for this method. The Allow header names those that it takes."},
	{code: "not_found", status: http.StatusNotFound, title: "Nothing is here",
		detail: "Check the address. A run is there for its owner alone, and only for a while after its end.",
		about:  "There is nothing at this address, at least not for this session. Somebody else’s run and one that is gone look the same."},
	{code: "query_rejected", status: http.StatusUnprocessableEntity, title: "The query has a mistake",
		detail: "Mend the query and send it again.",
		about:  "The runner looked at the query without running it and found a mistake, told in its own words. No turn was used."},
	{code: "queue_full", status: http.StatusServiceUnavailable, title: "The line is full",
		detail:   "Join again after the time in Retry-After. A place is free as soon as one person leaves.",
		about:    "As many wait as may wait. You have no ticket yet; one is free as soon as one person leaves or is served.",
		retryMin: 5, retryMax: 20},
	{code: "rate_limited", status: http.StatusTooManyRequests, title: "Too many requests",
		detail:   "Wait for the time in Retry-After, then go on more slowly.",
		about:    "More requests came from you than one visitor needs. A ticket that you have is safe.",
		retryMin: 5, retryMax: 15},
	{code: "reservation_expired", status: http.StatusConflict, title: "Your turn has passed",
		detail: "Join again with POST /api/v1/queue/join. Your query did not run.",
		about:  "You were called, but the time to begin ran out, and the next person was called. Your query did not run. Join again to get a new ticket."},
	{code: "restarting", status: http.StatusServiceUnavailable, title: "Confluence is restarting",
		detail:   "Send the request again after the time in Retry-After.",
		about:    "The server is going down or coming up and takes nothing new for a moment.",
		retryMin: 2, retryMax: 10},
	{code: "result_gone", status: http.StatusGone, title: "The result is not kept any more",
		detail: "Send the query with a new Idempotency-Key to run it again.",
		about:  "The query of this Idempotency-Key has run, and its result has been dropped since: results are kept for a while, and only so many. So that the query doesn’t run twice unasked it was not run again."},
	{code: "run_cancelled", status: http.StatusConflict, title: "The run was cancelled",
		detail: "Send the query again if you still want its answer.",
		about:  "The run was stopped by its owner, or because nobody was there any more to read the answer."},
	{code: "run_failed", status: http.StatusBadGateway, title: "The run failed",
		detail: "Send the query again. If it fails again tell the operator the request id.",
		about:  "The runner began with the query and could not finish it. What it had written until then can be read at the run’s address."},
	{code: "run_in_progress", status: http.StatusConflict, title: "The run of this key is still going",
		detail:   "Send the same request again after the time in Retry-After to get its result.",
		about:    "A request with the same Idempotency-Key has begun a run that has not ended. Nothing was started a second time.",
		retryMin: 2, retryMax: 6},
	{code: "run_interrupted", status: http.StatusConflict, title: "The run of this key was interrupted",
		detail: "Send the query with a new Idempotency-Key to run it again.",
		about:  "The query of this Idempotency-Key had begun to run when the server stopped. Whether it had done all that it was to do isn’t known, so it was not run again unasked. What is known of the run can be read at its address."},
	{code: "run_timed_out", status: http.StatusGatewayTimeout, title: "The run took too long",
		detail: "Ask for less at a time and send the query again.",
		about:  "The run reached the time limit and was stopped. What it had written until then can be read at the run’s address."},
	{code: "runner_unavailable", status: http.StatusServiceUnavailable, title: "The runner is not answering",
		detail:   "Keep your ticket; nobody loses a place meanwhile. Send the request again after the time in Retry-After.",
		about:    "What executes the queries can’t serve at the moment. Nobody loses a place or a turn; when it is back each turn gets its full time again.",
		retryMin: 5, retryMax: 15},
	{code: "store_unavailable", status: http.StatusServiceUnavailable, title: "The line can’t be saved at the moment",
		detail:   "Nothing was changed. Send the request again after the time in Retry-After; who has a ticket keeps the place.",
		about:    "What a visitor is promised is written to the disk first, and that fails at the moment; perhaps the disk is full. Nothing was changed, and every place is kept. It goes on by itself as soon as the disk takes it.",
		retryMin: 5, retryMax: 15},
	{code: "ticket_not_found", status: http.StatusNotFound, title: "You have no ticket",
		detail: "Join with POST /api/v1/queue/join.",
		about:  "This session has no ticket. The reason says what became of the last one: left, reservation_expired, heartbeat_lost, finished, or none if none is remembered. A client that doesn’t keep the cookie is a new session each time."},
	{code: "too_large", status: http.StatusRequestEntityTooLarge, title: "The query is too large",
		detail: "Send a shorter query.",
		about:  "The query is longer than this server takes. Nothing was done."},
	{code: "url_too_long", status: http.StatusRequestURITooLong, title: "The address is too long",
		detail: "An address may have at most " + sizeWords(maxURLBytes) + ". Send what is long in the body of a POST.",
		about:  "The address, with what stands behind its question mark, is longer than any that is served here. Nothing was done."},
	{code: "unsupported_media_type", status: http.StatusUnsupportedMediaType, title: "The body must be JSON",
		detail: "Send it with Content-Type: application/json.",
		about:  "The call takes JSON, and the Content-Type header says that the body is something else. Nothing was done."},
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
		p.Detail = rejected.Detail
	case errors.As(err, &failed) && failed.Detail != "":
		p.Detail = failed.Detail
	case errors.Is(err, queue.ErrRunDisconnected):
		p.Detail = "Nobody was there any more to read the answer. Send the query again if you still want it."
	case errors.Is(err, queue.ErrRunInterrupted):
		p.Detail = "The server stopped during the run. Send the query again."
	}
	var missing *queue.NotFoundError
	if errors.As(err, &missing) {
		ended := missing.Ended
		p.Ended, p.RunID = &ended, ended.RunID
		p.Detail = endedDetail(ended)
	}
	var r *refusal
	if errors.As(err, &r) {
		if r.detail != "" {
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
	p := problem{Code: row.code, Status: row.status, Title: row.title, Detail: row.detail, About: row.about}
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
func endedDetail(e queue.Ended) string {
	switch e.Reason {
	case queue.ReasonLeft:
		return "You left the line. Join with POST /api/v1/queue/join to get a new ticket."
	case queue.ReasonLapsed:
		return "You were called, but the time to begin ran out. Your query did not run. Join again with POST /api/v1/queue/join."
	case queue.ReasonHeartbeatLost:
		return "Nothing was heard from you for too long, so your place went to the next person. Join again, and then ask for the status every poll_after_seconds."
	case queue.ReasonFinished:
		return "Your run has ended; read it at /api/v1/runs/" + e.RunID + ". Join again for another."
	default:
		return "Join with POST /api/v1/queue/join first, and send the cookie or the token that you got with every call: without it you are somebody new each time."
	}
}
