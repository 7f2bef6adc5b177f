package openai

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"confluence/queue/runner"
)

func TestFailures(t *testing.T) {
	s := startServer(t)
	r := newRunner(t, s, Options{MaxSilence: 300 * time.Millisecond, MaxBytes: 256 << 10})
	for query, c := range map[string]struct{ detail, log, text string }{
		"no finish":            {"broke off before its end", "without finish_reason", "Hello"},
		"nothing":              {"broke off before its end", "without finish_reason", ""},
		"breaks off":           {"connection to the model’s server broke", "EOF", "Hello"},
		"breaks in an event":   {"connection to the model’s server broke", "EOF", "Hello"},
		"no JSON":              {"broke", "invalid character", "Hello"},
		"other JSON":           {"broke", "", "Hello"},
		"error event":          {"broke the answer off with an error", "CUDA out of memory", "Hello"},
		"reason:error":         {"gave the answer up", "error", "Hello"},
		"silent":               {"said nothing for 300ms", "", ""},
		"silent after headers": {"said nothing for 300ms", "", ""},
		"silent after text":    {"said nothing for 300ms", "", "Hello"},
		"comments":             {"sent more than an answer can be", "too much", ""},
		"long line":            {"sent more than an answer can be", "too much", ""},
		"long event":           {"sent more than an answer can be", "too much", ""},
		"500":                  {"server failed", "boom in /srv/model.py", ""},
		"502":                  {"server failed", "bad gateway", ""},
		"401":                  {"didn’t let us in", "wrong key: Bearer [key]", ""},
		"404":                  {"not found on its server", "no such model", ""},
		"400":                  {"too long for the model", "maximum context length", ""},
		"409":                  {"refused the query", "409", ""},
		"redirect":             {"something else", "/elsewhere", ""},
		"page":                 {"something else", "a router's page", ""},
		"silent page":          {"something else", "text/html", ""},
		"endless refusal":      {"server failed", "no no no", ""},
		"long header":          {"connection to the model’s server broke", "header", ""},
	} {
		t.Run(query, func(t *testing.T) {
			sink, err := ask(t, r, query)
			var failed *runner.FailedError
			if !errors.As(err, &failed) || !strings.Contains(failed.Detail, c.detail) || !strings.Contains(failed.Log, c.log) {
				t.Fatalf("%+v", err)
			}
			if strings.Contains(failed.Log, testKey) || len(failed.Log) > 100_000 {
				t.Errorf("the log: %.1000q", failed.Log)
			}
			if strings.Contains(failed.Detail, "127.0.0.1") || strings.Contains(failed.Detail, "http") {
				t.Errorf("the detail: %s", failed.Detail)
			}
			if sink.Output() != c.text {
				t.Errorf("the text so far is %.100q", sink.Output())
			}
		})
	}
	var last lastRequest
	if s.get(t, "/last", &last); last.Hits != 0 {
		t.Error("the redirect was followed")
	}
}

// A refusal is asked once, whatever it is.
func TestNoRetries(t *testing.T) {
	s := startServer(t)
	r := newRunner(t, s, Options{})
	var before, after lastRequest
	for _, query := range []string{"429", "500", "502", "503", "breaks off", "no finish"} {
		s.get(t, "/last", &before)
		_, _ = ask(t, r, query)
		if s.get(t, "/last", &after); after.Count != before.Count+1 {
			t.Errorf("%s: asked %d times", query, after.Count-before.Count)
		}
	}
}

func TestUnavailable(t *testing.T) {
	s := startServer(t)
	r := newRunner(t, s, Options{})
	for query, c := range map[string]struct {
		after time.Duration
		log   string
	}{
		"429": {17 * time.Second, "too many requests"},
		"503": {0, "loading the model"},
	} {
		_, err := ask(t, r, query)
		var unavailable *runner.UnavailableError
		if !errors.Is(err, runner.ErrUnavailable) || !errors.As(err, &unavailable) || unavailable.RetryAfter != c.after || !strings.Contains(unavailable.Log, c.log) {
			t.Errorf("%s: %+v", query, err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := listener.Addr().String()
	listener.Close()
	for url, says := range map[string]string{
		"http://" + nobody + "/v1":            "connection refused",
		"https://" + s.url[len("http://"):]:   "HTTPS",
		"http://host.invalid/v1":              "host.invalid",
		"http://169.254.169.254/v1":           "link-local",
		"http://[fe80::1%25lo]:80/v1":         "link-local",
		"http://[::ffff:169.254.169.254]/v1":  "link-local",
		"http://[fd00:ec2::254]/v1":           "link-local",
		"http://[64:ff9b::a9fe:a9fe]:8000/v1": "link-local",
	} {
		start := time.Now()
		_, err := ask(t, newRunner(t, nil, Options{URL: url}), "answer")
		if !errors.Is(err, runner.ErrUnavailable) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", url, err)
		}
		if took := time.Since(start); took > 2*connectTimeout {
			t.Errorf("%s: it took %v", url, took)
		}
	}
}

func TestTimeCap(t *testing.T) {
	s := startServer(t)
	sink, err := ask(t, newRunner(t, s, Options{MaxTime: 200 * time.Millisecond}), "slow")
	var failed *runner.FailedError
	if !errors.As(err, &failed) || !strings.Contains(failed.Detail, "still answering after 200ms") || !strings.HasPrefix(sink.Output(), "more ") {
		t.Errorf("%q, %v", sink.Output(), err)
	}
	s.awaitGone(t, time.Now())
}

func TestRetryAfter(t *testing.T) {
	const date = "Mon, 30 Nov 2026 12:00:00 GMT"
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "17": 17 * time.Second, "1.5": 1500 * time.Millisecond, "-3": 0, "soon": 0, "NaN": 0,
		"1e300": 24 * time.Hour, "Inf": 24 * time.Hour, "999999999999999999999": 24 * time.Hour,
		"Mon, 30 Nov 2026 12:00:20 GMT": 20 * time.Second, "Mon, 30 Nov 2026 11:00:00 GMT": 0, "Mon, 30 Nov 2099 11:00:00 GMT": 24 * time.Hour,
	} {
		if got := retryAfter(http.Header{"Retry-After": {value}, "Date": {date}}); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
	if got := retryAfter(http.Header{"Retry-After": {date}}); got != 0 {
		t.Errorf("without the server's own time: %v", got)
	}
}
