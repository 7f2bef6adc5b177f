package web

import (
	"context"
	"sync"

	"confluence/queue"
	"confluence/views/i18n"
)

// streams counts the open streams, so that Stop can wait for them.
type streams struct {
	mu        sync.Mutex
	open      int
	bySession map[string]int // of those that follow something
	stopped   bool
	empty     chan struct{} // closed when the last has gone, once stopped
}

// streamsPerSession is how many streams a session may follow its place and its runs with, all together.
const streamsPerSession = socketsPerSession

func newStreams() *streams { return &streams{bySession: map[string]int{}, empty: make(chan struct{})} }

// enter counts a stream until leave is called. It errs with queue.ErrStopped after stop.
func (s *streams) enter() (leave func(), err error) { return s.follow("") }

// follow is enter for a stream that follows what the session could as well ask for again: too many of them are refused with errRateLimited.
// With no session the stream isn't counted towards any.
func (s *streams) follow(session string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.stopped:
		return nil, queue.ErrStopped
	case session != "" && s.bySession[session] >= streamsPerSession:
		return nil, refuse(errRateLimited, i18n.Msg("problem.rate_limited.streams", "n", streamsPerSession))
	}
	s.open++
	if session != "" {
		s.bySession[session]++
	}
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open--
		if s.bySession[session]--; s.bySession[session] <= 0 {
			delete(s.bySession, session)
		}
		s.tell()
	}), nil
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
