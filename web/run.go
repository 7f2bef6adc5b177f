package web

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"confluence/queue"
	"confluence/queue/runner"
	"confluence/views/i18n"
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
	key      *savedKey     // that it was asked for with; nil: none
	keep     time.Duration // it is kept so long after its end, if that is longer than others
	started  time.Time
	end      context.CancelCauseFunc
	answer   *transcript

	// What follows is under the registry's lock.
	stopping   bool // it was told to stop
	settled    bool // its outcome stands
	held       bool // it has not stopped within the grace
	released   bool // its slot was given back
	ended      time.Time
	outcome    queue.Outcome
	code       string
	detail     i18n.Message
	retryAfter time.Duration
	concern    concern
	watchers   int
	memory     int64 // bytes that it takes while it is kept
	disk       int64
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
	Stopping     bool          // told to stop, and its slot is still taken
	Held         bool          // and it has been for longer than the grace
	Outcome      queue.Outcome // empty while it goes
	Code         string        // the problem's code, of a run that didn't succeed
	Detail       i18n.Message  // what went wrong, in words for the owner
	RetryAfter   time.Duration // when a runner that was away said that asking again may help; 0: it didn't
	Columns      []string      // of a table
	RowCount     int
	Text         string // the beginning of an answer that is no table, where it was asked for
	TextBytes    int64  // the whole of it
	Words        int    // in the whole of it
	Truncated    bool
	TruncatedWhy i18n.Message
}

// incomplete: there is not the whole answer.
func (st runState) incomplete() bool { return st.Outcome != queue.Succeeded || st.Truncated }

// state is the run at this moment.
func (x *run) state() runState {
	x.registry.mu.Lock()
	st := runState{
		ID: x.id, Session: x.session, Number: x.number, Query: x.query, Started: x.started,
		Going: !x.settled, Ended: x.ended, Outcome: x.outcome, Code: x.code, Detail: x.detail, RetryAfter: x.retryAfter,
		Stopping: x.stopping && !x.released, Held: x.held && !x.released,
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

// show is the run at this moment with the beginning of its answer: at most so many rows, or bytes of text. The cells of a row are nil, bool,
// json.Number or string.
func (x *run) show(rows, text int) (runState, [][]any, error) {
	st := x.state()
	answer := x.answer.follow()
	defer answer.close()
	if st.Columns != nil {
		first, err := answer.rows(0, min(rows, st.RowCount))
		return st, first, err
	}
	var err error
	st.Text, err = answer.text(int(min(int64(text), st.TextBytes)))
	return st, nil, err
}

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
	x.registry.stopping(x)
	x.end(context.Cause(ctx)) // a time limit of ours is told to the line, too
	patience, grace := time.NewTimer(lastWords), time.NewTimer(x.registry.grace)
	defer patience.Stop()
	defer grace.Stop()
	for {
		select {
		case err := <-ended:
			return x.settle(ctx, err)
		case <-patience.C:
			_ = x.settle(ctx, nil)
			x.seal()
		case <-grace.C:
			x.registry.hold(x)
		}
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
	if x.decide(err) && x.code == "runner_unavailable" {
		x.registry.health.away(err) // before the slot is given on: nobody else is called in vain
	}
	return err
}

// decide tells whether it was the first to.
func (x *run) decide(err error) bool {
	r := x.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	if x.settled {
		return false
	}
	x.settled, x.ended = true, r.now()
	x.outcome = outcomeOf(err)
	if err == nil {
		return true
	}
	p := problemFor(err)
	x.code, x.detail = p.Code, p.Detail
	switch x.outcome {
	case queue.TimedOut:
		x.detail = i18n.Msg("problem.run_timed_out.limit", "time", r.timeout)
	case queue.Failed:
		r.logFailure(x, err)
		switch p.Code {
		case "internal": // a runner's own words may hold internals
			p = problemOf("run_failed")
			x.code, x.detail = p.Code, p.Detail
		case "runner_unavailable":
			x.detail, x.retryAfter = awayDetail(x.answer), retryAfter(err)
		}
	}
	return true
}

// awayDetail tells the owner of a run what it means that the runner was away.
func awayDetail(answer *transcript) i18n.Message {
	if answer.empty() {
		return i18n.Msg("problem.runner_unavailable.before")
	}
	return i18n.Msg("problem.runner_unavailable.amid")
}

// seal says that nothing more comes of the answer.
func (x *run) seal() { x.toldOf(x.answer.seal()) }

// toldOf tells the operator what could not be kept.
func (x *run) toldOf(err error) {
	if err != nil {
		x.registry.log.Error("an answer could not be kept whole", "run", x.id, "err", err)
	}
}

// logFailure tells the operator what the owner isn't told.
func (r *runs) logFailure(x *run, err error) {
	var failed *runner.FailedError
	var rejected *runner.RejectedError
	switch {
	case errors.Is(err, errRunPanicked), errors.As(err, &rejected): // logged where it happened; no fault of ours
	case errors.As(err, &failed):
		r.log.Warn("a run failed", "run", x.id, "err", failed.Detail, "log", failed.Log)
	case errors.Is(err, runner.ErrUnavailable):
		r.log.Warn("the runner could not take a run", "run", x.id, "err", err)
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
