// Package runner is what stands behind the line: something that takes a query and answers it.
//
// A Runner executes one query at a time for each slot. It writes its answer to a Sink as it comes: either text, or columns once and then rows.
// Run returns only when everything that it started has ended, so that the slot can be given on; when ctx ends it stops at once.
package runner

import (
	"context"
	"errors"
	"time"
)

// Query is what a visitor asks.
type Query struct {
	Text string
}

// Column is one column of a table.
type Column struct {
	Name string
}

// Sink takes an answer as it comes. A call that errs is final: the runner stops and returns that error. The sink keeps nothing of the
// slices that it is given after the call, but it may keep the values in them.
type Sink interface {
	// Columns comes once, before any Rows; never beside Text.
	Columns([]Column) error
	// Rows adds rows; each cell is nil, bool, int64, float64, string (valid UTF-8) or []byte.
	Rows([][]any) error
	// Text adds text in valid UTF-8.
	Text(string) error
	// Truncated says once that the answer was cut, and why, in words for its reader.
	Truncated(why string)
}

// Runner executes queries. Its methods may be called concurrently.
type Runner interface {
	// Describe says what the runner is, for the form.
	Describe() Description
	// Check finds a mistake in the query without running it: nil, a *RejectedError, or another error if it can't tell. A runner that can't
	// check answers nil.
	Check(ctx context.Context, q Query) error
	// Run executes the query. Errors: *RejectedError, ErrUnavailable (wrapped), *FailedError, the cause of ctx (wrapped), the Sink's.
	Run(ctx context.Context, q Query, out Sink) error
}

// Description is what the form tells of a runner.
type Description struct {
	Title    string // "Ask the demo library’s database"
	Limits   string // "Read-only SQL, one statement."
	Language string // "sql", "text"
	Markdown bool   // its texts are Markdown
	Examples []Example
	About    string // "Tables: loans, branches, titles."
}

// Example is a query that the form offers.
type Example struct {
	Title string
	Text  string
}

// HealthChecker is a Runner that can tell whether it would serve, without a query. Nobody is called while it can't.
type HealthChecker interface {
	// Health answers nil if a query would be served now. It is called often, never twice at once, and not while every slot is taken; ctx
	// bounds it.
	Health(ctx context.Context) error
}

// ErrUnavailable says that the runner can't serve now.
var ErrUnavailable = errors.New("the runner is not available")

// UnavailableError is an ErrUnavailable that knows more.
type UnavailableError struct {
	RetryAfter time.Duration // when asking again may help; 0: not known
	Log        string        // for the operator's log, with internals
}

func (e *UnavailableError) Error() string { return ErrUnavailable.Error() + ": " + e.Log }

// Is makes errors.Is(err, ErrUnavailable) true.
func (e *UnavailableError) Is(target error) bool { return target == ErrUnavailable }

// RejectedError is a mistake in the query itself, in the runner's own words.
type RejectedError struct {
	Detail string
}

func (e *RejectedError) Error() string { return "query rejected: " + e.Detail }

// FailedError is a run that failed: Detail is for its owner, Log (with internals) for the operator's log.
type FailedError struct {
	Detail string
	Log    string
}

func (e *FailedError) Error() string { return "run failed: " + e.Detail }
