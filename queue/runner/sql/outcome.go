package sql

import (
	"context"
	"fmt"
	"strings"

	"confluence/queue/runner"
)

const crashed = "The database program ended unexpectedly. This is a fault on our side, or the query asks too much of it."

// stopped is the error of a query that its context ended.
func stopped(ctx context.Context) error {
	return fmt.Errorf("sql: stopped: %w", context.Cause(ctx))
}

// unavailable is the error of a child that could not be started.
func unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	return fmt.Errorf("%w: %w", runner.ErrUnavailable, err)
}

// rejected tells the line of a mistake where that helps to find it.
func rejected(query string, f *fault) error {
	if f.Line > 0 && strings.Contains(query, "\n") {
		return &runner.RejectedError{Detail: fmt.Sprintf("Line %d: %s", f.Line, f.Detail)}
	}
	return &runner.RejectedError{Detail: f.Detail}
}

// faultError turns what the child says into the error that the runner's callers know.
func faultError(query string, f *fault, options Options) error {
	switch f.Kind {
	case kindRejected:
		return rejected(query, f)
	case kindFailed:
		return &runner.FailedError{Detail: f.Detail, Log: f.Log}
	case kindMemory:
		return &runner.FailedError{Detail: outOfMemory(options), Log: f.Log}
	case kindInterrupted:
		return &runner.FailedError{Detail: "The query was stopped at its time limit.", Log: "interrupted from inside"}
	case kindUnavailable:
		return fmt.Errorf("%w: %s", runner.ErrUnavailable, f.Log)
	}
	return &runner.FailedError{Detail: crashed, Log: f.Kind + " fault: " + f.Log}
}

// crashError explains a child that ended without its last line.
func crashError(crash string, err error, options Options) error {
	log := fmt.Sprintf("%v; %s", err, crash)
	for _, sign := range []string{"out of memory", "cannot allocate memory", "pthread_create failed", "failed to create new OS thread"} {
		if strings.Contains(crash, sign) {
			return &runner.FailedError{Detail: outOfMemory(options), Log: log}
		}
	}
	switch {
	case strings.Contains(crash, "stack exceeds"):
		return &runner.FailedError{Detail: "The query is nested too deeply.", Log: log}
	case strings.HasPrefix(crash, "signal: killed"):
		return &runner.FailedError{Detail: "The system stopped the query, likely for want of memory.", Log: log}
	}
	return &runner.FailedError{Detail: crashed, Log: log}
}

func outOfMemory(options Options) string {
	return fmt.Sprintf("out of memory: a query may take %s. Ask for fewer or shorter values, or sort and group less at once.",
		runner.Size(options.MaxMemory))
}

// truncation tells the reader of an answer why it is cut.
func truncation(cut string, rows int, options Options) string {
	if cut == cutRows {
		return runner.CutAtRows(rows, options.MaxRows)
	}
	return runner.CutAtBytes(rows, options.MaxBytes)
}
