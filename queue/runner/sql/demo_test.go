package sql

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

var smallDemo = demoSize{titles: 100, copies: 300, members: 100, loans: 2000, notes: 50}

func rowsOf(t *testing.T, r *Runner, query string) [][]any {
	t.Helper()
	var sink runnertest.Recorder
	if err := r.Run(t.Context(), runner.Query{Text: query}, &sink); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	_, rows := sink.Table()
	return rows
}

func TestDemoDescribesItself(t *testing.T) {
	d := demo(t).Describe()
	if d.Title != "Ask the library’s report database" || d.Limits != "Read-only SQL, one statement." || d.Language != "sql" {
		t.Errorf("%+v", d)
	}
	if want := "Tables: loans, branches, titles, copies, members, notes. Full text: notes_text."; d.About != want {
		t.Errorf("About is %q, want %q", d.About, want)
	}
}

func TestDemoIsALibrary(t *testing.T) {
	r := demo(t)
	if n := rowsOf(t, r, `SELECT count(*) FROM loans`)[0][0].(int64); n < 250_000 {
		t.Errorf("%d loans", n)
	}
	rows := rowsOf(t, r, `SELECT min(borrowed), max(borrowed), max(returned), sum(returned IS NULL) > 0 FROM loans`)
	if row := rows[0]; row[0] != "2023-01-02" || row[1] != "2026-11-30" || row[2] != "2026-11-30" || row[3] != int64(1) {
		t.Errorf("days %v", row)
	}
	if rows := rowsOf(t, r, `SELECT 1 FROM loans WHERE returned < borrowed OR days_out <> julianday(returned) - julianday(borrowed)`); len(rows) > 0 {
		t.Errorf("%d loans with wrong days", len(rows))
	}
	if rows := rowsOf(t, r, `SELECT title FROM titles WHERE title LIKE '%the the %' OR title GLOB '[a-z]*'`); len(rows) > 0 {
		t.Errorf("%d odd titles, such as %v", len(rows), rows[0])
	}
	for _, reference := range []string{
		`loans JOIN copies USING (copy_id) WHERE loans.branch_id <> copies.branch_id`,
		`loans LEFT JOIN members USING (member_id) WHERE name IS NULL`,
		`copies LEFT JOIN titles USING (title_id) WHERE title IS NULL`,
		`notes LEFT JOIN copies USING (copy_id) WHERE branch_id IS NULL`,
		`notes LEFT JOIN notes_text ON notes_text.rowid = note_id WHERE notes_text.note IS NOT notes.note`,
	} {
		if n := rowsOf(t, r, `SELECT count(*) FROM `+reference)[0][0]; n != int64(0) {
			t.Errorf("%v rows in %s", n, reference)
		}
	}
}

func TestDemoExamples(t *testing.T) {
	r := demo(t)
	branches := rowsOf(t, r, demoExamples[0].Text)
	if len(branches) != len(demoBranches) || branches[0][0] != "Harbour" {
		t.Errorf("branches: %v", branches)
	}
	for _, row := range branches {
		if row[1].(int64) < 500 || row[2].(float64) < 8 {
			t.Errorf("an odd branch: %v", row)
		}
	}
	for _, example := range demoExamples[1:3] {
		if rows := rowsOf(t, r, example.Text); len(rows) < 20 || len(rows) > 2000 {
			t.Errorf("%s: %d rows", example.Title, len(rows))
		}
	}
}

// The slow example shows its rows as it goes.
func TestDemoSlowExampleStreams(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var sink runnertest.Recorder
	sink.OnOutput = func() {
		if _, rows := sink.Table(); len(rows) >= 2 {
			cancel()
		}
	}
	if err := demo(t).Run(ctx, runner.Query{Text: demoExamples[3].Text}, &sink); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, rows := sink.Table(); len(rows) > 20 {
		t.Errorf("%d rows at once", len(rows))
	}
}

func TestDemoIsAlwaysTheSame(t *testing.T) {
	dir := t.TempDir()
	var files [2][]byte
	for i := range files {
		path := filepath.Join(dir, "demo.db")
		if err := makeDemo(path, smallDemo); err != nil {
			t.Fatal(err)
		}
		var err error
		if files[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two demos differ")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("more than the demo in its folder: %v, %v", entries, err)
	}
}

func TestEnsureDemo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demo.db")
	modified := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime().UnixNano()
	}
	if err := ensureDemo(path, smallDemo); err != nil {
		t.Fatal(err)
	}
	first := modified()
	if err := ensureDemo(path, smallDemo); err != nil || modified() != first {
		t.Errorf("a present demo was not kept: %v", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(binary.BigEndian.AppendUint32(nil, demoVersion-1), 60); err != nil {
		t.Fatal(err)
	}
	if err := ensureDemo(path, smallDemo); err != nil {
		t.Fatal(err)
	}
	if current, err := isDemo(path); !current {
		t.Errorf("an older demo was not made anew: %v", err)
	}
	if err := os.WriteFile(path, []byte("somebody's own text, which nobody may overwrite, however long it is, or short, or dull"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := ensureDemo(path, smallDemo); !errors.Is(err, ErrDatabase) {
		t.Errorf("another file in its place: %v", err)
	}
}

func TestMakeDemoErrs(t *testing.T) {
	if err := MakeDemo(filepath.Join(t.TempDir(), "none", "demo.db")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
