package sql

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

const (
	endless       = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)`
	endlessSilent = endless + ` SELECT count(*) FROM n`
	// endlessSlow finds a row every few hundredths of a second.
	endlessSlow = endless + ` SELECT i, (WITH RECURSIVE m (j) AS (SELECT 1 UNION ALL SELECT j + 1 FROM m WHERE j < 20000) SELECT sum(j) FROM m WHERE j + i > 0) FROM n`
)

func TestConformance(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demo.db")
	if err := copyFile(path, demoFile); err != nil {
		t.Fatal(err)
	}
	runnertest.Test(t, runnertest.Backend{
		Runner:  newRunner(t, Options{Database: path}),
		Answer:  demoExamples[0].Text,
		Silent:  endlessSilent,
		Stream:  endlessSlow,
		Faulty:  `SELECT brnch FROM loans`,
		Failing: `SELECT json_extract('{', '$.a')`,
		TooLong: endless + ` SELECT i FROM n`,
		Break: func(t *testing.T) func() {
			rename(t, path, path+".away")
			return func() { rename(t, path+".away", path) }
		},
		Remains: func() int { return len(children()) },
	})
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// The program itself is the child when nothing else is said.
func TestOwnProgramAsChild(t *testing.T) {
	r, err := New(Options{Database: database(t, `CREATE TABLE t (a); INSERT INTO t VALUES (7);`)})
	if err != nil {
		t.Fatal(err)
	}
	var sink runnertest.Recorder
	if err := r.Run(t.Context(), runner.Query{Text: `SELECT a FROM t`}, &sink); err != nil {
		t.Fatal(err)
	}
	if _, rows := sink.Table(); !reflect.DeepEqual(rows, [][]any{{int64(7)}}) {
		t.Errorf("got %v", rows)
	}
}

func TestNewSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	text := dir + "/text.db"
	if err := os.WriteFile(text, []byte("This is no database, whatever its name says.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	torn := dir + "/torn.db"
	whole, err := os.ReadFile(database(t, `CREATE TABLE t (a);`))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(torn, append(whole[:100:100], make([]byte, 50_000)...), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		options Options
		is      error
		says    string
	}{
		"no name":       {Options{}, ErrOptions, "no database is named"},
		"missing":       {Options{Database: dir + "/none.db"}, ErrDatabase, "no such file"},
		"a folder":      {Options{Database: dir}, ErrDatabase, "is not a file"},
		"text":          {Options{Database: text}, ErrDatabase, "is not a SQLite file"},
		"torn":          {Options{Database: torn}, ErrDatabase, "malformed"},
		"rows":          {Options{Database: demoFile, MaxRows: -1}, ErrOptions, "MaxRows is -1"},
		"bytes":         {Options{Database: demoFile, MaxBytes: -1}, ErrOptions, "MaxBytes is -1"},
		"memory":        {Options{Database: demoFile, MaxMemory: 1}, ErrOptions, "MaxMemory is 1 bytes, it must be at least"},
		"timeout":       {Options{Database: demoFile, CheckTimeout: -1}, ErrOptions, "CheckTimeout"},
		"no program":    {Options{Database: demoFile, Exe: dir + "/none"}, runner.ErrUnavailable, "no such file"},
		"other program": {Options{Database: demoFile, Exe: "/bin/cat"}, ErrProtocol, "/bin/cat"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.options.Exe == "" {
				c.options.Exe = childExe
			}
			_, err := New(c.options)
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %v with %q", err, c.is, c.says)
			}
		})
	}
}

// A main that never calls MaybeChild would start itself again as a whole.
func TestNewNeedsMaybeChild(t *testing.T) {
	armed.Store(false)
	defer armed.Store(true)
	if _, err := New(Options{Database: demoFile}); !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), "MaybeChild") {
		t.Error(err)
	}
}

func TestTypes(t *testing.T) {
	path := database(t, `
		CREATE TABLE t (a);
		INSERT INTO t VALUES (NULL), (9223372036854775807), (-9223372036854775808), (9007199254740993), (0), (1.0), (-0.1), (1e300), (9e999), (-9e999),
			(x'00ff10'), (x''), (''), ('naïve “text”'), (CAST(x'41ff42' AS TEXT)), (char(0, 9, 10, 34, 92, 127, 8232)), ('</script>');`)
	var sink runnertest.Recorder
	if err := newRunner(t, Options{Database: path}).Run(t.Context(), runner.Query{Text: `SELECT a FROM t ORDER BY rowid`}, &sink); err != nil {
		t.Fatal(err)
	}
	want := []any{
		nil, int64(math.MaxInt64), int64(math.MinInt64), int64(1<<53 + 1), int64(0), 1.0, -0.1, 1e300, math.Inf(1), math.Inf(-1),
		[]byte{0, 255, 16}, []byte{}, "", "naïve “text”", "A\uFFFDB", "\x00\t\n\"\\\x7f\u2028", "</script>",
	}
	_, rows := sink.Table()
	if len(rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(rows), len(want))
	}
	for i, row := range rows {
		if !reflect.DeepEqual(row, []any{want[i]}) {
			t.Errorf("row %d: %#v, want %#v", i, row[0], want[i])
		}
	}
}

func TestEmptyAnswerHasColumns(t *testing.T) {
	var sink runnertest.Recorder
	if err := demo(t).Run(t.Context(), runner.Query{Text: `SELECT branch, 1 AS "näme" FROM branches WHERE 0`}, &sink); err != nil {
		t.Fatal(err)
	}
	columns, rows := sink.Table()
	if !reflect.DeepEqual(columns, []string{"branch", "näme"}) || len(rows) != 0 {
		t.Errorf("columns %q, rows %v", columns, rows)
	}
}

// Rows come as they are found, in their order, the first ones while the query goes on.
func TestRowsStream(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var sink runnertest.Recorder
	sink.OnOutput = func() {
		if sink.Batches() == 5 {
			cancel()
		}
	}
	err := demo(t).Run(ctx, runner.Query{Text: endlessSlow}, &sink)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	_, rows := sink.Table()
	if len(rows) < 5 || len(rows) > 100 {
		t.Errorf("%d rows in 5 batches of a slow query", len(rows))
	}
	for i, row := range rows {
		if row[0] != int64(i+1) {
			t.Fatalf("row %d is %v", i, row)
		}
	}
}

// A fast answer takes few calls.
func TestRowsComeInBatches(t *testing.T) {
	var sink runnertest.Recorder
	if err := demo(t).Run(t.Context(), runner.Query{Text: `SELECT value, 'some words' FROM generate_series(1, 50000)`}, &sink); err != nil {
		t.Fatal(err)
	}
	_, rows := sink.Table()
	if len(rows) != 50_000 || sink.Batches() > 1000 {
		t.Errorf("%d rows in %d batches", len(rows), sink.Batches())
	}
	for i, row := range rows {
		if row[0] != int64(i+1) {
			t.Fatalf("row %d is %v", i, row)
		}
	}
}

// A sink that takes its time must not keep a cancel from killing the child.
func TestCancelKillsBehindASlowSink(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan bool, 1)
	var sink runnertest.Recorder
	sink.OnOutput = func() {
		if ctx.Err() != nil {
			return
		}
		cancel()
		gone <- eventually(5*stopped300, func() bool { return onlyDead(children()) })
	}
	if err := demo(t).Run(ctx, runner.Query{Text: endlessSlow}, &sink); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if !<-gone {
		t.Error("the child was still alive long after the cancel")
	}
}

func TestCancelIsQuick(t *testing.T) {
	quickest := time.Hour // the machine may be busy with other things at some of the times
	for range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		var canceled time.Time
		time.AfterFunc(100*time.Millisecond, func() { canceled = time.Now(); cancel() })
		err := demo(t).Run(ctx, runner.Query{Text: endlessSilent}, new(runnertest.Recorder))
		quickest = min(quickest, time.Since(canceled))
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if left := children(); len(left) > 0 {
			t.Errorf("processes %v remain", left)
		}
	}
	if quickest > stopped300 {
		t.Errorf("Run returned %v after the cancel", quickest)
	}
	t.Logf("Run returned %v after the cancel", quickest)
}

const stopped300 = 300 * time.Millisecond

// eventually polls until the condition holds, or the time is over.
func eventually(within time.Duration, condition func() bool) bool {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.After(within); ; {
		if condition() {
			return true
		}
		select {
		case <-tick.C:
		case <-end:
			return false
		}
	}
}

func TestCaps(t *testing.T) {
	count := func(limit string) string { return endless + ` SELECT i FROM n LIMIT ` + limit }
	for name, c := range map[string]struct {
		options Options
		query   string
		rows    int
		cut     string
	}{
		"rows":                {Options{MaxRows: 1200}, count("1201"), 1200, "Only the first 1,200 rows are here: an answer has at most 1,200."},
		"rows, just fitting":  {Options{MaxRows: 1200}, count("1200"), 1200, ""},
		"one row":             {Options{MaxRows: 1}, count("2"), 1, "Only the first row is here: an answer has at most 1."},
		"bytes":               {Options{MaxBytes: 2048}, `SELECT hex(zeroblob(250)) FROM generate_series(1, 9)`, 4, "Only the first 4 rows are here: an answer has at most 2 KiB."},
		"bytes, no row":       {Options{MaxBytes: 2048}, `SELECT hex(zeroblob(2000))`, 0, "No row is here: an answer has at most 2 KiB."},
		"bytes, many columns": {Options{MaxBytes: 100}, `SELECT zeroblob(30), zeroblob(30), zeroblob(30)`, 0, "No row is here: an answer has at most 100 bytes."},
		"bytes, escapes":      {Options{MaxBytes: 1000}, `SELECT replace(hex(zeroblob(200)), '0', char(1))`, 0, "No row is here: an answer has at most 1000 bytes."},
		"bytes, one too many": {Options{MaxBytes: 7}, `SELECT 'abcd'`, 0, "No row is here: an answer has at most 7 bytes."},
		"bytes, just fitting": {Options{MaxBytes: 8}, `SELECT 'abcd'`, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.options.Database = demoFile
			var sink runnertest.Recorder
			if err := newRunner(t, c.options).Run(t.Context(), runner.Query{Text: c.query}, &sink); err != nil {
				t.Fatal(err)
			}
			if _, rows := sink.Table(); len(rows) != c.rows || sink.Cut() != c.cut {
				t.Errorf("%d rows and %q, want %d and %q", len(rows), sink.Cut(), c.rows, c.cut)
			}
		})
	}
}

func TestFailuresSpeakForTheDatabase(t *testing.T) {
	for query, want := range map[string]string{
		`SELECT abs(-9223372036854775808)`:                 "integer overflow",
		`SELECT json_extract('{', '$.a')`:                  "malformed JSON",
		`SELECT zeroblob(1000000000)`:                      "string or blob too big",
		`SELECT note FROM notes_text WHERE note MATCH '"'`: "unterminated string",
		`SELECT sum(9223372036854775807) FROM loans`:       "integer overflow",
	} {
		err := demo(t).Run(t.Context(), runner.Query{Text: query}, new(runnertest.Recorder))
		var failed *runner.FailedError
		if !errors.As(err, &failed) || failed.Detail != want {
			t.Errorf("%q: %v, want %q", query, err, want)
		}
	}
}

// What came before a failure was passed on.
func TestHalfAnswer(t *testing.T) {
	var sink runnertest.Recorder
	query := `SELECT abs(iif(value < 4, value, -9223372036854775808)) FROM generate_series(1, 9)`
	err := demo(t).Run(t.Context(), runner.Query{Text: query}, &sink)
	var failed *runner.FailedError
	if !errors.As(err, &failed) {
		t.Error(err)
	}
	if _, rows := sink.Table(); len(rows) != 3 {
		t.Errorf("rows %v", rows)
	}
}

// A database that went away makes the runner unavailable, not the query wrong.
func TestDatabaseGone(t *testing.T) {
	path := database(t, `CREATE TABLE t (a);`)
	r := newRunner(t, Options{Database: path})
	rename(t, path, path+".away")
	if err := r.Check(t.Context(), runner.Query{Text: `SELECT * FROM t`}); !errors.Is(err, runner.ErrUnavailable) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Health(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
