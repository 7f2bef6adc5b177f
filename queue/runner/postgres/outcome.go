package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"confluence/queue/runner"
)

const (
	brokenOff     = "The connection to the database broke off."
	internalFault = "The database had an internal error."
	atTimeLimit   = "The query was stopped at its time limit."
	retryAfter    = 5 * time.Second
)

// stopped is the error of a query that its context ended.
func stopped(ctx context.Context) error {
	return fmt.Errorf("postgres: stopped: %w", context.Cause(ctx))
}

// unavailable is the error of a connection that could not be opened. What pgconn says holds the role, the database and the address, never
// the password.
func unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	return &runner.UnavailableError{RetryAfter: retryAfter, Log: err.Error()}
}

// refusedForGood says whether the server is there but will never have us as we are: the SQLSTATE is of a wrong role, password or database.
func refusedForGood(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (class(e) == "28" || e.Code == "3D000" || e.Code == "42501")
}

func class(e *pgconn.PgError) string { return e.Code[:min(2, len(e.Code))] }

// Classes of SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html
const (
	queryCanceled  = "57014"
	syntaxError    = "42601"
	notImplemented = "0A000"
)

// mistake turns an error in preparing a query into that of a faulty one, or else of a failure. added is what makes the error's position
// one in the query.
func mistake(query string, added int, err error) error {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return failure(err)
	}
	switch class(e) {
	case "08", "53", "55", "57", "58", "XX":
		return failure(err)
	}
	switch {
	case e.Code == syntaxError && e.Position == 0 && e.Routine == "exec_parse_message":
		return reject(oneStatement)
	case e.Code == notImplemented && e.Routine == "transformDeclareCursorStmt":
		return reject(onlyReading)
	}
	detail := words(e)
	if line := lineOf(query, int(e.Position)+added); line > 0 && strings.Contains(query, "\n") {
		detail = fmt.Sprintf("Line %d: %s", line, detail)
	}
	return reject(detail)
}

// words are PostgreSQL's, with its advice.
func words(e *pgconn.PgError) string {
	said := text([]byte(e.Message))
	if e.Hint == "" {
		return said
	}
	hint := text([]byte(e.Hint))
	return strings.TrimSuffix(said, ".") + ". " + hint
}

// lineOf is the line, from 1, of the query's character at a position that counts from 1; 0 if there is none.
func lineOf(query string, position int) int {
	if position < 1 {
		return 0
	}
	line := 1
	for _, c := range query {
		if position--; position == 0 {
			break
		}
		if c == '\n' {
			line++
		}
	}
	return line
}

// failure is the error of a run that failed at the server, or lost it.
func failure(err error) error {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return &runner.FailedError{Detail: brokenOff, Log: err.Error()}
	}
	log := fmt.Sprintf("%s: %s (SQLSTATE %s)", e.Severity, e.Message, e.Code)
	for _, more := range []string{e.Detail, e.Where} {
		if more != "" {
			log += "; " + more
		}
	}
	switch {
	case e.Code == queryCanceled:
		return &runner.FailedError{Detail: atTimeLimit, Log: log}
	case class(e) == "57", class(e) == "08", e.Severity == "FATAL", e.Severity == "PANIC":
		return &runner.FailedError{Detail: brokenOff, Log: log}
	case class(e) == "58", class(e) == "XX":
		return &runner.FailedError{Detail: internalFault, Log: log}
	}
	return &runner.FailedError{Detail: words(e), Log: log}
}
