// Package memory keeps the line in the process: nothing outlives it.
package memory

import (
	"context"
	"sync"
	"time"

	"confluence/queue"
)

// Store is a queue.Store in memory.
type Store struct {
	cfg   queue.Config
	clock func() time.Duration

	mu      sync.Mutex
	line    *queue.Line
	changes func([]queue.Change)
}

// Options are the parts of a Store.
type Options struct {
	Config queue.Config
	Clock  func() time.Duration // the time since any fixed instant, never falling; nil: the monotonic clock
}

// New makes an empty line; it errs on a configuration that can't be.
func New(o Options) (*Store, error) {
	if err := o.Config.Validate(); err != nil {
		return nil, err
	}
	if o.Clock == nil {
		o.Clock = queue.Monotonic()
	}
	return &Store{cfg: o.Config, clock: o.Clock, line: queue.NewLine(o.Config), changes: func([]queue.Change) {}}, nil
}

// Config is the line's configuration.
func (s *Store) Config() queue.Config { return s.cfg }

// Changes sets who is told of what happened.
func (s *Store) Changes(fn func([]queue.Change)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes = fn
}

// at makes one transition at the present instant and tells what it changed. The clock is read under the lock, so that instants never fall.
func (s *Store) at(transition func(now time.Duration)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	transition(s.clock())
	if c := s.line.Take(); len(c) > 0 {
		s.changes(c)
	}
}

// Join is a queue.Store's.
func (s *Store) Join(_ context.Context, session string, kept queue.Kept) (v queue.View, err error) {
	s.at(func(now time.Duration) { v, err = s.line.Join(now, session, kept) })
	return v, err
}

// Keep is a queue.Store's.
func (s *Store) Keep(_ context.Context, session string, kept queue.Kept) (err error) {
	s.at(func(now time.Duration) { err = s.line.Keep(now, session, kept) })
	return err
}

// Status is a queue.Store's.
func (s *Store) Status(_ context.Context, session string) (v queue.View, err error) {
	s.at(func(now time.Duration) {
		s.line.Seen(now, session)
		v, err = s.line.Status(now, session)
	})
	return v, err
}

// Peek is a queue.Store's.
func (s *Store) Peek(_ context.Context, session string) (v queue.View, err error) {
	s.at(func(now time.Duration) { v, err = s.line.Status(now, session) })
	return v, err
}

// Seen is a queue.Store's.
func (s *Store) Seen(_ context.Context, session string) error {
	s.at(func(now time.Duration) { s.line.Seen(now, session) })
	return nil
}

// Leave is a queue.Store's.
func (s *Store) Leave(_ context.Context, session string) error {
	s.at(func(now time.Duration) { s.line.Leave(now, session) })
	return nil
}

// ForgetLapse is a queue.Store's.
func (s *Store) ForgetLapse(_ context.Context, session string) error {
	s.at(func(now time.Duration) { s.line.ForgetLapse(now, session) })
	return nil
}

// Claim is a queue.Store's.
func (s *Store) Claim(_ context.Context, session string) (g queue.Grant, err error) {
	s.at(func(now time.Duration) { g, err = s.line.Claim(now, session) })
	return g, err
}

// Stopping is a queue.Store's.
func (s *Store) Stopping(_ context.Context, term uint64) error {
	s.at(func(now time.Duration) { s.line.Stopping(now, term) })
	return nil
}

// Finish is a queue.Store's.
func (s *Store) Finish(_ context.Context, term uint64, outcome queue.Outcome) (err error) {
	s.at(func(now time.Duration) { err = s.line.Finish(now, term, outcome) })
	return err
}

// Picture is a queue.Store's.
func (s *Store) Picture(context.Context) (p queue.Picture, err error) {
	s.at(func(now time.Duration) { p = s.line.Picture(now) })
	return p, nil
}

// Each is a queue.Store's. fn is called with the line locked.
func (s *Store) Each(_ context.Context, from, to int, fn func(session string, v queue.View)) error {
	s.at(func(now time.Duration) { s.line.Each(now, from, to, fn) })
	return nil
}

// SetRunner is a queue.Store's.
func (s *Store) SetRunner(_ context.Context, available bool) error {
	s.at(func(now time.Duration) { s.line.SetRunner(now, available) })
	return nil
}

// SetPaused is a queue.Store's.
func (s *Store) SetPaused(_ context.Context, paused bool) error {
	s.at(func(now time.Duration) { s.line.SetPaused(now, paused) })
	return nil
}

// SetNotice is a queue.Store's.
func (s *Store) SetNotice(_ context.Context, notice string) error {
	s.at(func(now time.Duration) { s.line.SetNotice(now, notice) })
	return nil
}

// Halt is a queue.Store's.
func (s *Store) Halt(context.Context) error {
	s.at(func(now time.Duration) { s.line.Halt(now) })
	return nil
}

// Advance is a queue.Store's.
func (s *Store) Advance(context.Context) (next time.Duration, err error) {
	next = -1
	s.at(func(now time.Duration) {
		s.line.Advance(now)
		if at, ok := s.line.Due(); ok {
			next = at - now
		}
	})
	return next, nil
}
