package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

const (
	silent   = `SELECT pg_sleep(7200)`
	slowRows = `SELECT i, pg_sleep(0.03) FROM generate_series(1, 1000000) i`
	many     = `SELECT i, 'some words' FROM generate_series(1, 50000) i`
	endless  = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT (i + 1) % 1000000 FROM n) SELECT i FROM n`
)

// newRunner makes a runner as the role reader.
func newRunner(t *testing.T, options Options) *Runner {
	t.Helper()
	if options.URL == "" {
		options.URL = server.URL("reader", "library")
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	r, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sessions is how many of our sessions the server has.
func sessions(t *testing.T) int {
	t.Helper()
	n, err := server.Query(context.Background(), "library", `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'confluence'`)
	if away := new(pgconn.ConnectError); errors.As(err, &away) {
		return 0 // without a server there are none
	}
	if err != nil {
		t.Fatal(err)
	}
	count, err := strconv.Atoi(n)
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// interrupt ends the server until mend is called.
func interrupt(t *testing.T) (mend func()) {
	t.Helper()
	resume, err := server.Interrupt()
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := resume(); err != nil {
			t.Fatal(err)
		}
	}
}

func ask(t *testing.T, r *Runner, query string) (*runnertest.Recorder, error) {
	t.Helper()
	sink := new(runnertest.Recorder)
	err := r.Run(t.Context(), runner.Query{Text: query}, sink)
	for _, breach := range sink.Breaches() {
		t.Errorf("%q broke the contract of its sink: %s", query, breach)
	}
	return sink, err
}

func TestConformance(t *testing.T) {
	for name, url := range map[string]string{"port": server.URL("reader", "library"), "socket": server.SocketURL("library")} {
		t.Run(name, func(t *testing.T) {
			runnertest.Test(t, runnertest.Backend{
				Runner:  newRunner(t, Options{URL: url}),
				Answer:  `SELECT branch, count(*) FROM loans JOIN branches USING (branch_id) GROUP BY branch`,
				Silent:  silent,
				Stream:  slowRows,
				Faulty:  `SELECT brnch FROM branches`,
				Failing: `SELECT 1 / (branch_id - 7) FROM branches`,
				TooLong: endless,
				Break:   interrupt,
				Remains: func() int { return sessions(t) },
			})
		})
	}
}

func TestTypes(t *testing.T) {
	want := map[string]any{
		`NULL::text`:                             nil,
		`true`:                                   true,
		`false`:                                  false,
		`(-32768)::smallint`:                     int64(-32768),
		`42`:                                     int64(42),
		`9223372036854775807`:                    int64(math.MaxInt64),
		`'pg_class'::regclass::oid`:              int64(1259),
		`0.1::real`:                              0.1,
		`(-1e300)::float8`:                       -1e300,
		`'Infinity'::float8`:                     math.Inf(1),
		`'-Infinity'::real`:                      math.Inf(-1),
		`123456789012345678901234567890.10`:      "123456789012345678901234567890.10",
		`'NaN'::numeric`:                         "NaN",
		`'\x00ff10'::bytea`:                      []byte{0, 255, 16},
		`''::bytea`:                              []byte{},
		`'naïve “text”'`:                         "naïve “text”",
		`'a'::"char"`:                            "a",
		`DATE '2026-02-03'`:                      "2026-02-03",
		`TIME '04:05:06.5'`:                      "04:05:06.5",
		`TIMESTAMP '2026-02-03 04:05:06.789'`:    "2026-02-03 04:05:06.789",
		`TIMESTAMPTZ '2026-02-03 04:05:06+00'`:   "2026-02-03 04:05:06+00",
		`'infinity'::timestamptz`:                "infinity",
		`DATE '0044-03-15 BC'`:                   "0044-03-15 BC",
		`INTERVAL '1 year 2 months 3 days 4:05'`: "1 year 2 mons 3 days 04:05:00",
		`'{"a": [1, null]}'::json`:               `{"a": [1, null]}`,
		`'{"a":1}'::jsonb`:                       `{"a": 1}`,
		`ARRAY[1, NULL, 3]`:                      "{1,NULL,3}",
		`ARRAY['a b', '"']`:                      `{"a b","\""}`,
		`int4range(1, 5)`:                        "[1,5)",
		`ROW(1, 'x')`:                            "(1,x)",
		`'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid`: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
		`'10.0.0.0/8'::cidr`:                           "10.0.0.0/8",
		`B'101'`:                                       "101",
		`'12.34'::money`:                               "$12.34",
		`point(1, 2)`:                                  "(1,2)",
		`'fat & cat'::tsquery`:                         "'fat' & 'cat'",
	}
	r := newRunner(t, Options{})
	for expression, cell := range want {
		sink, err := ask(t, r, "SELECT "+expression+" AS c")
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		if columns, rows := sink.Table(); !reflect.DeepEqual(columns, []string{"c"}) || !reflect.DeepEqual(rows, [][]any{{cell}}) {
			t.Errorf("%s: %q %#v, want %#v", expression, columns, rows, cell)
		}
	}
	sink, err := ask(t, r, `SELECT 'NaN'::float8`)
	if err != nil {
		t.Fatal(err)
	}
	if _, rows := sink.Table(); !math.IsNaN(rows[0][0].(float64)) {
		t.Errorf("NaN is %v", rows)
	}
}

