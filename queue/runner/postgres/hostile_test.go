package postgres

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

// refused are statements that Check rejects, with a part of its words.
var refused = map[string]string{
	"":                               noStatement,
	" ;; -- nothing\n":               noStatement,
	"SELECT 1\x00":                   "NUL",
	"SELECT '\xff'":                  "not valid UTF-8",
	strings.Repeat(" ", 1<<20) + "1": "longer than 1 MiB",

	`SELECT 1; DELETE FROM loans`:        oneStatement,
	`SELECT 1; COMMIT; DROP TABLE loans`: oneStatement,
	`SELECT brnch FROM branches`:         `column "brnch" does not exist. Perhaps you meant to reference the column "branches.branch".`,
	"SELECT 1,\n\n  nme\nFROM loans":     `Line 3: column "nme" does not exist`,
	"-- ä comment\nSELECT\n(":            `Line 3: syntax error at end of input`,
	`SELECT $1`:                          "parameter",
	`SELECT * FROM none`:                 `relation "none" does not exist`,
	`SELECT 1 INTO t`:                    "INTO",

	`DELETE FROM loans`:                                                onlyReading,
	`INSERT INTO branches VALUES (99, 'x')`:                            onlyReading,
	`UPDATE loans SET branch_id = 1`:                                   onlyReading,
	`WITH t AS (DELETE FROM loans RETURNING *) TABLE t`:                onlyReading,
	`WITH t AS (SELECT 1) DELETE FROM loans`:                           "syntax error",
	`MERGE INTO loans USING branches ON true WHEN MATCHED THEN DELETE`: onlyReading,
	`TRUNCATE loans`:                                                   onlyReading,
	`CREATE TEMP TABLE t (a int)`:                                      onlyReading,
	`DROP TABLE loans`:                                                 onlyReading,
	`COPY loans TO '/tmp/x'`:                                           onlyReading,
	`COPY (SELECT 1) TO PROGRAM 'sh'`:                                  onlyReading,
	`COPY loans TO STDOUT`:                                             onlyReading,
	`DO $$ BEGIN PERFORM 1; END $$`:                                    onlyReading,
	`CALL p()`:                                                         onlyReading,
	`SET statement_timeout = 0`:                                        onlyReading,
	`SET TRANSACTION READ WRITE`:                                       onlyReading,
	`RESET ALL`:                                                        onlyReading,
	`SET ROLE postgres`:                                                onlyReading,
	`BEGIN READ WRITE`:                                                 onlyReading,
	`COMMIT`:                                                           onlyReading,
	`ROLLBACK`:                                                         onlyReading,
	`PREPARE TRANSACTION 'x'`:                                          onlyReading,
	`LOCK TABLE loans`:                                                 onlyReading,
	`LISTEN x`:                                                         onlyReading,
	`VACUUM`:                                                           onlyReading,
	`EXPLAIN ANALYZE DELETE FROM loans`:                                onlyReading,
	`LOAD 'x'`:                                                         onlyReading,
	`CLOSE confluence`:                                                 onlyReading,
	`DECLARE c CURSOR FOR SELECT 1`:                                    onlyReading,
	`CREATE EXTENSION dblink`:                                          onlyReading,
	"SELECT " + strings.Repeat("(", 50_000) + "1" + strings.Repeat(")", 50_000): "memory exhausted",
}

func TestRefused(t *testing.T) {
	r := newRunner(t, Options{})
	for query, says := range refused {
		sink := new(runnertest.Recorder)
		for what, err := range map[string]error{
			"check": r.Check(t.Context(), runner.Query{Text: query}),
			"run":   r.Run(t.Context(), runner.Query{Text: query}, sink),
		} {
			var rejected *runner.RejectedError
			if !errors.As(err, &rejected) || !strings.Contains(rejected.Detail, says) {
				t.Errorf("%s %.80q: %v, want a rejection with %q", what, query, err, says)
			}
		}
		if !sink.Empty() {
			t.Errorf("%.80q: output of a query that was rejected", query)
		}
	}
	if n := sessions(t); n > 0 {
		t.Errorf("%d sessions remain", n)
	}
}

