package openai

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

func TestConformance(t *testing.T) {
	s := startServer(t)
	runnertest.Test(t, runnertest.Backend{
		Runner:  newRunner(t, s, Options{MaxBytes: 1 << 20}),
		Answer:  "answer",
		Silent:  "silent",
		Stream:  "slow",
		Failing: "no finish",
		TooLong: "endless",
		Texts:   answers,
		Break: func(t *testing.T) func() {
			s.health(t, http.StatusServiceUnavailable)
			return func() { s.health(t, http.StatusOK) }
		},
		Remains: func() int { return s.open(t) },
	})
}

func TestNewSaysWhatIsWrong(t *testing.T) {
	const fine = "http://127.0.0.1:1/v1"
	for name, c := range map[string]struct {
		options Options
		says    string
	}{
		"no URL":       {Options{Model: "m"}, "no URL"},
		"no model":     {Options{URL: fine}, "no model"},
		"no scheme":    {Options{URL: "127.0.0.1:1", Model: "m"}, "can't be read"},
		"other scheme": {Options{URL: "ftp://host/v1", Model: "m"}, "http:// or https://"},
		"no host":      {Options{URL: "http:///v1", Model: "m"}, "a host"},
		"user":         {Options{URL: "http://me:secret@host/v1", Model: "m"}, "user"},
		"query":        {Options{URL: "http://host/v1?key=secret", Model: "m"}, "query"},
		"endpoint":     {Options{URL: fine + "/chat/completions/", Model: "m"}, "base"},
		"key":          {Options{URL: fine, Model: "m", Key: "secret\n"}, "key"},
		"bytes":        {Options{URL: fine, Model: "m", MaxBytes: -1}, "MaxBytes"},
		"silence":      {Options{URL: fine, Model: "m", MaxSilence: -1}, "MaxSilence"},
		"time":         {Options{URL: fine, Model: "m", MaxTime: -1}, "MaxTime"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(c.options)
			if !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v, want %q", err, c.says)
			}
		})
	}
}

func TestQuestion(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "ambient")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "Authorization: ambient")
	s := startServer(t)
	var last lastRequest
	if _, err := ask(t, newRunner(t, s, Options{SystemPrompt: "Be brief."}), "echo:naïve \"😀\" </script>\r\n\x00"); err != nil {
		t.Fatal(err)
	}
	s.get(t, "/last", &last)
	messages, _ := last.Body["messages"].([]any)
	if len(messages) != 2 {
		t.Fatalf("%v", last.Body)
	}
	system, user := messages[0].(map[string]any), messages[1].(map[string]any)
	if system["role"] != "system" || system["content"] != "Be brief." || user["role"] != "user" || user["content"] != "echo:naïve \"😀\" </script>\r\n\x00" {
		t.Errorf("%v", messages)
	}
	if last.Body["stream"] != true || last.Body["model"] != "test-model" || last.Authorization != "Bearer "+testKey {
		t.Errorf("%+v", last)
	}
	// Without a key and a prompt none is sent.
	r, err := New(Options{URL: s.url + "/", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t, r, "answer"); err != nil {
		t.Fatal(err)
	}
	s.get(t, "/last", &last)
	if messages, _ := last.Body["messages"].([]any); len(messages) != 1 || last.Authorization != "" {
		t.Errorf("%+v", last)
	}
}

// answers are the texts of whole answers, by the question.
var answers = func() map[string]string {
	hostile := "a\rb\r\n\r\n\nevent: end\ndata: {}\n\n[DONE]\x00\u2028</script>"
	line := strings.Repeat("x", 1_000_000)
	return map[string]string{
		"answer":          "Hello, world.",
		"echo:" + hostile: hostile,
		"echo:" + line:    line,
		"echo:":           "",
		"only done":       "Hello",
		"only reason":     "Hello",
		"reason, broken":  "Hello",
		"reason:stop":     "Hello",
		"reason:other":    "Hello",
		"refuses":         "I won't.",
		"other choice":    "Hello",
		"CRLF":            "Hello",
		"broken UTF-8":    "a\uFFFDb\uFFFDc",
		"in bytes":        "naïve 😀",
		"split":           "😀é",
	}
}()

