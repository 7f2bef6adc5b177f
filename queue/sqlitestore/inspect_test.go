package sqlitestore

import (
	"context"
	"fmt"
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
