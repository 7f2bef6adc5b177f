package web

import (
	"context"
	"sync"
)

// streams counts the open streams, so that Stop can wait for them.
type streams struct {
	mu      sync.Mutex
	open    int
	stopped bool
	empty   chan struct{} // closed when the last has gone, once stopped
}

func newStreams() *streams { return &streams{empty: make(chan struct{})} }

// enter counts a stream until leave is called; it is not ok after stop.
func (s *streams) enter() (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil, false
	}
	s.open++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open--
		s.tell()
	}), true
}

// tell wants the lock.
func (s *streams) tell() {
	if !s.stopped || s.open > 0 {
		return
	}
	select {
	case <-s.empty:
	default:
		close(s.empty)
	}
}

// stop lets nobody in any more and waits until all have gone, or ctx ends.
func (s *streams) stop(ctx context.Context) error {
	s.mu.Lock()
	s.stopped = true
	s.tell()
	s.mu.Unlock()
	select {
	case <-s.empty:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
