package web

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"confluence/queue"
	"confluence/queue/runner"
)

// lastWords is how long a runner that was told to stop may take before its reader is told of the end. The slot waits for the runner itself.
const lastWords = 500 * time.Millisecond

var errRunPanicked = errors.New("the runner panicked")

// run is one run, from its claim until it is forgotten, and its answer.
type run struct {
	registry *runs
	id       string
	session  string
	number   int64
	query    string
	attached bool
	started  time.Time
	end      context.CancelCauseFunc
	answer   *transcript

	// What follows is under the registry's lock.
	settled  bool // its outcome stands
	ended    time.Time
	outcome  queue.Outcome
	code     string
	detail   string
	concern  concern
	watchers int
}

// concern is when somebody last cared for a run, and the timer that ends or forgets it.
type concern struct {
	seen  time.Time
	timer *time.Timer
}

// runState is a run as its owner sees it at one moment.
type runState struct {
	ID           string
	Session      string
	Number       int64 // the public number of its ticket
	Query        string
	Started      time.Time // wall time, for display
	Ended        time.Time // zero while it goes
	Elapsed      time.Duration
	Going        bool
	Outcome      queue.Outcome // empty while it goes
	Code         string        // the problem's code, of a run that didn't succeed
	Detail       string        // what went wrong, in words for the owner
	Columns      []string      // of a table
	Binary       []int         // the columns whose strings are base64
	RowCount     int
	Text         string // of an answer that is no table
	Truncated    bool
	TruncatedWhy string
}

// state is the run at this moment.
func (x *run) state() runState {
	x.registry.mu.Lock()
	st := runState{
		ID: x.id, Session: x.session, Number: x.number, Query: x.query, Started: x.started,
		Going: !x.settled, Ended: x.ended, Outcome: x.outcome, Code: x.code, Detail: x.detail,
	}
	if st.Going {
		st.Elapsed = x.registry.now().Sub(x.started)
	} else {
		st.Elapsed = x.ended.Sub(x.started)
	}
	x.registry.mu.Unlock()
	x.answer.describe(&st)
	return st
}

// rows decodes at most limit rows of a table, the first being number from, counted from 0. A cell is nil, bool, json.Number or string.
func (x *run) rows(from, limit int) [][]any { return x.answer.rows(from, limit) }

// cancel ends the run as cancelled by its owner; twice is harmless.
func (x *run) cancel() { x.end(queue.ErrRunCancelled) }

// execute is the run inside its slot. It returns when the runner has ended, with the error that tells the outcome.
func (x *run) execute(ctx context.Context) error {
	ctx, stop := context.WithTimeoutCause(ctx, x.registry.timeout, queue.ErrRunTimedOut)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		err := fmt.Errorf("run %s: the runner ended its goroutine", x.id)
		defer func() { ended <- err }()
		err = x.call(ctx)
	}()

	select {
	case err := <-ended:
		return x.settle(ctx, err)
	case <-ctx.Done():
	}
	patience := time.NewTimer(lastWords)
	defer patience.Stop()
	select {
	case err := <-ended:
		return x.settle(ctx, err)
	case <-patience.C:
		outcome := x.settle(ctx, nil)
		x.answer.seal()
		<-ended
		return outcome
	}
}

// call has the runner answer, and makes a panic an error.
func (x *run) call(ctx context.Context) (err error) {
	defer func() {
		if v := recover(); v != nil {
			x.registry.log.Error("a runner panicked", "run", x.id, "panic", v, "stack", string(debug.Stack()))
			err = errRunPanicked
		}
	}()
	err = x.registry.runner.Run(ctx, runner.Query{Text: x.query}, x.answer)
	if errors.Is(err, errResultFull) {
		return nil // the answer says itself that it was cut
	}
	return err
}

// settle decides the outcome: why the run was stopped, if it was, else how the runner ended. The first decision stands; its error is returned.
func (x *run) settle(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = fmt.Errorf("run %s: %w", x.id, context.Cause(ctx))
	}
	r := x.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	if x.settled {
		return err
	}
	x.settled, x.ended = true, r.now()
	x.outcome = outcomeOf(err)
	if err == nil {
		return nil
	}
	p := problemFor(err)
	x.code, x.detail = p.Code, p.Detail
	switch x.outcome {
	case queue.TimedOut:
		x.detail = fmt.Sprintf("The run reached the limit of %v and was stopped. Ask for less at a time.", r.timeout)
	case queue.Failed:
		r.logFailure(x, err)
		if p.Code == "internal" { // a runner's own words may hold internals
			p = problemOf("run_failed")
			x.code, x.detail = p.Code, p.Detail
		}
	}
	return err
}

// logFailure tells the operator what the owner isn't told.
func (r *runs) logFailure(x *run, err error) {
	var failed *runner.FailedError
	var rejected *runner.RejectedError
	switch {
	case errors.Is(err, errRunPanicked), errors.As(err, &rejected): // logged where it happened; no fault of ours
	case errors.As(err, &failed):
		r.log.Warn("a run failed", "run", x.id, "err", failed.Detail, "log", failed.Log)
	default:
		r.log.Error("a run failed", "run", x.id, "err", err)
	}
}

// outcomeOf is the outcome that a run's error stands for.
func outcomeOf(err error) queue.Outcome {
	switch {
	case err == nil:
		return queue.Succeeded
	case errors.Is(err, queue.ErrRunTimedOut):
		return queue.TimedOut
	case errors.Is(err, queue.ErrRunCancelled):
		return queue.Cancelled
	case errors.Is(err, queue.ErrRunDisconnected):
		return queue.Disconnected
	case errors.Is(err, queue.ErrRunInterrupted):
		return queue.Interrupted
	}
	return queue.Failed
}