// What a server does after the model has finished holds the slot for a moment only.
func TestSilenceAfterTheEnd(t *testing.T) {
	s := startServer(t)
	start := time.Now()
	sink, err := ask(t, newRunner(t, s, Options{}), "reason, silent")
	if err != nil || sink.Output() != "Hello" {
		t.Errorf("%q, %v", sink.Output(), err)
	}
	if took := time.Since(start); took > farewell+noticed {
		t.Errorf("it took %v", took)
	}
}

func TestCuts(t *testing.T) {
	s := startServer(t)
	for query, c := range map[string]struct{ says, text string }{
		"reason:length":         {"limit of tokens", "Hello"},
		"reason:content_filter": {"content filter", "Hello"},
		"echo:123456789é":       {"first 10 bytes", "123456789"},
	} {
		sink, err := ask(t, newRunner(t, s, Options{MaxBytes: 10}), query)
		if err != nil || !strings.Contains(sink.Cut(), c.says) || sink.Output() != c.text {
			t.Errorf("%s: %q, %v, cut %q", query, sink.Output(), err, sink.Cut())
		}
	}
}

// The request is cancelled with the run, at whatever point it is.
func TestCancelReachesTheServer(t *testing.T) {
	s := startServer(t)
	r := newRunner(t, s, Options{})
	for _, query := range []string{"silent", "silent after headers", "silent after text", "slow", "endless", "silent page"} {
		t.Run(query, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cause := errors.New("cancelled")
			at := make(chan time.Time, 1)
			defer time.AfterFunc(150*time.Millisecond, func() {
				at <- time.Now()
				cancel(cause)
			}).Stop()
			if err := r.Run(ctx, runner.Query{Text: query}, new(runnertest.Recorder)); !errors.Is(err, cause) {
				t.Error(err)
			}
			since := <-at
			if took := time.Since(since); took > noticed {
				t.Errorf("Run returned after %v", took)
			}
			s.awaitGone(t, since)
		})
	}
}

// The end of a run for another reason ends the request too.
func TestEndReachesTheServer(t *testing.T) {
	s := startServer(t)
	refused := errors.New("no more")
	sink := &runnertest.Recorder{Refuse: refused}
	if err := newRunner(t, s, Options{}).Run(t.Context(), runner.Query{Text: "slow"}, sink); !errors.Is(err, refused) {
		t.Error(err)
	}
	s.awaitGone(t, time.Now())
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was lost")
			}
		}()
		_ = newRunner(t, s, Options{}).Run(t.Context(), runner.Query{Text: "slow"}, &runnertest.Recorder{OnOutput: func() { panic("in the sink") }})
	}()
	s.awaitGone(t, time.Now())
}

// Text is passed on while the model goes on.
func TestTextStreams(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sink := runnertest.Recorder{OnOutput: cancel}
	err := newRunner(t, startServer(t), Options{}).Run(ctx, runner.Query{Text: "silent after text"}, &sink)
	if !errors.Is(err, context.Canceled) || sink.Output() != "Hello" {
		t.Errorf("%q, %v", sink.Output(), err)
	}
}

func TestHealth(t *testing.T) {
	s := startServer(t)
	var health runner.HealthChecker = newRunner(t, s, Options{})
	for status, well := range map[int]bool{200: true, 401: true, 404: true, 429: true, 302: true, 500: false, 503: false} {
		s.health(t, status)
		if err := health.Health(t.Context()); (err == nil) != well {
			t.Errorf("%d: %v", status, err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + listener.Addr().String() + "/v1"
	health = newRunner(t, nil, Options{URL: nobody})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := health.Health(ctx); err == nil { // it listens, and never answers
		t.Error("a silent server is healthy")
	}
	listener.Close()
	if err := health.Health(t.Context()); err == nil || strings.Contains(err.Error(), testKey) {
		t.Error(err)
	}
}
