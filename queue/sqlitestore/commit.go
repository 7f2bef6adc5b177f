package sqlitestore

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"confluence/queue"
)

// batch is what one transaction saves, for those who wait for it.
type batch struct {
	done  chan struct{} // closed when it is saved, or isn't
	err   error
	undos []func(now time.Duration) // of what can be taken back, in order
}

func newBatch() *batch { return &batch{done: make(chan struct{})} }

func (b *batch) end(err error) {
	b.err = err
	close(b.done)
}

// wait returns when the batch is saved; on nil there is nothing to wait for.
func (b *batch) wait(ctx context.Context) error {
	if b == nil {
		return nil
	}
	select {
	case <-b.done:
		return b.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// commit is the committer: one goroutine that saves what the line owes, until stop.
type commit struct {
	store *Store
	retry time.Duration
	wake  chan struct{} // something is to be saved; holds one

	quit  sync.Once
	quits chan struct{}
	ended chan struct{}
	err   error // of the last transaction and the closing, once ended
}

func startCommits(s *Store, retry time.Duration) *commit {
	c := &commit{store: s, retry: retry, wake: make(chan struct{}, 1), quits: make(chan struct{}), ended: make(chan struct{})}
	go c.loop()
	return c
}

func (c *commit) nudge() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// stop lets a last transaction save what is left, and closes the file.
func (c *commit) stop(ctx context.Context) error {
	c.quit.Do(func() { close(c.quits) })
	select {
	case <-c.ended:
		return c.err
	case <-ctx.Done():
		return fmt.Errorf("the line is still being saved: %w", ctx.Err())
	}
}

func (c *commit) loop() {
	defer close(c.ended)
	again := time.NewTimer(c.retry)
	again.Stop()
	defer again.Stop()
	for failing := false; ; {
		var wake <-chan struct{}
		if !failing { // until it works again nothing is worth a try of its own
			wake = c.wake
		}
		select {
		case <-wake:
		case <-again.C:
		case <-c.quits:
			c.err = c.store.save()
			if err := c.store.file.close(); c.err == nil {
				c.err = err
			}
			return
		}
		if failing = c.store.save() != nil; failing {
			again.Reset(c.retry)
		}
	}
}

// save writes how the line stands, and lets those go who wait for that.
func (s *Store) save() error {
	s.mu.Lock()
	b := s.gathers
	s.gathers, s.flying = newBatch(), b
	now := s.clock()
	u := s.line.Unsaved()
	s.mu.Unlock()

	err := s.file.write(u, now, s.wall())

	s.mu.Lock()
	defer s.mu.Unlock()
	s.flying = nil
	if err != nil {
		s.fail(err, u, b)
		return err
	}
	b.end(nil)
	if s.trouble != nil {
		s.trouble = nil
		s.log.Info("the line can be saved again")
		s.line.SetRunner(s.clock(), s.runner)
		s.tell()
	}
	return nil
}

// fail takes back what was not saved, and what has come on top of it, and lets nobody lose a turn meanwhile.
func (s *Store) fail(err error, u queue.Unsaved, b *batch) {
	if s.trouble == nil {
		s.log.Error("the line can't be saved; trying again until it can", "file", s.file.path, "err", err)
	}
	s.trouble = fmt.Errorf("%w: %w", queue.ErrStore, err)
	s.line.Resave(u)
	now := s.clock()
	s.line.SetRunner(now, false) // first, so that a reservation that comes back can't lapse, however long the disk took to fail
	for _, undo := range slices.Backward(slices.Concat(b.undos, s.gathers.undos)) {
		undo(now)
	}
	s.tell()
	b.end(s.trouble)
	s.gathers.end(s.trouble)
	s.gathers = newBatch()
}
