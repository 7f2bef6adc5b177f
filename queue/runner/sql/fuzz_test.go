package sql

import (
	"context"
	"errors"
	"flag"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

// fuzzSchema has a little of everything, so that hashing it costs nothing.
const fuzzSchema = `
	CREATE TABLE loans (loan_id INTEGER PRIMARY KEY, branch_id INTEGER, borrowed TEXT, days_out INTEGER);
	CREATE TABLE branches (branch_id INTEGER PRIMARY KEY, branch TEXT, opened TEXT, seats INTEGER);
	CREATE VIEW busy AS SELECT branch_id, count(*) AS n FROM loans GROUP BY branch_id;
	CREATE INDEX loans_by_branch ON loans (branch_id);
	CREATE TABLE notes (note_id INTEGER PRIMARY KEY, note TEXT);
	CREATE VIRTUAL TABLE notes_text USING fts5(note, content='notes', content_rowid='note_id');
	CREATE VIRTUAL TABLE words USING fts5vocab('notes_text', 'row');
	CREATE TRIGGER added AFTER INSERT ON loans BEGIN DELETE FROM branches; END;
	INSERT INTO branches SELECT value, 'Branch ' || value, '1990', value FROM generate_series(1, 20);
	INSERT INTO loans SELECT value, value % 20, '2026-01-01', value % 30 FROM generate_series(1, 500);
	INSERT INTO notes SELECT value, 'water damage on page ' || value FROM generate_series(1, 50);
	INSERT INTO notes_text (notes_text) VALUES ('rebuild');
	ANALYZE;`

// harmless are seeds that are answered.
var harmless = []string{
	`SELECT branch, count(*) FROM loans JOIN branches USING (branch_id) GROUP BY 1 ORDER BY 2 DESC LIMIT 5`,
	`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT sum(i) FROM n`,
	`SELECT snippet(notes_text, 0, '[', ']', '…', 4), bm25(notes_text) FROM notes_text WHERE notes_text MATCH 'water NEAR damage'`,
	`SELECT term, doc FROM words ORDER BY doc DESC`,
	`SELECT row_number() OVER (PARTITION BY branch_id ORDER BY loan_id), json_object('a', x'00') FROM loans`,
	`SELECT * FROM pragma_table_info('loans') -- comment`,
	`VALUES (1, NULL, 'x'), (2.5, x'ff', '')`,
	`EXPLAIN QUERY PLAN SELECT * FROM busy`,
}

// FuzzQuery: whatever is asked is refused, answered or stopped within the limits, and changes nothing.
//
//	go test -run '^$' -fuzz FuzzQuery -fuzztime 5m -fuzzminimizetime 1x ./queue/runner/sql
func FuzzQuery(f *testing.F) {
	fuzzing := flag.Lookup("test.fuzz").Value.String() != ""
	for _, query := range harmless {
		f.Add(query)
	}
	for i, query := range slices.Sorted(maps.Keys(refused)) {
		if fuzzing || i%3 == 0 { // TestHostile has them all
			f.Add(query)
		}
	}
	for i, query := range stoppedSoon {
		if fuzzing || i%4 == 0 {
			f.Add(query)
		}
	}
	path := fuzzDatabase(f)
	r, err := New(Options{Database: path, Exe: childExe, CheckTimeout: fuzzLimit})
	if err != nil {
		f.Fatal(err)
	}
	before := fingerprint(f, path)
	f.Fuzz(func(t *testing.T, query string) {
		peak := peakMemory()
		checked := isKnown(t, "check", r.Check(t.Context(), runner.Query{Text: query}))
		ran := isKnown(t, "run", runBriefly(t, r, query))
		if checked == endRejected && ran != endRejected && ran != endStopped {
			t.Errorf("the check rejects it, but the run ends as %s", ran)
		}
		if took := peak(); took > memoryMost {
			t.Errorf("it took %d KiB of memory, at most %d are allowed", took, memoryMost)
		}
		if left := children(); len(left) > 0 {
			t.Errorf("processes %v remain", left)
		}
		if after := fingerprint(t, path); after != before {
			t.Errorf("the folder of the database was %s, is %s", before, after)
		}
	})
}

// fuzzLimit is the time limit of a check and of a run.
const fuzzLimit = 200 * time.Millisecond

func fuzzDatabase(f *testing.F) (path string) {
	f.Helper()
	path = filepath.Join(f.TempDir(), "fuzz.db")
	conn, err := sqlite3.Open(path)
	if err != nil {
		f.Fatal(err)
	}
	if err := errors.Join(fts5.Register(conn), conn.Exec(fuzzSchema), conn.Close()); err != nil {
		f.Fatal(err)
	}
	return path
}

func runBriefly(t *testing.T, r *Runner, query string) error {
	t.Helper()
	const slack = 5 * time.Second // the machine may be busy with other tests
	ctx, cancel := context.WithTimeout(t.Context(), fuzzLimit)
	defer cancel()
	var sink runnertest.Recorder
	start := time.Now()
	err := r.Run(ctx, runner.Query{Text: query}, &sink)
	if took := time.Since(start); took > fuzzLimit+slack {
		t.Errorf("it took %v", took)
	}
	for _, breach := range sink.Breaches() {
		t.Errorf("the runner broke the contract of its sink: %s", breach)
	}
	return err
}

// How a query can end.
const (
	endAnswered = "answered"
	endRejected = "rejected"
	endFailed   = "failed"
	endStopped  = "stopped"
)

// isKnown says how a query ended, and fails if that must not be.
func isKnown(t *testing.T, what string, err error) string {
	t.Helper()
	var failed *runner.FailedError
	var rejected *runner.RejectedError
	switch {
	case err == nil:
		return endAnswered
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, errCheckTimeout):
		return endStopped
	case errors.As(err, &rejected) && strings.Contains(rejected.Detail, "takes too long to prepare"):
		return endStopped
	case errors.As(err, &rejected):
		return endRejected
	case !errors.As(err, &failed):
		t.Errorf("%s: an error of no known kind: %v", what, err)
	case failed.Detail == crashed:
		t.Errorf("%s: the child crashed: %s", what, failed.Log)
	}
	return endFailed
}
