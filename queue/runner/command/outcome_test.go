package command

import (
	"errors"
	"strings"
	"testing"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

// failed is the failure that a script ends in.
func failed(t *testing.T, r *Runner, script string) *runner.FailedError {
	t.Helper()
	_, err := ask(t, r, script)
	var failed *runner.FailedError
	if !errors.As(err, &failed) {
		t.Fatalf("%q: %v, want a FailedError", script, err)
	}
	return failed
}

func TestFailures(t *testing.T) {
	r := newRunner(t, Options{MaxFileSize: 64 << 10})
	for name, c := range map[string]struct{ script, detail, log string }{
		"silent":      {`exit 7`, "The command ended with exit code 7.", "exit code 7"},
		"with words":  {`echo reading >&2; echo 'no such model' >&2; exit 3`, "The command ended with exit code 3. Its last words: reading / no such model", "no such model"},
		"three lines": {`printf 'a\nb\n\nc\nd\n' >&2; exit 1`, "The command ended with exit code 1. Its last words: b / c / d", "a\nb\n\nc\nd"},
		"colours":     {`printf '\033[31merror:\033[0m \033]0;title\007bad\r\n' >&2; exit 1`, "The command ended with exit code 1. Its last words: error: bad", "\x1b[31m"},
		"progress":    {`printf '10 %%\r20 %%\rbroke off' >&2; exit 1`, "The command ended with exit code 1. Its last words: broke off", "10 %"},
		"broken":      {`printf 'a\377\001b' >&2; exit 1`, "The command ended with exit code 1. Its last words: a\uFFFD b", "a\uFFFD\x01b"},
		"killed":      {`kill -9 $$`, "The command was killed by the system (signal 9), likely for want of memory.", "signal 9"},
		"signal":      {`kill -SEGV $$`, "The command was ended by signal 11 (segmentation fault).", "signal 11"},
		"file size":   {`exec head -c 1000000 /dev/zero > big`, "The command wrote a file of more than 64 KiB and was stopped (signal 25).", "signal 25"},
		"after text":  {`echo partial; exit 2`, "The command ended with exit code 2.", "exit code 2"},
	} {
		t.Run(name, func(t *testing.T) {
			f := failed(t, r, c.script)
			if f.Detail != c.detail || !strings.Contains(f.Log, c.log) {
				t.Errorf("%q\n%q", f.Detail, f.Log)
			}
		})
	}
}

// The text that came before a failure stays.
func TestPartialText(t *testing.T) {
	if out, err := ask(t, newRunner(t, Options{}), `echo partial; exit 2`); err == nil || out != "partial\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// A program that floods its standard error neither stops at a full pipe nor fills our memory; its end is kept.
func TestStandardErrorIsBounded(t *testing.T) {
	f := failed(t, newRunner(t, Options{}), `head -c 3000000 /dev/zero | tr '\000' x >&2; echo the end >&2; exit 1`)
	if len(f.Log) > stderrBytes+200 || !strings.HasSuffix(f.Log, "the end\n") {
		t.Errorf("%d bytes, ending in %q", len(f.Log), f.Log[len(f.Log)-20:])
	}
	if n := len([]rune(f.Detail)); n > 400 || !strings.HasSuffix(f.Detail, "the end") {
		t.Errorf("%d characters: %q", n, f.Detail)
	}
}

func TestStandardErrorOfASuccessIsNoFailure(t *testing.T) {
	if out, err := ask(t, newRunner(t, Options{}), `echo warning >&2; echo fine`); err != nil || out != "fine\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestAnswerIsCut(t *testing.T) {
	sink := new(runnertest.Recorder)
	r := newRunner(t, Options{MaxBytes: 10})
	if err := r.Run(t.Context(), runner.Query{Text: `printf 1234567890`}, sink); err != nil || sink.Cut() != "" {
		t.Errorf("%v, cut %q", err, sink.Cut())
	}
	sink = new(runnertest.Recorder)
	if err := r.Run(t.Context(), runner.Query{Text: `printf 123456789é; sleep 3600`}, sink); err != nil || sink.Output() != "123456789" ||
		sink.Cut() != "Only the first 10 bytes are here: an answer has at most that." {
		t.Errorf("%q, %v, cut %q", sink.Output(), err, sink.Cut())
	}
}
