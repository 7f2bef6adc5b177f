package sqlitestore

import (
	"sync"
	"testing"

	"confluence/queue"
)

// TestLooksDontWaitForTheDisk: while a sync hangs, everybody can look and be heard, the timers go on, and who joined waits for the answer.
func TestLooksDontWaitForTheDisk(t *testing.T) {
	d := newDisk(t)
	d.forgets = true
	s := open(t, Options{Folder: t.TempDir(), vfs: d.name})
	join(t, s, "a")
	hangs, works := make(chan struct{}), make(chan struct{})
	var once sync.Once
	d.fails(func(op operation) fault {
		if op == opSync {
			once.Do(func() { close(hangs) })
			<-works
		}
		return fault{}
	})
	joined := make(chan error)
	go func() {
		_, err := s.Join(t.Context(), "b", queue.Kept{})
		joined <- err
	}()
	<-hangs
	for range 100 {
		_, err := s.Status(t.Context(), "a")
		must(t, err)
		must(t, s.Seen(t.Context(), "a"))
		_, err = s.Picture(t.Context())
		must(t, err)
		must(t, s.Each(t.Context(), 0, 10, func(string, queue.View) {}))
		_, err = s.Advance(t.Context())
		must(t, err)
		must(t, s.SetRunner(t.Context(), true))
	}
	select {
	case err := <-joined:
		t.Fatalf("the join was answered before it was saved: %v", err)
	default:
	}
	close(works)
	must(t, <-joined)
}

// TestManyAreSavedAtOnce: who comes while a transaction is under way shares the next one.
func TestManyAreSavedAtOnce(t *testing.T) {
	d := newDisk(t)
	d.forgets = true
	s := open(t, Options{Folder: t.TempDir(), vfs: d.name})
	join(t, s, "first")
	const crowd = 200
	hangs, works := make(chan struct{}), make(chan struct{})
	syncs := 0
	d.fails(func(op operation) fault {
		if op == opSync {
			if syncs++; syncs == 1 {
				close(hangs)
				<-works
			}
		}
		return fault{}
	})
	joined := make(chan error)
	one := func(session string) {
		_, err := s.Join(t.Context(), session, queue.Kept{})
		joined <- err
	}
	go one("second")
	<-hangs
	for i := range crowd {
		go one(sessionOf(i))
	}
	until(t, func() bool {
		p, err := s.Picture(t.Context())
		return err == nil && p.Length == crowd+1
	})
	close(works)
	for range crowd + 1 {
		must(t, <-joined)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if syncs != 2 {
		t.Fatalf("%d syncs for %d joins", syncs, crowd+1)
	}
}
