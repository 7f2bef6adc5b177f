package sql

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

// startQuery starts a child and reads the columns of its answer.
func startQuery(t *testing.T, query string, limit time.Duration) *process {
	t.Helper()
	req := demo(t).request(doRun, limit)
	req.Query = query
	p, err := start(t.Context(), childExe, req)
	if err != nil {
		t.Fatal(err)
	}
	if _, r, err := p.next(0); err != nil || r.Columns == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	return p
}

// A child whose parent is gone sees the end of its input, and ends.
func TestChildEndsWithItsParent(t *testing.T) {
	p := startQuery(t, endlessSilent, 0)
	if err := p.in.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.next(0); !errors.Is(err, io.EOF) {
		t.Errorf("%v, want the end of the output", err)
	}
	if crash := p.wait(); !strings.Contains(crash, "exit status 2") {
		t.Errorf("it ended by %q", crash)
	}
}

// A signal to the whole service must not cut a run.
func TestChildOutlivesSignals(t *testing.T) {
	p := startQuery(t, endlessSlow, 0)
	for _, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if err := p.cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if row, _, err := p.next(2); err != nil || row == nil {
			t.Errorf("after %v: %v", signal, err)
		}
	}
	p.stop()
	if crash := p.wait(); !strings.HasPrefix(crash, "signal: killed") {
		t.Errorf("it ended by %q", crash)
	}
}

// A limit from inside ends a query whose parent doesn't.
func TestChildEndsAtItsLimit(t *testing.T) {
	p := startQuery(t, endlessSilent, time.Second)
	if _, last, err := p.next(0); err != nil || last.Error == nil || last.Error.Kind != kindInterrupted {
		t.Errorf("%+v, %v", last, err)
	}
	if crash := p.wait(); crash != "" && !strings.Contains(crash, "exit status 2") {
		t.Errorf("it ended by %q", crash)
	}
}

func TestChildHasNoEnvironment(t *testing.T) {
	t.Setenv("CONFLUENCE_SECRET", "must not be seen")
	p := startQuery(t, endlessSilent, 0)
	environment, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/environ")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Trim(string(environment), "\x00"); got != childMark+"=1" {
		t.Errorf("the environment is %q", got)
	}
	p.stop()
	p.wait()
}

// Little memory makes a clear error soon.
func TestOutOfMemoryIsTold(t *testing.T) {
	r := newRunner(t, Options{Database: demoFile, MaxMemory: minMaxMemory})
	for _, query := range []string{
		`SELECT * FROM (SELECT randomblob(1000) AS b FROM generate_series(1, 1000000000)) ORDER BY b`,
		`WITH RECURSIVE n (b) AS (SELECT randomblob(1000) UNION SELECT randomblob(1000) FROM n) SELECT count(*) FROM n`,
	} {
		err := r.Run(t.Context(), runner.Query{Text: query}, new(runnertest.Recorder))
		var failed *runner.FailedError
		if !errors.As(err, &failed) || !strings.HasPrefix(failed.Detail, "out of memory: a query may take 64 MiB.") || failed.Log == "" {
			t.Errorf("%v", err)
		}
	}
}

// A child that is killed by something else is told as what it is.
func TestKilledChild(t *testing.T) {
	sink := runnertest.Recorder{OnOutput: func() {
		for _, pid := range children() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}}
	err := demo(t).Run(t.Context(), runner.Query{Text: endlessSlow}, &sink)
	var failed *runner.FailedError
	if !errors.As(err, &failed) || !strings.HasPrefix(failed.Detail, "The system stopped the query") {
		t.Errorf("%v", err)
	}
}

func TestUnavailableWhenNoChildCanStart(t *testing.T) {
	r := newRunner(t, Options{Database: demoFile})
	r.options.Exe = "/none"
	if err := r.Run(t.Context(), runner.Query{Text: "SELECT 1"}, new(runnertest.Recorder)); !errors.Is(err, runner.ErrUnavailable) {
		t.Error(err)
	}
	if err := r.Check(t.Context(), runner.Query{Text: "SELECT 1"}); !errors.Is(err, runner.ErrUnavailable) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Run(ctx, runner.Query{Text: "SELECT 1"}, new(runnertest.Recorder)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
