package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"confluence/queue/runner"
)

// Runner asks a language model. It has nothing to close.
type Runner struct {
	options Options
	client  openai.Client
}

const healthTimeout = 3 * time.Second

// New makes a runner; it doesn't connect. Errors: ErrOptions (wrapped).
func New(options Options) (*Runner, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	// Not openai.NewClient, which takes settings from the environment.
	client := openai.Client{Options: []option.RequestOption{
		option.WithHTTPClient(newHTTPClient()),
		option.WithBaseURL(options.URL),
		option.WithMaxRetries(0),
	}}
	if options.Key != "" {
		client.Options = append(client.Options, option.WithAPIKey(options.Key))
	}
	return &Runner{options: options, client: client}, nil
}

// Describe names the model.
func (r *Runner) Describe() runner.Description {
	return runner.Description{
		Title:    "Ask " + r.options.Model,
		Limits:   "Any text.",
		Language: "text",
		Markdown: true,
	}
}

// Check finds no mistakes: only the model knows what it takes.
func (r *Runner) Check(context.Context, runner.Query) error { return nil }

// Health asks the server for its models. It can serve if it answers, whatever it answers, but for a failure of its own. It takes 3 seconds at
// most.
func (r *Runner) Health(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	var response *http.Response
	err := r.client.Get(ctx, "models", nil, &response)
	if response == nil {
		return fmt.Errorf("the model's server can't be reached: %w", err)
	}
	response.Body.Close()
	if response.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("the model's server fails: %s", response.Status)
	}
	return nil
}

// Run asks the model and passes its answer on as it comes. Errors: *runner.UnavailableError if the server has no room or can't be connected
// to; *runner.FailedError if it refuses or breaks off; the cause of ctx (wrapped); the Sink's. An answer that is cut at MaxBytes, or by
// the model at its own limit, is no error.
func (r *Runner) Run(ctx context.Context, q runner.Query, out runner.Sink) error {
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	within, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer time.AfterFunc(r.options.MaxTime, func() { end(errTooLong) }).Stop()
	silence := time.AfterFunc(r.options.MaxSilence, func() { end(errSilent) })
	defer silence.Stop()

	var connected atomic.Bool
	asking := httptrace.WithClientTrace(within, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	var response *http.Response
	err := r.client.Post(asking, endpoint, r.question(q), &response, option.WithJSONSet("stream", true))
	silence.Stop()
	if response != nil {
		response.Body = &meter{
			ReadCloser: response.Body, blank: true, room: r.options.MaxBytes * bytesPerByte,
			silence: silence, limit: r.options.MaxSilence,
		}
		defer response.Body.Close()
	}
	switch {
	case ctx.Err() != nil:
		return stopped(ctx)
	case response == nil && !connected.Load():
		return r.unreachable(err)
	case response == nil:
		return r.broken(within, err)
	case response.StatusCode != http.StatusOK || !isStream(response):
		err = r.refusal(response)
		if ctx.Err() != nil {
			return stopped(ctx)
		}
		return err
	}
	a := newAnswer(response, out, r.options.MaxBytes, end)
	err = a.pass(within.Done())
	switch {
	case errors.Is(err, runner.ErrTextFull):
		return nil
	case err != nil:
		return err
	case a.whole():
		return r.finished(a.reason, out)
	case ctx.Err() != nil:
		return stopped(ctx)
	}
	return r.broken(within, a.stream.Err())
}

// question is the request for a query.
func (r *Runner) question(q runner.Query) openai.ChatCompletionNewParams {
	var messages []openai.ChatCompletionMessageParamUnion
	if r.options.SystemPrompt != "" {
		messages = append(messages, openai.SystemMessage(r.options.SystemPrompt))
	}
	return openai.ChatCompletionNewParams{
		Model:    r.options.Model,
		Messages: append(messages, openai.UserMessage(q.Text)),
	}
}
