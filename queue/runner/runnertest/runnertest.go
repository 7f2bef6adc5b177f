// Package runnertest holds the promises of runner.Runner as tests, one suite for each backend.
package runnertest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"confluence/queue/runner"
)

// Backend is a runner under test, with queries that make it do things. An empty query says that the backend can't do the thing.
type Backend struct {
	Runner runner.Runner
	// Answer is answered soon and with some output.
	Answer string
	// Silent goes on for an hour at least and says nothing. Required.
	Silent string
	// Stream goes on for an hour at least and has output at once, and then more and more. Required.
	Stream string
	// Faulty is a mistake that Check finds.
	Faulty string
	// Failing is fine to Check and fails while it runs.
	Failing string
	// TooLong has an answer that gets cut.
	TooLong string
	// Texts are queries whose answers are known text, by the query: what a hostile backend could send.
	Texts map[string]string
	// Break makes the backend unable to serve until mend is called; nil if it can't be broken. Needs a runner.HealthChecker.
	Break func(t *testing.T) (mend func())
	// Remains counts what is left of runs, like processes; nil if there is nothing to count.
	Remains func() int
}

const (
	stopWithin  = 300 * time.Millisecond // from the end of a context to the return of Run
	patience    = 30 * time.Second       // for what must come but may take its time on a busy machine
	shortLimit  = 200 * time.Millisecond
	manyAtOnce  = 4
	slowMachine = 5 // the race detector and other tests beside it stretch stopWithin by so much at most
)

var (
	errCause   = errors.New("the cause of the end")
	errRefused = errors.New("the sink takes no more")
)

// Test runs the suite.
func Test(t *testing.T, b Backend) {
	t.Run("describes itself", b.describes)
	t.Run("examples are fine", b.examples)
	t.Run("answers", b.answers)
	t.Run("many at once don't mix", b.concurrent)
	t.Run("a cancel stops a silent run", b.cancelSilent)
	t.Run("a cancel stops a streaming run", b.cancelStream)
	t.Run("a deadline stops a run", b.deadline)
	t.Run("an ended context starts nothing", b.ended)
	t.Run("an error of the sink stops the run", b.sinkErrs)
	t.Run("a panic of the sink leaves nothing", b.sinkPanics)
	t.Run("text comes as it is", b.texts)
	t.Run("unhealthy and back", b.breaks)
	t.Run("a mistake is rejected", b.rejects)
	t.Run("a failure is told", b.fails)
	t.Run("a cut is told", b.truncates)
}

// run runs a query and checks what must hold for each.
func (b Backend) run(ctx context.Context, t *testing.T, query string, sink *Recorder) error {
	t.Helper()
	err := b.Runner.Run(ctx, runner.Query{Text: query}, sink)
	for _, breach := range sink.Breaches() {
		t.Errorf("the runner broke the contract of its sink: %s", breach)
	}
	return err
}

// alone fails when something is left of a run that returned. It can only be asked while no other run goes on.
func (b Backend) alone(t *testing.T) {
	t.Helper()
	if b.Remains != nil {
		if n := b.Remains(); n > 0 {
			t.Errorf("Run returned, but %d remain", n)
		}
	}
}

func (b Backend) describes(t *testing.T) {
	d := b.Runner.Describe()
	if d.Title == "" || d.Limits == "" || d.Language == "" {
		t.Errorf("incomplete: %+v", d)
	}
}

func (b Backend) examples(t *testing.T) {
	for _, example := range b.Runner.Describe().Examples {
		if example.Title == "" {
			t.Errorf("an example without a title: %q", example.Text)
		}
		if err := b.Runner.Check(t.Context(), runner.Query{Text: example.Text}); err != nil {
			t.Errorf("the example %q: %v", example.Title, err)
		}
	}
}

func (b Backend) answers(t *testing.T) {
	if err := b.Runner.Check(t.Context(), runner.Query{Text: b.Answer}); err != nil {
		t.Errorf("check: %v", err)
	}
	var sink Recorder
	if err := b.run(t.Context(), t, b.Answer, &sink); err != nil {
		t.Error(err)
	}
	if sink.Empty() {
		t.Error("no output")
	}
	b.alone(t)
}

func (b Backend) concurrent(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	var disturbing, asking sync.WaitGroup
	disturbing.Go(func() {
		if err := b.run(ctx, t, b.Silent, new(Recorder)); !errors.Is(err, errCause) {
			t.Errorf("beside others: %v", err)
		}
	})
	for range manyAtOnce {
		asking.Go(func() {
			var sink Recorder
			if err := b.run(t.Context(), t, b.Answer, &sink); err != nil {
				t.Error(err)
			}
			if sink.Empty() {
				t.Error("no output")
			}
		})
	}
	asking.Wait()
	cancel(errCause)
	disturbing.Wait()
	b.alone(t)
}