// What passes the check leaves no trace when it runs, even for a role that may write and call everything: what the read-only transaction lets
// through is never committed.
func TestNothingIsWritten(t *testing.T) {
	state := func() string {
		t.Helper()
		got, err := server.Query(t.Context(), "library", `
			SELECT concat((SELECT count(*) FROM branches), ' ', (SELECT count(*) FROM pg_class WHERE relpersistence <> 't'), ' ',
				(SELECT count(*) FROM pg_largeobject_metadata), ' ', (SELECT count(*) FROM pg_roles))`)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	before := state()
	r := newRunner(t, Options{URL: server.SocketURL("library")})
	for _, query := range []string{
		`SELECT add_branch()`,
		`SELECT * FROM branches FOR UPDATE`,
		`SELECT set_config('transaction_read_only', 'off', false)`,
		`SELECT set_config('transaction_read_only', 'off', false), add_branch()`,
		`SELECT set_config('default_transaction_read_only', 'off', false), add_branch() FROM generate_series(1, 1000)`,
		`SELECT query_to_xml('DELETE FROM branches RETURNING 1', true, true, '')`,
		`SELECT query_to_xml('COPY branches TO ''/tmp/stolen''', true, true, '')`,
		`SELECT lo_creat(-1)`,
		`SELECT nextval('numbers')`,
	} {
		if _, err := ask(t, r, query); err == nil && !strings.Contains(query, "lo_creat") {
			t.Errorf("%s: no error", query)
		}
	}
	if after := state(); after != before {
		t.Errorf("the database was %q, is %q", before, after)
	}
}

// What the role may not do, PostgreSQL refuses, and it is told as the query's fault.
func TestTheRoleIsTheWall(t *testing.T) {
	r := newRunner(t, Options{})
	for query, says := range map[string]string{
		`SELECT * FROM secrets`:                                         "permission denied for table secrets",
		`SELECT pg_read_file('/etc/passwd')`:                            "permission denied for function pg_read_file",
		`SELECT pg_ls_dir('/')`:                                         "permission denied for function pg_ls_dir",
		`SELECT lo_import('/etc/passwd')`:                               "permission denied for function lo_import",
		`SELECT rolpassword FROM pg_authid`:                             "permission denied for table pg_authid",
		`SELECT set_config('role', 'postgres', false)`:                  `permission denied to set role "postgres"`,
		`SELECT set_config('session_authorization', 'postgres', false)`: "permission denied to set session authorization",
	} {
		_, err := ask(t, r, query)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", query, err, says)
		}
	}
}

// The server's own limit ends a query if we can't, and nothing is left behind.
func TestStopped(t *testing.T) {
	r := newRunner(t, Options{})
	for _, query := range []string{
		endless,
		`SELECT count(*) FROM loans a, loans b, loans c`,
		`SELECT repeat('x', 100000000) FROM generate_series(1, 1000000)`,
		`SELECT repeat(repeat('x', 10000000), 1000)`,
		`SELECT string_agg(repeat('x', 1000000), '') FROM generate_series(1, 100000)`,
		`SELECT * FROM loans a, loans b ORDER BY random()`,
		`SELECT repeat('x', 1000000) LIKE repeat('%x', 300) || 'y'`,
		`SELECT regexp_matches(repeat('a', 10000), '(a*)*(a*)*(a*)*b')`,
		`SELECT pg_advisory_lock(1), pg_sleep(3600)`,
		`SELECT array_fill(1, ARRAY[20000000])`, // it looks for a cancel only at its end
		`SELECT pg_sleep(0.001), set_config('statement_timeout', '0', false) FROM generate_series(1, 1000000)`,
		`WITH RECURSIVE n (s) AS (SELECT 'x' UNION ALL SELECT s || s FROM n) SELECT max(length(s)) FROM n`,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		start := time.Now()
		err := r.Run(ctx, runner.Query{Text: query}, new(runnertest.Recorder))
		cancel()
		took := time.Since(start)
		t.Logf("%v: %v: %.60s", took.Round(time.Millisecond), err, query)
		var failed *runner.FailedError
		if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &failed) {
			t.Errorf("%s: %v", query, err)
		}
		if took > 5*time.Second {
			t.Errorf("%s took %v", query, took)
		}
	}
	if n := sessions(t); n > 0 {
		t.Errorf("%d sessions remain", n)
	}
}
