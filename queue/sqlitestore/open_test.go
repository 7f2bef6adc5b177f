package sqlitestore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"confluence/queue"
)

// TestOpenRefuses: each file that can't be a line is refused in words that name it and say what to do, and is left as it was.
func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T, path string)
		is   error
		says string
	}{
		{"a newer format", func(t *testing.T, path string) {
			closeStore(t, open(t, Options{Folder: filepath.Dir(path)}))
			script(t, path, "PRAGMA user_version = 99")
		}, ErrNewer, "use that version"},
		{"another program's database", func(t *testing.T, path string) { script(t, path, "CREATE TABLE letters (text)") }, ErrForeign, "move it away"},
		{"another program's, by its name", func(t *testing.T, path string) { script(t, path, "PRAGMA application_id = 7; PRAGMA user_version = 1") }, ErrForeign, "move it away"},
		{"no database", func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte(strings.Repeat("this is a letter. ", 500)), fileMode))
		}, ErrForeign, "move it away"},
		{"a damaged one", func(t *testing.T, path string) {
			s := open(t, Options{Folder: filepath.Dir(path)})
			for range 300 {
				join(t, s, string(rune('a'+int(join(t, s, "x").Number))))
				must(t, s.Leave(t.Context(), "x"))
			}
			closeStore(t, s)
			text, err := os.ReadFile(path)
			must(t, err)
			clear(text[8192:])
			must(t, os.WriteFile(path, text, fileMode))
		}, ErrDamaged, "backup"},
		{"one that was emptied, with its log", func(t *testing.T, path string) {
			killed := t.TempDir()
			s := open(t, Options{Folder: killed})
			join(t, s, "a")
			log, err := os.ReadFile(filepath.Join(killed, lineFile+"-wal"))
			must(t, err)
			must(t, os.WriteFile(path+"-wal", log, fileMode))
			must(t, os.WriteFile(path, nil, fileMode))
		}, ErrDamaged, "backup"},
		{"one with a ticket that can't be", func(t *testing.T, path string) {
			s := open(t, Options{Folder: filepath.Dir(path)})
			join(t, s, "a")
			closeStore(t, s)
			script(t, path, "UPDATE tickets SET status = 'asleep'")
		}, ErrDamaged, "asleep"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), lineFile)
			c.make(t, path)
			before, err := os.ReadFile(path)
			must(t, err)
			s, err := Open(Options{Config: config(), Folder: filepath.Dir(path)})
			if err == nil {
				closeStore(t, s)
			}
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("opening it: %v", err)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
				t.Fatalf("it was changed, or %v", err)
			}
			if c.says != "asleep" { // which Inspect shows as it is
				if _, err := Inspect(t.Context(), filepath.Dir(path)); !errors.Is(err, c.is) {
					t.Fatalf("inspecting it: %v", err)
				}
			}
		})
	}
}

// script runs SQL on a file.
func script(t testing.TB, path, sql string) {
	t.Helper()
	conn, err := sqlite3.Open(path)
	must(t, err)
	must(t, conn.Exec(sql))
	must(t, conn.Close())
}

// TestOpenBringsAnOlderFormatForward: with everything that is in it, in one step that a crash leaves whole.
func TestOpenBringsAnOlderFormatForward(t *testing.T) {
	folder := t.TempDir()
	s := open(t, Options{Folder: folder})
	before := join(t, s, "a")
	closeStore(t, s)
	next := append(append([]string{}, migrations...), "ALTER TABLE line ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue'", "UPDATE line SET colour = 'green'")
	broken := append(append([]string{}, next...), "UPDATE nothing SET colour = 'red'")
	if _, err := Open(Options{Config: config(), Folder: folder, migrations: broken}); err == nil || !strings.Contains(err.Error(), "from format 3 to 4") {
		t.Fatalf("a step that can't be made: %v", err)
	}
	closeStore(t, open(t, Options{Folder: folder})) // it is still of the old format
	s = open(t, Options{Folder: folder, migrations: next})
	if v := peek(t, s, "a"); v.TicketID != before.TicketID {
		t.Fatalf("%+v", v)
	}
	closeStore(t, s)
	if _, err := Open(Options{Config: config(), Folder: folder}); !errors.Is(err, ErrNewer) {
		t.Fatalf("the old program opens the new file: %v", err)
	}
}

// TestOpenTwice: one process has a folder, and the other is told which.
func TestOpenTwice(t *testing.T) {
	folder := t.TempDir()
	s := open(t, Options{Folder: folder})
	if _, err := Open(Options{Config: config(), Folder: folder}); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), "process ") || !strings.Contains(err.Error(), folder) {
		t.Fatalf("got %v", err)
	}
	join(t, s, "a")
	closeStore(t, s)
	join := func() error { _, err := s.Join(t.Context(), "b", queue.Kept{}); return err }
	if err := join(); !errors.Is(err, queue.ErrStopped) {
		t.Fatalf("a join after the end: %v", err)
	}
	peek(t, s, "a")
	peek(t, open(t, Options{Folder: folder}), "a")
}

// TestFilesAreTheOwnersAlone, whatever the umask.
func TestFilesAreTheOwnersAlone(t *testing.T) {
	folder := t.TempDir()
	join(t, open(t, Options{Folder: folder}), "a")
	for _, name := range []string{lineFile, lineFile + "-wal", lockFile} {
		info, err := os.Stat(filepath.Join(folder, name))
		must(t, err)
		if info.Mode().Perm() != fileMode {
			t.Errorf("%s has the mode %v", name, info.Mode())
		}
	}
}

func TestFolderThatIsNotThere(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "none")
	if _, err := Open(Options{Config: config(), Folder: folder}); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), folder) {
		t.Errorf("opening it: %v", err)
	}
	if _, err := Inspect(t.Context(), folder); !errors.Is(err, ErrNoLine) {
		t.Errorf("inspecting it: %v", err)
	}
}
