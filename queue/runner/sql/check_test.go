package sql

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

func TestCheckSpeaksForTheDatabase(t *testing.T) {
	for query, want := range map[string]string{
		"":                                  noStatement,
		" \n;;":                             noStatement,
		"-- nothing\n/* at all */ ; /* end": noStatement,
		"SELECT brnch FROM branches":        "no such column: brnch. Did you mean branch?",
		"SELECT count(*),\n  brnch\nFROM loans JOIN branches USING (branch_id)": "Line 2: no such column: brnch. Did you mean branch?",
		"\n\n-- x\nSELECT\nl.borowed FROM loans l":                              "Line 5: no such column: l.borowed. Did you mean borrowed?",
		"SELECT xyzzy FROM loans":                                               "no such column: xyzzy",
		"SELECT * FROM lonas":                                                   "no such table: lonas. Did you mean loans?",
		"SELEC 1":                                                               `near "SELEC": syntax error`,
		"SELECT nosuch(1)":                                                      "no such function: nosuch",
		"SELECT 'open":                                                          `unrecognized token: "'open"`,
		"SELECT (1":                                                             "incomplete input",
		"SELECT 1; SELECT 2":                                                    "Only one statement at a time. A second one begins here.",
		"SELECT 1;\n-- two\nSELECT 2":                                           "Line 3: Only one statement at a time. A second one begins here.",
		"SELECT * FROM loans WHERE loan_id = ?":                                 "The query has a parameter, ?. Write the value in its place.",
		"SELECT :name":                                                          "The query has a parameter, :name. Write the value in its place.",
		"SELECT \xff":                                                           "The query is not valid UTF-8 text.",
		"SELECT 1\x00; DELETE FROM loans":                                       "The query contains a NUL character.",
		"DELETE FROM loans":                                                     onlyReading,
		"SELECT 1 /* " + strings.Repeat("x", maxQueryBytes):                     "The query is longer than 1 MiB.",
	} {
		err := demo(t).Check(t.Context(), runner.Query{Text: query})
		var rejected *runner.RejectedError
		if !errors.As(err, &rejected) || rejected.Detail != want {
			t.Errorf("%.60q:\n got %v\nwant %v", query, err, want)
		}
	}
}

func TestCheckPasses(t *testing.T) {
	for _, query := range []string{
		"SELECT 1", ";; SELECT 1 ;; -- end", "/* a */ SELECT 1 /* b", "VALUES (1), (2)", "\uFEFFSELECT 1",
		"WITH t AS (SELECT 1 AS a) SELECT a FROM t", "EXPLAIN QUERY PLAN SELECT * FROM loans", "SELECT * FROM sqlite_schema",
		"PRAGMA table_info(loans)", "SELECT * FROM pragma_table_info('loans')", "SELECT ';' -- ;",
		"SELECT snippet(notes_text, 0, '[', ']', '…', 8), bm25(notes_text) FROM notes_text WHERE notes_text MATCH 'water NEAR damage'",
	} {
		if err := demo(t).Check(t.Context(), runner.Query{Text: query}); err != nil {
			t.Errorf("%q: %v", query, err)
		}
		var sink runnertest.Recorder
		if err := demo(t).Run(t.Context(), runner.Query{Text: query}, &sink); err != nil {
			t.Errorf("run %q: %v", query, err)
		}
	}
}

func TestCheckStopsWithItsContext(t *testing.T) {
	cause := errors.New("nobody asks any more")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := demo(t).Check(ctx, runner.Query{Text: "SELECT 'not asked before'"}); !errors.Is(err, cause) {
		t.Error(err)
	}
	r := newRunner(t, Options{Database: demoFile, CheckTimeout: time.Nanosecond})
	if err := r.Check(t.Context(), runner.Query{Text: "SELECT 1"}); !errors.Is(err, errCheckTimeout) {
		t.Error(err)
	}
}

// The same text is checked once, however many ask it; a mistake each time, since the tables may change.
func TestCheckRemembersWhatPassed(t *testing.T) {
	r := newRunner(t, Options{Database: demoFile})
	var askers sync.WaitGroup
	for range 50 {
		askers.Go(func() {
			if err := r.Check(t.Context(), runner.Query{Text: "SELECT 1"}); err != nil {
				t.Error(err)
			}
		})
	}
	askers.Wait()
	r.options.Exe = "/none" // no further child
	if err := r.Check(t.Context(), runner.Query{Text: "SELECT 1"}); err != nil {
		t.Error(err)
	}
	if err := r.Check(t.Context(), runner.Query{Text: "SELECT 2"}); !errors.Is(err, runner.ErrUnavailable) {
		t.Error(err)
	}
	for i := range 2 * passedTexts {
		r.passed.add(strconv.Itoa(i))
	}
	r.passed.add(strings.Repeat("x", passedTextBytes+1))
	if n := len(r.passed.texts); n > passedTexts {
		t.Errorf("%d texts are kept", n)
	}
}