// The shape of an answer needs no rows, and the statement no particular form.
func TestForms(t *testing.T) {
	r := newRunner(t, Options{})
	for query, want := range map[string]struct {
		columns string
		rows    int
	}{
		`SELECT branch, 1 AS "näme" FROM branches WHERE false`: {"branch|näme", 0},
		`SELECT FROM branches`:                                            {"", 40},
		`VALUES (1, 2), (3, 4)`:                                           {"column1|column2", 2},
		`TABLE branches`:                                                  {"branch_id|branch", 40},
		`(SELECT 1 AS a) UNION (SELECT 2)`:                                {"a", 2},
		`WITH t AS (SELECT 1 AS x) SELECT * FROM t;`:                      {"x", 1},
		"\ufeff-- a comment\n/* and /* one */ inside */ ;SELECT 1 AS b;;": {"b", 1},
		`SELECT 1 AS c -- at the end`:                                     {"c", 1},
		`SELECT 1 AS d, 2 AS d`:                                           {"d|d", 1},
		`SELECT * FROM "Annex"."Old loans"`:                               {"a", 0},
	} {
		if err := r.Check(t.Context(), runner.Query{Text: query}); err != nil {
			t.Errorf("%s: check: %v", query, err)
		}
		sink, err := ask(t, r, query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
		}
		if columns, rows := sink.Table(); strings.Join(columns, "|") != want.columns || len(rows) != want.rows {
			t.Errorf("%s: %q, %d rows", query, columns, len(rows))
		}
	}
}

// Rows come one by one while they come slowly, and in large batches while they come fast.
func TestRowsStream(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var sink runnertest.Recorder
	sink.OnOutput = func() {
		if sink.Batches() == 5 {
			cancel()
		}
	}
	r := newRunner(t, Options{})
	if err := r.Run(ctx, runner.Query{Text: slowRows}, &sink); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, rows := sink.Table(); len(rows) != 5 {
		t.Errorf("%d rows of a slow query in 5 batches", len(rows))
	}
	fast, err := ask(t, r, many)
	if err != nil {
		t.Fatal(err)
	}
	_, rows := fast.Table()
	if len(rows) != 50_000 || fast.Batches() > 5000 {
		t.Errorf("%d rows of a fast one in %d batches", len(rows), fast.Batches())
	}
	for i, row := range rows {
		if row[0] != int64(i+1) {
			t.Fatalf("row %d is %v", i, row)
		}
	}
}

func TestCaps(t *testing.T) {
	for name, c := range map[string]struct {
		options Options
		query   string
		rows    int
		cut     string
	}{
		"rows":               {Options{MaxRows: 1200}, `SELECT generate_series(1, 1201)`, 1200, "Only the first 1,200 rows are here: an answer has at most 1,200."},
		"rows, just fitting": {Options{MaxRows: 1200}, `SELECT generate_series(1, 1200)`, 1200, ""},
		"rows, no end":       {Options{MaxRows: 1}, endless, 1, "Only the first row is here: an answer has at most 1."},
		"bytes":              {Options{MaxBytes: 2048}, `SELECT repeat('x', 500) FROM generate_series(1, 9)`, 4, "Only the first 4 rows are here: an answer has at most 2 KiB."},
		"a long row":         {Options{MaxBytes: 2048}, `SELECT repeat('x', 5000)`, 0, "No row is here: an answer has at most 2 KiB."},
		"a huge row":         {Options{}, `SELECT repeat(repeat('x', 10000), 30000)`, 0, "No row is here: an answer has at most 16 MiB."},
		"then a huge row":    {Options{}, `SELECT repeat('x', i * i * 100000) FROM generate_series(1, 100) i`, 7, "Only the first 7 rows are here: an answer has at most 16 MiB."},
		"bytes, as bytes":    {Options{MaxBytes: 1000}, `SELECT decode(repeat('00', 999), 'hex')`, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			sink, err := ask(t, newRunner(t, c.options), c.query)
			if err != nil {
				t.Fatal(err)
			}
			if _, rows := sink.Table(); len(rows) != c.rows || sink.Cut() != c.cut {
				t.Errorf("%d rows and %q, want %d and %q", len(rows), sink.Cut(), c.rows, c.cut)
			}
			if n := sessions(t); n > 0 {
				t.Errorf("%d sessions remain", n)
			}
		})
	}
}

