package openai

import (
	"bytes"
	"context"
	"mime"
	"net/http"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"confluence/queue/runner"
)

// farewell is how long a stream may go on after the model has finished: what comes then is no text.
const farewell = time.Second

// answer is a stream that is passed on.
type answer struct {
	decoder *watched
	stream  *ssestream.Stream[openai.ChatCompletionChunk]
	text    *runner.TextWriter
	end     context.CancelCauseFunc
	reason  string // why the model finished
}

func newAnswer(response *http.Response, out runner.Sink, limit int64, end context.CancelCauseFunc) *answer {
	decoder := &watched{Decoder: ssestream.NewDecoder(response)}
	return &answer{
		decoder: decoder,
		stream:  ssestream.NewStream[openai.ChatCompletionChunk](decoder, nil),
		text:    runner.NewTextWriter(out, limit),
		end:     end,
	}
}

// pass passes the text on until the stream ends or is stopped. It errs when the sink does, or when the text is full.
func (a *answer) pass(stopped <-chan struct{}) error {
	defer a.stream.Close()
	for a.stream.Next() {
		select {
		case <-stopped:
			return nil
		default:
		}
		for _, choice := range a.stream.Current().Choices {
			if choice.Index != 0 {
				continue // not asked for
			}
			for _, piece := range []string{choice.Delta.Content, choice.Delta.Refusal} {
				if _, err := a.text.Write([]byte(piece)); err != nil {
					return err
				}
			}
			if choice.FinishReason != "" && a.reason == "" {
				a.reason = choice.FinishReason
				defer time.AfterFunc(farewell, func() { a.end(errOver) }).Stop()
			}
		}
	}
	select {
	case <-stopped:
		if !a.whole() {
			return nil
		}
	default:
	}
	return a.text.Close()
}

// whole says whether the answer came to its end.
func (a *answer) whole() bool { return a.reason != "" || a.decoder.done }

// watched is a decoder that sees the mark of the end, which the stream keeps to itself.
type watched struct {
	ssestream.Decoder
	done bool
}

func (w *watched) Next() bool {
	next := w.Decoder.Next()
	w.done = w.done || next && bytes.HasPrefix(w.Decoder.Event().Data, []byte("[DONE]"))
	return next
}

// isStream says whether a response is an event stream, or doesn't say what it is.
func isStream(response *http.Response) bool {
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return media == "text/event-stream" || media == ""
}
