package queue

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// State is a line as it was saved.
type State struct {
	Records   []Record // in any order
	Totals    Totals
	Durations []float64 // in seconds, oldest first
}

// revisionStep is how far the revision goes on at a restart: beyond all that was told before, saved or not, since no commit takes as many changes.
const revisionStep = 1 << 20

// restored is what a restored line does at its first instant.
type restored struct {
	interrupted []*ticket // their run was going when the process ended
}

// RestoreLine makes a line that remembers what must be saved (see Unsaved), from what was saved before. It sleeps until its first instant, which
// is when the server is up: from then on everybody who waits has the whole heartbeat time, and who was called the whole window. Whose run
// was going is told that it was interrupted; it is never run again. Instants must go on from where they were.
//
// It errs on a state that can't be.
func RestoreLine(cfg Config, s State) (*Line, error) {
	l := NewLine(cfg)
	l.unsaved = &unsaved{marks: make(map[int64]mark)}
	l.number, l.term, l.paused, l.notice = s.Totals.Number, s.Totals.Term, s.Totals.Paused, s.Totals.Notice
	l.revision = max(cfg.Revision, s.Totals.Revision+revisionStep)
	l.asleep = &restored{}
	for _, d := range s.Durations {
		took := time.Duration(math.Round(d * float64(time.Second)))
		l.estimate.record(took)
		l.waits.Ran(took, false)
	}
	records := slices.Clone(s.Records)
	slices.SortFunc(records, func(a, b Record) int { return cmp.Compare(a.Number, b.Number) })
	var ended []Record
	for _, r := range records {
		if r.Status == "" {
			ended = append(ended, r)
			continue
		}
		if err := l.restore(r); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(l.reserved, byCall)
	slices.SortStableFunc(ended, func(a, b Record) int { return cmp.Compare(a.EndedAt, b.EndedAt) })
	l.endings.forgot = l.forgot
	for _, r := range ended {
		if l.tickets[r.Session] != nil || l.endings.by[r.Session] != nil {
			return nil, fmt.Errorf("session %s has ticket %d and another one", r.Session, r.Number)
		}
		l.endings.remember(&ending{
			session: r.Session, at: r.EndedAt, called: calledAt(r), refuse: r.Refuse,
			ended: Ended{Reason: r.Reason, TicketID: r.ID, Number: r.Number, RunID: r.RunID, Outcome: r.Outcome, Kept: r.Kept},
		})
	}
	return l, nil
}

// restore puts a ticket where it stood; the records come in order of their numbers, which is that of the line.
func (l *Line) restore(r Record) error {
	if l.tickets[r.Session] != nil {
		return fmt.Errorf("session %s has ticket %d and another one", r.Session, r.Number)
	}
	t := &ticket{
		id: r.ID, number: r.Number, session: r.Session, status: r.Status, joinedAt: r.JoinedAt, kept: r.Kept, joined: -1, called: calledAt(r),
	}
	switch r.Status {
	case Queued:
		t.waited = true
		l.queue.push(t)
		l.seen.push(t)
	case Ready:
		l.reserved = append(l.reserved, t)
	case Running:
		t.run = &run{id: r.RunID, session: r.Session, number: r.Number, ticket: t}
		l.asleep.interrupted = append(l.asleep.interrupted, t)
	default:
		return fmt.Errorf("ticket %d has the status %q", r.Number, r.Status)
	}
	l.tickets[r.Session] = t
	l.number = max(l.number, r.Number)
	return nil
}

// byCall is the order of reservations: those called at one instant were called in the order of the line.
func byCall(a, b *ticket) int {
	return cmp.Or(cmp.Compare(a.called, b.called), cmp.Compare(a.number, b.number))
}

func calledAt(r Record) time.Duration {
	if !r.WasCalled {
		return -1
	}
	return r.CalledAt
}

// awake is the first instant of a restored line.
func (l *Line) awake(now time.Duration) {
	interrupted := l.asleep.interrupted
	l.asleep = nil
	for t := l.seen.first; t != nil; t = t.next {
		t.seen = now
	}
	l.waits.Begin(now, l.queue.n)
	l.waits.Freeze(now, !l.calls())
	for _, t := range l.reserved {
		t.deadline = now + l.cfg.Reservation
	}
	for _, t := range interrupted {
		l.end(now, t, ReasonFinished, Interrupted)
	}
	l.promote(now)
}