// What came before a failure was passed on, and the failure speaks for the database.
func TestFailures(t *testing.T) {
	r := newRunner(t, Options{})
	for query, want := range map[string]struct {
		detail string
		rows   int
	}{
		`SELECT 12 / (4 - i) FROM generate_series(1, 9) i`:                  {"division by zero", 3},
		`SELECT 9223372036854775807 + i FROM generate_series(1, 1) i`:       {"bigint out of range", 0},
		`SELECT ('x' || i)::int FROM generate_series(1, 1) i`:               {`invalid input syntax for type integer: "x1"`, 0},
		`SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(5)`:        {brokenOff, 0},
		`SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(5)`:           {atTimeLimit, 0},
		`SELECT nextval('pg_temp.none') FROM generate_series(1, 1)`:         {"", 0},
		`SELECT (SELECT branch_id FROM branches) FROM generate_series(1,2)`: {"more than one row returned by a subquery used as an expression", 0},
	} {
		sink, err := ask(t, r, query)
		var failed *runner.FailedError
		var rejected *runner.RejectedError
		switch {
		case want.detail == "" && errors.As(err, &rejected):
		case !errors.As(err, &failed) || failed.Detail != want.detail || failed.Log == "":
			t.Errorf("%q: %#v, want %q", query, err, want.detail)
		}
		if _, rows := sink.Table(); len(rows) != want.rows {
			t.Errorf("%q: %d rows, want %d", query, len(rows), want.rows)
		}
	}
}

// A server that is away makes the runner unavailable, and its return makes it available again.
func TestAway(t *testing.T) {
	r := newRunner(t, Options{})
	if err := r.Health(t.Context()); err != nil {
		t.Fatal(err)
	}
	started := make(chan struct{})
	running := make(chan error, 1)
	go func() {
		sink := runnertest.Recorder{OnOutput: func() {
			select {
			case <-started:
			default:
				close(started)
			}
		}}
		running <- r.Run(context.Background(), runner.Query{Text: slowRows}, &sink)
	}()
	<-started
	mend := interrupt(t)
	var failed *runner.FailedError
	if err := <-running; !errors.As(err, &failed) || failed.Detail != brokenOff {
		t.Errorf("a run that lost its server: %v", err)
	}
	for what, err := range map[string]error{
		"health": r.Health(t.Context()),
		"check":  r.Check(t.Context(), runner.Query{Text: "SELECT 1"}),
		"run":    r.Run(t.Context(), runner.Query{Text: "SELECT 1"}, new(runnertest.Recorder)),
	} {
		var away *runner.UnavailableError
		if !errors.Is(err, runner.ErrUnavailable) || !errors.As(err, &away) || away.RetryAfter == 0 {
			t.Errorf("%s: %v", what, err)
		}
	}
	late := newRunner(t, Options{})
	mend()
	if err := r.Health(t.Context()); err != nil {
		t.Errorf("back: %v", err)
	}
	if about := late.Describe().About; strings.Contains(about, "branches") {
		t.Errorf("made while the server was away, it knows: %s", about)
	}
	if err := late.Health(t.Context()); err != nil {
		t.Error(err)
	}
	if about := late.Describe().About; !strings.Contains(about, "branches") {
		t.Errorf("it has seen the server, but says: %s", about)
	}
}

func TestHealthIsBounded(t *testing.T) {
	r := newRunner(t, Options{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	if err := r.Health(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestDescribe(t *testing.T) {
	d := newRunner(t, Options{}).Describe()
	if d.Title != "Ask the database library" || d.Language != "sql" {
		t.Errorf("%+v", d)
	}
	for _, part := range []string{"PostgreSQL ", `Tables: branches, loans, "Annex"."Old loans".`, "Views: busy."} {
		if !strings.Contains(d.About, part) {
			t.Errorf("%q lacks %q", d.About, part)
		}
	}
	if strings.Contains(fmt.Sprint(d), "secrets") {
		t.Errorf("it names what the role may not read: %+v", d)
	}
}
