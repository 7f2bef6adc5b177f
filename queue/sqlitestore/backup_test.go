package sqlitestore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"confluence/queue"
)

// TestBackup is taken while a crowd joins and leaves; the copy opens as a line, which was at one instant.
func TestBackup(t *testing.T) {
	folder := t.TempDir()
	s := open(t, Options{Folder: folder})
	v := join(t, s, "first")
	ctx, cancel := context.WithCancel(t.Context())
	l := newLedger()
	var others sync.WaitGroup
	others.Go(func() {
		crowd(ctx, s, 1, "c", func(line string) {
			if err := l.note(line); err != nil {
				t.Error(err)
			}
		})
	})
	var copies []string
	for range 5 {
		l.mu.Lock()
		answered := 0
		for _, e := range l.lines {
			if e.number != 0 {
				answered++
			}
		}
		l.mu.Unlock()
		path := filepath.Join(t.TempDir(), lineFile)
		told, err := Backup(t.Context(), folder, path)
		must(t, err)
		copies = append(copies, path)
		c, err := Inspect(t.Context(), filepath.Dir(path))
		must(t, err)
		if diff := cmp.Diff(c, told); diff != "" {
			t.Fatalf("what is in the copy (-it +told):\n%s", diff)
		}
		if n := len(c.Tickets) + len(c.Ended); n <= answered || int64(n) != c.Number {
			t.Fatalf("the copy has %d tickets, %d were answered; the last number is %d", n, answered+1, c.Number)
		}
	}
	cancel()
	others.Wait()
	if _, err := Backup(t.Context(), folder, copies[0]); !errors.Is(err, fs.ErrExist) {
		t.Fatalf("a second backup to the same place: %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	none := filepath.Join(t.TempDir(), "copy")
	if _, err := Backup(stopped, folder, none); err == nil {
		t.Error("a backup that was called off was made")
	}
	if files, err := os.ReadDir(filepath.Dir(none)); err != nil || len(files) > 0 {
		t.Errorf("it left %v, %v", files, err)
	}
	if _, err := Backup(t.Context(), t.TempDir(), none); !errors.Is(err, ErrNoLine) {
		t.Errorf("a backup of nothing: %v", err)
	}
	closeStore(t, s)
	before, err := os.ReadDir(folder)
	must(t, err)
	_, err = Backup(t.Context(), folder, none)
	must(t, err)
	if after, err := os.ReadDir(folder); err != nil || len(after) != len(before) {
		t.Errorf("the stopped folder had %v and has %v, %v", before, after, err)
	}
	again := open(t, Options{Folder: filepath.Dir(copies[0])})
	now, err := again.Peek(t.Context(), "first")
	var gone *queue.NotFoundError
	if errors.As(err, &gone) {
		now.TicketID = gone.Ended.TicketID // it has run
	}
	if now.TicketID != v.TicketID {
		t.Fatalf("the copy tells the first %+v, %v", now, err)
	}
}

// TestBackupOfADamagedFile makes none, and says so.
func TestBackupOfADamagedFile(t *testing.T) {
	folder := t.TempDir()
	s := open(t, Options{Folder: folder})
	for range 300 {
		join(t, s, string(rune('a'+int(join(t, s, "x").Number))))
		must(t, s.Leave(t.Context(), "x"))
	}
	closeStore(t, s)
	path := filepath.Join(folder, lineFile)
	text, err := os.ReadFile(path)
	must(t, err)
	clear(text[8192:])
	must(t, os.WriteFile(path, text, fileMode))
	to := filepath.Join(t.TempDir(), "copy")
	if _, err := Backup(t.Context(), folder, to); !errors.Is(err, ErrDamaged) {
		t.Errorf("it was made, or %v", err)
	}
	if files, err := os.ReadDir(filepath.Dir(to)); err != nil || len(files) > 0 {
		t.Errorf("it left %v, %v", files, err)
	}
}
