package sqlitestore

import (
	"context"
	"time"

	"confluence/queue"
)

// Join is a queue.Store's.
func (s *Store) Join(ctx context.Context, session string, kept queue.Kept) (v queue.View, err error) {
	if v, ok := s.rejoin(session, kept); ok {
		return v, nil
	}
	err = s.refusable(ctx, s.undo(session), func(now time.Duration) (err error) {
		v, err = s.line.Join(now, session, kept)
		return err
	})
	if err != nil {
		return queue.View{}, err
	}
	return v, nil
}

// rejoin answers who has a ticket already and wants nothing new while nothing can be saved: all tickets there are then in the file.
func (s *Store) rejoin(session string, kept queue.Kept) (v queue.View, ok bool) {
	s.look(func(now time.Duration) {
		if s.trouble != nil && !s.closed && kept.Query == "" {
			var err error
			v, err = s.line.Status(now, session)
			ok = err == nil
		}
	})
	return v, ok
}

// Keep is a queue.Store's.
func (s *Store) Keep(ctx context.Context, session string, kept queue.Kept) error {
	return s.refusable(ctx, s.undo(session), func(now time.Duration) error { return s.line.Keep(now, session, kept) })
}

// Status is a queue.Store's.
func (s *Store) Status(_ context.Context, session string) (v queue.View, err error) {
	s.look(func(now time.Duration) {
		s.line.Seen(now, session)
		v, err = s.line.Status(now, session)
	})
	return v, err
}

// Peek is a queue.Store's.
func (s *Store) Peek(_ context.Context, session string) (v queue.View, err error) {
	s.look(func(now time.Duration) { v, err = s.line.Status(now, session) })
	return v, err
}

// Seen is a queue.Store's.
func (s *Store) Seen(_ context.Context, session string) error {
	s.look(func(now time.Duration) { s.line.Seen(now, session) })
	return nil
}

// Leave is a queue.Store's. The ticket is gone even if that can't be saved.
func (s *Store) Leave(_ context.Context, session string) error {
	return s.owed(func(now time.Duration) error {
		s.line.Leave(now, session)
		return nil
	})
}

// ForgetLapse is a queue.Store's.
func (s *Store) ForgetLapse(_ context.Context, session string) error {
	return s.owed(func(now time.Duration) error {
		s.line.ForgetLapse(now, session)
		return nil
	})
}

// Claim is a queue.Store's. It waits for the disk whatever becomes of ctx, since a run must not begin that the file doesn't know, nor be
// known to the file and not begin.
func (s *Store) Claim(_ context.Context, session string) (g queue.Grant, err error) {
	err = s.refusable(context.Background(), s.undo(session), func(now time.Duration) (err error) {
		g, err = s.line.Claim(now, session)
		return err
	})
	if err != nil {
		return queue.Grant{}, err
	}
	return g, nil
}

// undo is how a step of that session's is taken back.
func (s *Store) undo(session string) func(now time.Duration) func(now time.Duration) {
	return func(now time.Duration) func(now time.Duration) { return s.line.Undo(now, session) }
}

// Stopping is a queue.Store's.
func (s *Store) Stopping(_ context.Context, term uint64) error {
	s.look(func(now time.Duration) { s.line.Stopping(now, term) })
	return nil
}

// Finish is a queue.Store's. The slot is free even if that can't be saved.
func (s *Store) Finish(_ context.Context, term uint64, outcome queue.Outcome) error {
	return s.owed(func(now time.Duration) error { return s.line.Finish(now, term, outcome) })
}

// Picture is a queue.Store's.
func (s *Store) Picture(context.Context) (p queue.Picture, err error) {
	s.look(func(now time.Duration) { p = s.line.Picture(now) })
	return p, nil
}

// Each is a queue.Store's. fn is called with the line locked.
func (s *Store) Each(_ context.Context, from, to int, fn func(session string, v queue.View)) error {
	s.look(func(now time.Duration) { s.line.Each(now, from, to, fn) })
	return nil
}

// SetRunner is a queue.Store's. It is not saved: after a restart the runner is asked.
func (s *Store) SetRunner(_ context.Context, available bool) error {
	s.look(func(now time.Duration) {
		s.runner = available
		s.line.SetRunner(now, available && s.trouble == nil)
	})
	return nil
}

// SetPaused is a queue.Store's.
func (s *Store) SetPaused(ctx context.Context, paused bool) error {
	return s.refusable(ctx, func(now time.Duration) func(now time.Duration) {
		was := s.line.Picture(now).Paused
		return func(now time.Duration) { s.line.SetPaused(now, was) }
	}, func(now time.Duration) error {
		s.line.SetPaused(now, paused)
		return nil
	})
}

// SetNotice is a queue.Store's.
func (s *Store) SetNotice(ctx context.Context, notice string) error {
	return s.refusable(ctx, func(now time.Duration) func(now time.Duration) {
		was := s.line.Picture(now).Notice
		return func(now time.Duration) { s.line.SetNotice(now, was) }
	}, func(now time.Duration) error {
		s.line.SetNotice(now, notice)
		return nil
	})
}

// Halt is a queue.Store's. It is not saved.
func (s *Store) Halt(context.Context) error {
	s.look(func(now time.Duration) { s.line.Halt(now) })
	return nil
}

// Advance is a queue.Store's.
func (s *Store) Advance(context.Context) (next time.Duration, err error) {
	next = -1
	s.look(func(now time.Duration) {
		s.line.Advance(now)
		if at, ok := s.line.Due(); ok {
			next = at - now
		}
	})
	return next, nil
}