// stops runs a query until stop, which is called at each output and once after a while, cancels it; and measures how long that took.
func (b Backend) stops(t *testing.T, query string, first bool) {
	ctx, cancel := context.WithCancelCause(t.Context())
	var once sync.Once
	var at time.Time
	stop := func() {
		once.Do(func() {
			at = time.Now()
			cancel(errCause)
		})
	}
	sink := Recorder{}
	wait := shortLimit
	if first {
		sink.OnOutput = stop
		wait = patience
	}
	defer time.AfterFunc(wait, stop).Stop()
	err := b.run(ctx, t, query, &sink)
	once.Do(func() { t.Errorf("the run ended by itself: %v", err) })
	if took := time.Since(at); took > stopWithin*slowMachine {
		t.Errorf("the end took %v", took)
	}
	if !errors.Is(err, errCause) {
		t.Errorf("%v, want the cause", err)
	}
	if first && sink.Empty() {
		t.Error("no output came before the end")
	}
	b.alone(t)
}

func (b Backend) cancelSilent(t *testing.T) { b.stops(t, b.Silent, false) }
func (b Backend) cancelStream(t *testing.T) { b.stops(t, b.Stream, true) }

func (b Backend) deadline(t *testing.T) {
	ctx, cancel := context.WithTimeoutCause(t.Context(), shortLimit, errCause)
	defer cancel()
	start := time.Now()
	if err := b.run(ctx, t, b.Silent, new(Recorder)); !errors.Is(err, errCause) {
		t.Errorf("%v, want the cause", err)
	}
	if took := time.Since(start); took > shortLimit+stopWithin*slowMachine {
		t.Errorf("stopped after %v", took)
	}
	b.alone(t)
}

func (b Backend) ended(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errCause)
	var sink Recorder
	if err := b.run(ctx, t, b.Answer, &sink); !errors.Is(err, errCause) {
		t.Errorf("%v, want the cause", err)
	}
	if !sink.Empty() {
		t.Error("output of a run that should not have begun")
	}
	b.alone(t)
}

func (b Backend) sinkErrs(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := b.run(ctx, t, b.Stream, &Recorder{Refuse: errRefused}); !errors.Is(err, errRefused) {
		t.Errorf("%v, want the sink's error", err)
	}
	b.alone(t)
}

func (b Backend) sinkPanics(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic of the sink was lost")
			}
		}()
		_ = b.run(ctx, t, b.Stream, &Recorder{OnOutput: func() { panic("in the sink") }})
	}()
	b.alone(t)
}

func (b Backend) texts(t *testing.T) {
	for query, want := range b.Texts {
		var sink Recorder
		if err := b.run(t.Context(), t, query, &sink); err != nil || sink.Output() != want {
			t.Errorf("%.100q: %.200q, %v; want %.200q", query, sink.Output(), err, want)
		}
	}
	b.alone(t)
}

// breaks also checks that a runner that can tell its health is well to begin with.
func (b Backend) breaks(t *testing.T) {
	checker, can := b.Runner.(runner.HealthChecker)
	if !can {
		if b.Break != nil {
			t.Error("the runner can't tell its health")
		}
		return
	}
	well := func(when string) {
		if err := checker.Health(t.Context()); err != nil {
			t.Errorf("%s: unhealthy: %v", when, err)
		}
		if err := b.run(t.Context(), t, b.Answer, new(Recorder)); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	well("at first")
	if b.Break == nil {
		return
	}
	mend := b.Break(t)
	if err := checker.Health(t.Context()); err == nil {
		t.Error("healthy though it can't serve")
	}
	var sink Recorder
	if err := b.run(t.Context(), t, b.Answer, &sink); !errors.Is(err, runner.ErrUnavailable) || !sink.Empty() {
		t.Errorf("while it can't serve: %v", err)
	}
	b.alone(t)
	mend()
	well("mended")
}

func (b Backend) rejects(t *testing.T) {
	if b.Faulty == "" {
		return
	}
	var sink Recorder
	for what, err := range map[string]error{
		"check": b.Runner.Check(t.Context(), runner.Query{Text: b.Faulty}),
		"run":   b.run(t.Context(), t, b.Faulty, &sink),
	} {
		var rejected *runner.RejectedError
		if !errors.As(err, &rejected) || rejected.Detail == "" {
			t.Errorf("%s: %v, want a RejectedError with a detail", what, err)
		}
	}
	if !sink.Empty() {
		t.Error("output of a query that was rejected")
	}
	b.alone(t)
}

func (b Backend) fails(t *testing.T) {
	if b.Failing == "" {
		return
	}
	if err := b.Runner.Check(t.Context(), runner.Query{Text: b.Failing}); err != nil {
		t.Errorf("check: %v", err)
	}
	err := b.run(t.Context(), t, b.Failing, new(Recorder))
	var failed *runner.FailedError
	if !errors.As(err, &failed) || failed.Detail == "" {
		t.Errorf("%v, want a FailedError with a detail", err)
	}
	b.alone(t)
}

func (b Backend) truncates(t *testing.T) {
	if b.TooLong == "" {
		return
	}
	var sink Recorder
	if err := b.run(t.Context(), t, b.TooLong, &sink); err != nil {
		t.Error(err)
	}
	if sink.Cut() == "" {
		t.Error("the cut was not told")
	}
	b.alone(t)
}
