package web

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// What a session may ask for its standing, joins among it. Who asks every poll_after_seconds, which is a second or more, stays far below.
const (
	defaultPollBurst = 20
	defaultPollRate  = 2 // a second
)

// paceSessions is how many sessions a generation remembers; with more of them the oldest are forgiven early.
const paceSessions = 100_000

// pace is a token bucket for each session. A bucket that is full again is like none, so two generations are enough: the older one is
// forgotten as a whole when each bucket in it has had the time to fill.
type pace struct {
	now   func() time.Time
	every time.Duration // a token comes so often
	burst int           // tokens in a full bucket

	mu      sync.Mutex
	turned  time.Time
	present map[string]time.Time // when the session's bucket will be full again
	past    map[string]time.Time
}

// newPace lets a session have burst calls at once, and one every so often.
func newPace(burst int, every time.Duration, now func() time.Time) *pace {
	return &pace{now: now, every: every, burst: burst, turned: now(), present: map[string]time.Time{}}
}

// take counts a call of the session. One that is too much costs nothing; then it says how long until the next one isn't.
func (p *pace) take(session string) (wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	whole := p.every * time.Duration(p.burst)
	if now.Sub(p.turned) >= whole || len(p.present) >= paceSessions {
		p.past, p.present, p.turned = p.present, map[string]time.Time{}, now
	}
	full := p.full(session, now).Add(p.every)
	if wait = full.Sub(now) - whole; wait > 0 {
		return wait
	}
	p.present[session] = full
	return 0
}

// wait is how long it is until the session may call; it counts no call.
func (p *pace) wait(session string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	return max(0, p.full(session, now).Add(p.every).Sub(now)-p.every*time.Duration(p.burst))
}

// full wants the lock. It is when the session's bucket will be full again.
func (p *pace) full(session string, now time.Time) time.Time {
	full, known := p.present[session]
	if !known {
		full = p.past[session]
	}
	if full.Before(now) {
		return now
	}
	return full
}

// limitPolls refuses a session that asks much faster than it needs to. The refusal is a heartbeat, too, where that is asked for.
func (s *Server) limitPolls(ctx context.Context, session string, heartbeat bool) error {
	if session == "" {
		return nil
	}
	wait := s.pace.take(session)
	if wait == 0 {
		return nil
	}
	if heartbeat {
		if err := s.o.Controller.Seen(ctx, session); err != nil {
			return err
		}
	}
	soonest := wholeSeconds(wait)
	// Who waits for the time that is told must not lose the place by that: it is spread up to the pace that is told with every standing.
	line := s.o.Controller.Config()
	latest := max(soonest, int(PollAfter(line.Heartbeat, line.Reservation)))
	return &refusal{err: errRateLimited, after: soonest + rand.IntN(latest-soonest+1)}
}
