package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"confluence/queue/runner"
)

// stopped is the error of a run that its context ended.
func stopped(ctx context.Context) error {
	return fmt.Errorf("openai: stopped: %w", context.Cause(ctx))
}

// quiet takes the key out of what the server or a library says.
func (r *Runner) quiet(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if r.options.Key == "" {
		return text
	}
	return strings.ReplaceAll(text, r.options.Key, "[key]")
}

func (r *Runner) failed(detail, log string) error {
	return &runner.FailedError{Detail: detail, Log: r.quiet(log)}
}

// unreachable is the error of a server that no connection could be made to: nothing was asked.
func (r *Runner) unreachable(err error) error {
	return &runner.UnavailableError{Log: r.quiet(fmt.Sprintf("can't connect to the model's server: %v", err))}
}

// broken is the error of an answer that is not whole.
func (r *Runner) broken(ctx context.Context, err error) error {
	log := fmt.Sprint(err)
	var told *ssestream.StreamError
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errSilent):
		return r.failed(fmt.Sprintf("The model’s server said nothing for %v, so the run was stopped.", r.options.MaxSilence), log)
	case errors.Is(cause, errTooLong):
		return r.failed(fmt.Sprintf("The model was still answering after %v, so the run was stopped.", r.options.MaxTime), log)
	case errors.Is(err, errTooMuch):
		return r.failed("The model’s server sent more than an answer can be, so the run was stopped.", log)
	case errors.As(err, &told):
		return r.failed("The model’s server broke the answer off with an error.", log)
	case err == nil:
		return r.failed("The model’s answer broke off before its end.", "the stream ended without finish_reason and [DONE]")
	}
	return r.failed("The connection to the model’s server broke before the answer was whole.", log)
}

// finished is the end of an answer for the reason that the model gave.
func (r *Runner) finished(reason string, out runner.Sink) error {
	switch reason {
	case "length":
		out.Truncated("The model stopped at its limit of tokens, so the answer may end in the middle.")
	case "content_filter":
		out.Truncated("A content filter of the model’s server withheld the rest of the answer.")
	case "error", "abort": // not in the protocol, but some servers say so
		return r.failed("The model’s server gave the answer up.", "finish_reason "+reason)
	}
	return nil
}

// refusal is the error of a response that is no stream.
func (r *Runner) refusal(response *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(response.Body, refusalBodyBytes))
	log := fmt.Sprintf("the model's server answered %s with %q: %s", response.Status, response.Header.Get("Content-Type"), body)
	const ours = " This is a fault on our side, not in your query."
	switch status := response.StatusCode; {
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		return &runner.UnavailableError{RetryAfter: retryAfter(response.Header), Log: r.quiet(log)}
	case status < http.StatusBadRequest:
		if location := response.Header.Get("Location"); location != "" {
			log += " (redirects are not followed; this one leads to " + location + ")"
		}
		return r.failed("The model’s server answered with something else than a stream of text."+ours, log)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return r.failed("The model’s server didn’t let us in."+ours, log)
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return r.failed("The model was not found on its server."+ours, log+" (is the base URL right, with /v1?)")
	case status == http.StatusBadRequest, status == http.StatusRequestEntityTooLarge, status == http.StatusUnprocessableEntity:
		return r.failed("The model’s server refused the query. It may be too long for the model: try a shorter one.", log)
	case status < http.StatusInternalServerError:
		return r.failed("The model’s server refused the query.", log)
	}
	return r.failed("The model’s server failed. Try again later.", log)
}

// retryAfter is how long a server asks us to wait: a number of seconds, or a time that is compared with the server's own. 0 if it doesn't say.
func retryAfter(header http.Header) time.Duration {
	const most = 24 * time.Hour
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		if !(seconds > 0) { // not a number, too
			return 0
		}
		return time.Duration(min(seconds, most.Seconds()) * float64(time.Second))
	}
	at, err := http.ParseTime(value)
	now, err2 := http.ParseTime(header.Get("Date"))
	if err != nil || err2 != nil {
		return 0
	}
	return max(0, min(at.Sub(now), most))
}
