package queue

import "time"

// How long, how many and how much text of ended tickets is remembered.
const (
	endedFor   = 10 * time.Minute
	endedMost  = 1 << 16
	endedBytes = 64 << 20
)

// endings remembers how the last ticket of each session ended, bounded in time, number and bytes of kept text; the oldest is forgotten first.
type endings struct {
	by    map[string]*ending
	old   []*ending // oldest first; one that was replaced or forgotten has no session any more
	bytes int
}

type ending struct {
	session string
	at      time.Duration
	called  time.Duration // when it was called; below 0: never
	refuse  bool          // the session's next claim is refused with ErrReservationExpired
	ended   Ended
}

func (e *endings) remember(r *ending) {
	e.forget(r.session)
	if e.by == nil {
		e.by = make(map[string]*ending)
	}
	e.by[r.session] = r
	e.old = append(e.old, r)
	e.bytes += len(r.ended.Kept.Query)
	for len(e.old) > endedMost || e.bytes > endedBytes {
		e.dropOldest()
	}
}

// of is what is remembered of a session at that time, or nil.
func (e *endings) of(session string, now time.Duration) *ending {
	for len(e.old) > 0 && (e.old[0].session == "" || now-e.old[0].at >= endedFor) {
		e.dropOldest()
	}
	return e.by[session]
}

func (e *endings) forget(session string) {
	if r := e.by[session]; r != nil {
		e.bytes -= len(r.ended.Kept.Query)
		delete(e.by, session)
		*r = ending{}
	}
}

func (e *endings) dropOldest() {
	e.forget(e.old[0].session)
	e.old[0] = nil
	e.old = e.old[1:]
}
