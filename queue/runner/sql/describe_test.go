package sql

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"

	"github.com/ncruces/go-sqlite3"
)

func TestDescribeOwnDatabase(t *testing.T) {
	path := database(t, `
		CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, text);
		CREATE TABLE "group" (a);
		CREATE TABLE "it's ""odd""" (a);
		CREATE VIRTUAL TABLE orders_search USING fts5(text, content='');
		CREATE VIEW late AS SELECT * FROM orders;
		CREATE VIEW broken AS SELECT * FROM nowhere;
		CREATE TABLE _5 (a);
		CREATE INDEX i ON orders (text);
		ANALYZE;`)
	r := newRunner(t, Options{Database: path})
	d := r.Describe()
	if d.Title != "Ask the database test.db" {
		t.Errorf("title %q", d.Title)
	}
	if want := `Tables: orders, group, it's "odd", _5. Full text: orders_search. Views: late, broken.`; d.About != want {
		t.Errorf("about %q,\n want %q", d.About, want)
	}
	var from []string
	for _, example := range d.Examples[:len(d.Examples)-1] {
		_, table, _ := strings.Cut(example.Text, "FROM ")
		from = append(from, strings.TrimSuffix(table, "\nLIMIT 20"))
	}
	if want := []string{"orders", `"group"`, `"it's ""odd"""`, "late"}; fmt.Sprint(from) != fmt.Sprint(want) {
		t.Errorf("examples from %v, want %v", from, want)
	}
	for _, example := range d.Examples {
		if err := r.Run(t.Context(), runner.Query{Text: example.Text}, new(runnertest.Recorder)); err != nil {
			t.Errorf("%s: %v", example.Title, err)
		}
	}
}

func TestDescribeManyTablesAndNone(t *testing.T) {
	var many strings.Builder
	for i := range 25 {
		fmt.Fprintf(&many, "CREATE TABLE t%d (a);", i)
	}
	about := newRunner(t, Options{Database: database(t, many.String())}).Describe().About
	if !strings.HasPrefix(about, "Tables: t0, t1,") || !strings.HasSuffix(about, ", t19, and 5 more.") {
		t.Error(about)
	}
	about = newRunner(t, Options{Database: database(t, "PRAGMA user_version = 1")}).Describe().About
	if about != "The database has no tables." {
		t.Error(about)
	}
}

// What SQLite reserves must be quoted; the list is checked against SQLite itself.
func TestReservedWords(t *testing.T) {
	conn, err := sqlite3.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for word := range reserved {
		if _, _, err := conn.Prepare("SELECT 1 AS a FROM (SELECT 1) AS " + word); err == nil {
			t.Errorf("%s is not reserved", word)
		}
	}
	for _, word := range strings.Fields("abort action after always analyze asc attach before begin by cascade cast column conflict cross current " +
		"database deferred desc detach do each end exclude exclusive explain fail filter first following for full generated glob groups ignore " +
		"immediate indexed initially inner instead key last left like match materialized natural no nulls of offset others outer over partition " +
		"plan pragma preceding query raise range recursive regexp reindex release rename replace restrict right rollback row rows savepoint temp " +
		"temporary ties trigger unbounded vacuum view virtual window with without current_date") {
		if _, _, err := conn.Prepare("CREATE TABLE " + identifier(word) + " (a)"); err != nil {
			t.Errorf("%s: %v", word, err)
		}
	}
}

// A database in WAL mode is read without a trace while nobody has it open, and as it is while somebody writes.
func TestWAL(t *testing.T) {
	path := database(t, `PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1);`)
	before := fingerprint(t, path)
	r := newRunner(t, Options{Database: path})
	if rows := rowsOf(t, r, `SELECT a FROM t`); len(rows) != 1 {
		t.Errorf("rows %v", rows)
	}
	if after := fingerprint(t, path); after != before {
		t.Errorf("reading left a trace: %s", after)
	}
	writer, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	for i := range 3 {
		if err := writer.Exec(`INSERT INTO t VALUES (2)`); err != nil {
			t.Fatal(err)
		}
		if rows := rowsOf(t, r, `SELECT a FROM t`); len(rows) != i+2 {
			t.Errorf("beside a writer: rows %v", rows)
		}
	}
	// A writer that crashed leaves its log; what it holds must not be missed silently.
	crashed := filepath.Join(t.TempDir(), "crashed.db")
	for _, suffix := range []string{"", "-wal"} {
		if err := copyFile(crashed+suffix, path+suffix); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := New(Options{Database: crashed, Exe: childExe}); err == nil || !strings.Contains(err.Error(), "not closed properly") {
		t.Errorf("after a crash: %v", err)
	}
}

func TestStillnessIsLost(t *testing.T) {
	path := database(t, `PRAGMA journal_mode = WAL; CREATE TABLE t (a);`)
	still, err := stillWAL(path)
	if err != nil || still.path == "" || still.lost() {
		t.Fatalf("%+v, %v", still, err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("more"); err != nil || !still.lost() {
		t.Errorf("a change was not seen: %v", err)
	}
	if (stillness{}).lost() {
		t.Error("a file that may change is never lost")
	}
}
