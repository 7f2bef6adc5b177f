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
	by          map[string]*ending
	first, last *ending // oldest first
	bytes       int
	forgot      func(*ending) // nil: nobody wants to know
}

type ending struct {
	prev, next *ending
	session    string
	at         time.Duration
	called     time.Duration // when it was called; below 0: never
	refuse     bool          // the session's next claim is refused with ErrReservationExpired
	ended      Ended
}

// remember takes r for its session's last; no instant is before that of the one remembered last.
func (e *endings) remember(r *ending) {
	e.forget(r.session)
	if e.by == nil {
		e.by = make(map[string]*ending)
	}
	e.by[r.session] = r
	e.bytes += len(r.ended.Kept.Query)
	r.prev = e.last
	if e.last == nil {
		e.first = r
	} else {
		e.last.next = r
	}
	e.last = r
	for len(e.by) > endedMost || e.bytes > endedBytes {
		e.forget(e.first.session)
	}
}

// of is what is remembered of a session at that time, or nil.
func (e *endings) of(session string, now time.Duration) *ending {
	for e.first != nil && now-e.first.at >= endedFor {
		e.forget(e.first.session)
	}
	return e.by[session]
}

func (e *endings) forget(session string) {
	r := e.by[session]
	if r == nil {
		return
	}
	delete(e.by, session)
	e.bytes -= len(r.ended.Kept.Query)
	if r.prev == nil {
		e.first = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next == nil {
		e.last = r.prev
	} else {
		r.next.prev = r.prev
	}
	r.prev, r.next = nil, nil
	if e.forgot != nil {
		e.forgot(r)
	}
}
