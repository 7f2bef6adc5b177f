package documents

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
	"confluence/queue/runner/sql"
)

func TestMain(m *testing.M) {
	sql.MaybeChild()
	os.Exit(m.Run())
}

// shelf is a folder of documents under test, with its index.
type shelf struct {
	*testing.T
	folder   string
	database string
	log      *journal
	index    *Index
	options  Options
}

// newShelf makes a folder with files by their paths; one whose path ends in / is a folder.
func newShelf(t *testing.T, files map[string]string) *shelf {
	t.Helper()
	s := &shelf{T: t, folder: filepath.Join(t.TempDir(), "shelf"), database: filepath.Join(t.TempDir(), "documents.sqlite"), log: new(journal)}
	s.options = Options{Folder: s.folder, Database: s.database, Logger: slog.New(slog.NewTextHandler(s.log, nil)), Quiet: 20 * time.Millisecond}
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range files {
		s.write(path, text)
	}
	return s
}

func (s *shelf) path(name string) string { return filepath.Join(s.folder, filepath.FromSlash(name)) }

func (s *shelf) write(name, text string) {
	s.Helper()
	s.must(os.MkdirAll(filepath.Dir(s.path(name)), 0o755))
	s.must(os.WriteFile(s.path(name), []byte(text), 0o644))
}

func (s *shelf) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// open opens the index, and closes it at the end of the test.
func (s *shelf) open() {
	s.Helper()
	var err error
	s.index, err = Open(s.Context(), s.options)
	s.must(err)
	s.Cleanup(func() { s.must(s.index.Stop()) })
}

// indexed are the paths and titles in the index, as a line each.
func (s *shelf) indexed() string {
	s.Helper()
	conn, err := openDatabase(context.Background(), s.database)
	s.must(err)
	defer conn.Close()
	stmt, _, err := conn.Prepare(`SELECT d.path || ': ' || title FROM documents d JOIN files f ON f.document_id = d.rowid AND f.path = d.path ORDER BY 1`)
	s.must(err)
	defer stmt.Close()
	var lines []string
	for stmt.Step() {
		lines = append(lines, stmt.ColumnText(0))
	}
	s.must(stmt.Err())
	return strings.Join(lines, "\n")
}

// eventually waits until the index holds the lines.
func (s *shelf) eventually(lines ...string) {
	s.Helper()
	want := strings.Join(lines, "\n")
	got := ""
	if !holds(10*time.Second, func() bool { got = s.indexed(); return got == want }) {
		s.Errorf("the index holds\n%s\nwant\n%s", got, want)
	}
}

// holds polls until the condition holds, or the time is over.
func holds(within time.Duration, condition func() bool) bool {
	tick := time.NewTicker(5 * time.Millisecond)
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

// runner makes the SQL runner over the index.
func (s *shelf) runner() *sql.Runner {
	s.Helper()
	r, err := sql.New(sql.Options{Database: s.index.Database(), Title: s.index.Title(), Examples: s.index.Examples()})
	s.must(err)
	return r
}

// ask returns the rows of an answer, printed.
func ask(t *testing.T, r *sql.Runner, query string) string {
	t.Helper()
	var sink runnertest.Recorder
	if err := r.Run(t.Context(), runner.Query{Text: query}, &sink); err != nil {
		t.Errorf("%s: %v", query, err)
	}
	_, rows := sink.Table()
	return fmt.Sprint(rows)
}

// journal is a log that may be read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}
