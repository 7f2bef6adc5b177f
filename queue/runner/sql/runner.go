package sql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"confluence/queue/runner"
)

// Runner answers read-only SQL over one SQLite file. It has nothing to close.
type Runner struct {
	options     Options
	description runner.Description
	checks      chan struct{} // a token for each check that may go on beside the others
	passed      passed
}

const (
	parallelChecks  = 2
	describeTimeout = 10 * time.Second
	// interruptDelay is how much later than by its parent a child is ended from inside.
	interruptDelay = time.Second
)

// New makes a runner. Errors: ErrOptions, ErrDatabase (wrapped) if the file is missing or not a database, runner.ErrUnavailable (wrapped)
// if no child can be started.
func New(options Options) (*Runner, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	if err := readable(options.Database); err != nil {
		return nil, err
	}
	r := &Runner{options: options, checks: make(chan struct{}, parallelChecks)}
	ctx, cancel := context.WithTimeout(context.Background(), describeTimeout)
	defer cancel()
	s, err := r.schema(ctx)
	if err != nil {
		return nil, err
	}
	r.description = describe(options, s)
	return r, nil
}

// Describe tells of the database as it was when the runner was made.
func (r *Runner) Describe() runner.Description { return r.description }

// Check has the database compile the query, unless it did so before. Errors: *runner.RejectedError; runner.ErrUnavailable (wrapped);
// *runner.FailedError if the check itself failed; the cause of ctx (wrapped). Checks wait for each other, a few go on at once; each takes
// no longer than the CheckTimeout of the options.
func (r *Runner) Check(ctx context.Context, q runner.Query) error {
	if f := inspect(q.Text); f != nil {
		return rejected(q.Text, f)
	}
	if r.passed.has(q.Text) {
		return nil
	}
	select {
	case r.checks <- struct{}{}:
		defer func() { <-r.checks }()
	case <-ctx.Done():
		return stopped(ctx)
	}
	if r.passed.has(q.Text) { // while this one waited
		return nil
	}
	err := r.check(ctx, q)
	if err == nil {
		r.passed.add(q.Text)
	}
	return err
}

// Health has a child open the database and compile the smallest query. Errors as with Check.
func (r *Runner) Health(ctx context.Context) error {
	return r.check(ctx, runner.Query{Text: "SELECT 1"})
}

func (r *Runner) check(ctx context.Context, q runner.Query) error {
	limit := r.options.CheckTimeout
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errCheckTimeout)
	defer cancel()
	// SQLite itself gives up before the parent does, so that a query that can't be compiled in time is told from a slow machine.
	req := r.request(doCheck, limit/4*3)
	req.Query = q.Text
	p, err := start(ctx, r.options.Exe, req)
	if err != nil {
		return unavailable(ctx, err)
	}
	_, last, err := p.next(0)
	if err == nil && last.End == nil && last.Error == nil {
		err = fmt.Errorf("%w: a check without an outcome", ErrProtocol)
	}
	err = r.outcome(ctx, p, q.Text, last, err)
	if last.Error != nil && last.Error.Kind == kindInterrupted {
		return &runner.RejectedError{Detail: "The query takes too long to prepare. Make it simpler."}
	}
	return err
}

// Run has a child execute the query and passes its rows on as they are found.
func (r *Runner) Run(ctx context.Context, q runner.Query, out runner.Sink) error {
	if f := inspect(q.Text); f != nil {
		return rejected(q.Text, f)
	}
	var limit time.Duration
	if deadline, ok := ctx.Deadline(); ok {
		limit = time.Until(deadline) + interruptDelay
	}
	req := r.request(doRun, limit)
	req.Query = q.Text
	p, err := start(ctx, r.options.Exe, req)
	if err != nil {
		return unavailable(ctx, err)
	}
	passed := false
	defer func() {
		if !passed { // the sink panicked
			p.stop()
			p.wait()
		}
	}()
	last, err := pass(p, r.options, out)
	passed = true
	return r.outcome(ctx, p, q.Text, last, err)
}

func (r *Runner) request(do string, limit time.Duration) request {
	return request{
		Do: do, Database: r.options.Database, MaxMemory: r.options.MaxMemory,
		MaxRows: r.options.MaxRows, MaxBytes: r.options.MaxBytes, LimitMS: limit.Milliseconds(),
	}
}

// schema has a child read what tables there are, which also shows that children work.
func (r *Runner) schema(ctx context.Context) (*schema, error) {
	p, err := start(ctx, r.options.Exe, r.request(doDescribe, describeTimeout))
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	_, last, err := p.next(0)
	err = r.outcome(ctx, p, "", last, err)
	var failed *runner.FailedError
	switch {
	case last.Error != nil:
		return nil, fmt.Errorf("%w %s: %s", ErrDatabase, r.options.Database, last.Error.Log)
	case errors.As(err, &failed):
		return nil, fmt.Errorf("%w: a child of %s: %s", runner.ErrUnavailable, r.options.Exe, failed.Log)
	case err != nil:
		return nil, err
	case last.Schema == nil:
		return nil, fmt.Errorf("%w: %w: no schema from a child of %s", runner.ErrUnavailable, ErrProtocol, r.options.Exe)
	}
	return last.Schema, nil
}

// outcome waits until the child is gone and says what came of it: its last line, or the error in reading up to it.
func (r *Runner) outcome(ctx context.Context, p *process, query string, last reply, err error) error {
	var fromSink *sinkError
	if err != nil && !errors.Is(err, io.EOF) {
		p.stop()
	}
	crash := p.wait()
	switch {
	case errors.As(err, &fromSink):
		return fromSink.error
	case err == nil && last.Error == nil:
		return nil
	case ctx.Err() != nil:
		return stopped(ctx)
	case err == nil:
		return faultError(query, last.Error, r.options)
	case errors.Is(err, ErrProtocol):
		return &runner.FailedError{Detail: crashed, Log: err.Error() + "\n" + crash}
	}
	return crashError(crash, err, r.options)
}
