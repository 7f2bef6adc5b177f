package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"confluence/queue/runner"
)

// Runner answers read-only SQL over a PostgreSQL database. It has nothing to close: a connection lives as long as the call that opened it.
type Runner struct {
	options     Options
	config      *pgconn.Config
	patience    patience
	description atomic.Pointer[runner.Description]
	described   atomic.Bool   // description is the server's
	checks      chan struct{} // a token for each check that may go on beside the others
}

const (
	parallelChecks = 2
	startTimeout   = 10 * time.Second // for the first look at the database
	// backstop is how much later than by us a query is ended by the server itself.
	backstop = time.Second

	terminateAfter = 3 * time.Second
	lostAfter      = 10 * time.Second
)

// New makes a runner. A server that isn't there yet is no error: the runner is unavailable until it is. Errors: ErrOptions; ErrDatabase
// (wrapped) if the server refuses the role, its password or the database.
func New(options Options) (*Runner, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	config, err := options.connectConfig()
	if err != nil {
		return nil, err
	}
	r := &Runner{
		options: options, config: config, patience: patience{terminateAfter, lostAfter}, checks: make(chan struct{}, parallelChecks),
	}
	r.description.Store(r.unknown())
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	err = r.Health(ctx)
	switch {
	case refusedForGood(err):
		return nil, fmt.Errorf("%w: %w", ErrDatabase, err)
	case err != nil:
		options.Logger.Warn("the database is not available yet", "database", r.String(), "error", err)
	}
	return r, nil
}

// String names the database and the role, without the password.
func (r *Runner) String() string {
	return fmt.Sprintf("the PostgreSQL database %s on %s as %s", r.config.Database, r.config.Host, r.config.User)
}

// Describe tells of the database as it was when it was first seen.
func (r *Runner) Describe() runner.Description { return *r.description.Load() }

// Health opens a connection, and closes it. The first one that it opens also tells what the database holds.
func (r *Runner) Health(ctx context.Context) error {
	s, err := r.open(ctx, r.options.ConnectTimeout)
	if err != nil {
		return &notOpened{unavailable(ctx, err), err}
	}
	defer s.close()
	if r.described.Load() {
		return nil
	}
	d, err := r.describe(s)
	if err != nil {
		return &notOpened{unavailable(ctx, err), err}
	}
	r.description.Store(d)
	r.described.Store(true)
	return nil
}

// notOpened is an error for the runner's callers that knows its cause.
type notOpened struct {
	error
	cause error
}

func (e *notOpened) Unwrap() []error { return []error{e.error, e.cause} }

// Check has PostgreSQL parse the query as a cursor's. Errors: *runner.RejectedError; runner.ErrUnavailable (wrapped); *runner.FailedError
// if the check itself failed; the cause of ctx (wrapped). It finds no missing privilege, which PostgreSQL looks for when a query starts. Checks
// wait for each other, a few go on at once; each takes no longer than the CheckTimeout of the options.
func (r *Runner) Check(ctx context.Context, q runner.Query) error {
	if err := inspect(q.Text); err != nil {
		return err
	}
	select {
	case r.checks <- struct{}{}:
		defer func() { <-r.checks }()
	case <-ctx.Done():
		return stopped(ctx)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.options.CheckTimeout, errCheckTimeout)
	defer cancel()
	s, err := r.open(ctx, r.options.CheckTimeout+backstop)
	if err != nil {
		return unavailable(ctx, err)
	}
	defer s.close()
	if err := s.prepare(q.Text); err != nil {
		return r.outcome(ctx, err)
	}
	return nil
}

// prepare has the query parsed.
func (s *session) prepare(query string) error {
	statement, added := declared(query)
	d, err := s.conn.Prepare(context.Background(), "", statement, nil)
	if err != nil {
		return mistake(query, added, err)
	}
	if len(d.ParamOIDs) > 0 {
		return reject("The query has a parameter, $1. Write the value in its place.")
	}
	return nil
}

// Run executes the query and passes its rows on as they are found.
func (r *Runner) Run(ctx context.Context, q runner.Query, out runner.Sink) error {
	if err := inspect(q.Text); err != nil {
		return err
	}
	var limit time.Duration
	if deadline, ok := ctx.Deadline(); ok {
		limit = time.Until(deadline) + backstop
	}
	s, err := r.open(ctx, limit)
	if err != nil {
		return unavailable(ctx, err)
	}
	defer s.close()
	if err := s.begin(q.Text); err != nil {
		return r.outcome(ctx, err)
	}
	passed := false
	defer func() {
		if !passed { // the sink panicked
			s.abandon()
		}
	}()
	a := answer{session: s, options: r.options, out: out}
	err = a.pass(ctx)
	passed = true
	var tooLarge *pgproto3.ExceededMaxBodyLenErr
	if errors.As(err, &tooLarge) && ctx.Err() == nil {
		return a.truncate(runner.CutAtBytes(a.rows, r.options.MaxBytes))
	}
	return r.outcome(ctx, err)
}

// begin begins the transaction and has PostgreSQL plan the query.
func (s *session) begin(query string) error {
	if _, err := s.conn.Exec(context.Background(), "BEGIN READ ONLY").ReadAll(); err != nil {
		return failure(err)
	}
	if err := s.prepare(query); err != nil {
		return err
	}
	_, added := declared(query)
	// What is found only now, like a missing privilege, is as much the query's fault.
	if err := s.conn.ExecPrepared(context.Background(), "", nil, nil, nil).Read().Err; err != nil {
		var e *pgconn.PgError
		if errors.As(err, &e) && (class(e) == "42" || class(e) == "25" || class(e) == "0A") {
			return mistake(query, added, err)
		}
		return failure(err)
	}
	return nil
}

// outcome is the error for the runner's callers.
func (r *Runner) outcome(ctx context.Context, err error) error {
	var fromSink *sinkError
	var rejected *runner.RejectedError
	var failed *runner.FailedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &fromSink):
		return fromSink.error
	case errors.As(err, &rejected):
		return rejected
	case ctx.Err() != nil:
		return stopped(ctx)
	case errors.As(err, &failed):
		return failed
	}
	return failure(err)
}
