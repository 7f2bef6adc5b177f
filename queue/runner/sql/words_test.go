package sql

import (
	"errors"
	"io"
	"strings"
	"testing"

	"confluence/queue/runner"
)

func TestSkipBlank(t *testing.T) {
	for query, want := range map[string]string{
		"": "", " \t\n\f\r;;": "", "--": "", "-- a": "", "-- a\n": "", "/*": "", "/* a": "", "/**/": "", "/*/ a */": "", "SELECT": "SELECT",
		"-- a\n/* b */ ; x -- c": "x -- c", "- 1": "- 1", "/ 1": "/ 1", "\uFEFFx": "x", "/* a */ /* b": "",
	} {
		if got := skipBlank(query); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"branch", "branch", 0}, {"brnch", "branch", 1}, {"lonas", "loans", 2}, {"kitten", "sitting", 3}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestCrashInWords(t *testing.T) {
	for crash, want := range map[string]string{
		"exit status 2\nfatal error: runtime: out of memory":                  "out of memory: a query may take 256 MiB",
		"exit status 2\nruntime: failed to create new OS thread (have 5)":     "out of memory",
		"exit status 2\nruntime: goroutine stack exceeds 33554432-byte limit": "The query is nested too deeply.",
		"signal: killed": "The system stopped the query",
		"exit status 2\npanic: runtime error: index out of range [-1]\ngoroutine 1": crashed,
		"signal: segmentation fault": crashed,
	} {
		var failed *runner.FailedError
		err := crashError(crash, io.EOF, Options{MaxMemory: defaultMaxMemory})
		if !errors.As(err, &failed) || !strings.HasPrefix(failed.Detail, want) || !strings.Contains(failed.Log, crash) {
			t.Errorf("%q: %+v", crash, failed)
		}
		if strings.Contains(failed.Detail, "goroutine") {
			t.Errorf("internals for the visitor: %q", failed.Detail)
		}
	}
}

func TestPanicInWords(t *testing.T) {
	for p, want := range map[any]string{
		errors.New("sqlite3: out of memory"): kindMemory,
		errors.New("something else"):         kindInternal,
		"a string":                           kindInternal,
	} {
		if f := panicFault(p); f.Kind != want || f.Log == "" || f.Detail != "" {
			t.Errorf("%v: %+v", p, f)
		}
	}
}
