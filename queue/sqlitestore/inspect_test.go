package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"confluence/queue"
	"confluence/queue/queuetest"
)

// TestInspect: a live folder, a stopped one and one that a kill has left show the same, and none is changed by the look.
func TestInspect(t *testing.T) {
	folder, clock := t.TempDir(), &queuetest.Clock{}
	cfg := config()
	cfg.Slots = 2
	day := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	o := Options{Config: cfg, Folder: folder, Clock: clock.Now, Wall: func() time.Time { return day }}
	s := open(t, o)
	for _, session := range []string{"runs", "called", "first", "second", "left"} {
		join(t, s, session)
	}
	g := claim(t, s, "runs")
	must(t, s.Leave(t.Context(), "left"))
	look := func(folder string) Contents {
		t.Helper()
		c, err := Inspect(t.Context(), folder)
		must(t, err)
		if len(c.Tickets) != 4 || len(c.Ended) != 1 {
			t.Fatalf("%+v", c)
		}
		for i, want := range []Ticket{
			{Number: 1, Session: "runs", Status: "running", RunID: g.RunID}, {Number: 2, Session: "called", Status: "ready", Position: 1},
			{Number: 3, Session: "first", Status: "queued", Position: 2}, {Number: 4, Session: "second", Status: "queued", Position: 3},
			{Number: 5, Session: "left", Status: "ended", Reason: queue.ReasonLeft},
		} {
			got := append(c.Tickets, c.Ended...)[i]
			want.ID, want.JoinedAt, want.Since, want.Query = got.ID, got.JoinedAt, got.Since, "text of "+want.Session
			if got != want || got.ID == "" || !got.JoinedAt.Equal(day) || !got.Since.Equal(day) {
				t.Fatalf("%+v, want %+v", got, want)
			}
		}
		if c.Number != 5 || c.Format != len(migrations) || !c.SavedAt.Equal(day) {
			t.Fatalf("%+v", c)
		}
		return c
	}
	look(folder)
	killed := t.TempDir()
	for _, name := range []string{lineFile, lineFile + "-wal"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(killed, name), text, fileMode))
	}
	look(killed)
	closeStore(t, s)
	look(folder)
	if files, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(files) != 2 {
		t.Fatalf("the folder holds %v (%v), want the line and its lock", files, err)
	}
	s = open(t, o)
	clock.Advance(time.Second)
	peek(t, s, "called")
	clock.Advance(time.Second)
	must(t, s.Finish(t.Context(), claim(t, s, "called").Term, queue.Failed))
	c, err := Inspect(t.Context(), folder)
	must(t, err)
	if len(c.Durations) != 1 || len(c.Ended) != 3 || c.Ended[0].Outcome != queue.Failed || c.Ended[1].Outcome != queue.Interrupted {
		t.Fatalf("%+v", c)
	}
}

// TestInspectWhileItChanges: a line that is opened, written and closed all the time is always seen whole.
func TestInspectWhileItChanges(t *testing.T) {
	folder := t.TempDir()
	closeStore(t, open(t, Options{Folder: folder}))
	ctx, cancel := context.WithCancel(t.Context())
	var writer sync.WaitGroup
	writer.Go(func() {
		defer cancel()
		for n := range 15 {
			s, err := Open(Options{Config: config(), Folder: folder, Logger: discard})
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 4 {
				_, err = s.Join(t.Context(), fmt.Sprint(n, "-", i), queue.Kept{})
				if err != nil {
					t.Error(err)
				}
			}
			if err := s.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}
	})
	seen := 0
	for ctx.Err() == nil {
		c, err := Inspect(t.Context(), folder)
		must(t, err)
		if len(c.Tickets) < seen || int64(len(c.Tickets)) != c.Number {
			t.Fatalf("%d tickets after %d, the last number is %d", len(c.Tickets), seen, c.Number)
		}
		seen = len(c.Tickets)
	}
	writer.Wait()
}

// TestBackup is taken while a crowd joins and leaves; the copy opens as a line, which was at one instant.
func TestBackup(t *testing.T) {
	s := open(t, Options{Folder: t.TempDir()})
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
		must(t, s.Backup(t.Context(), path))
		copies = append(copies, path)
		c, err := Inspect(t.Context(), filepath.Dir(path))
		must(t, err)
		if n := len(c.Tickets) + len(c.Ended); n <= answered || int64(n) != c.Number {
			t.Fatalf("the copy has %d tickets, %d were answered; the last number is %d", n, answered+1, c.Number)
		}
	}
	cancel()
	others.Wait()
	if err := s.Backup(t.Context(), copies[0]); !errors.Is(err, fs.ErrExist) {
		t.Fatalf("a second backup to the same place: %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	none := filepath.Join(t.TempDir(), "copy")
	if err := s.Backup(stopped, none); err == nil {
		t.Error("a backup that was called off was made")
	}
	if files, err := filepath.Glob(none + "*"); err != nil || len(files) > 0 {
		t.Errorf("it left %v, %v", files, err)
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
