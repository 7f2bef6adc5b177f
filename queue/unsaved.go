package queue

import (
	"slices"
	"time"
)

// What must outlive the process is saved by whoever made the line with RestoreLine: again and again it takes Unsaved and writes it down. What
// is taken is how things stand at that instant, not how they came to be so: a ticket that changed ten times is written once.

// unsaved remembers what has changed since it was taken last.
type unsaved struct {
	marks     map[int64]mark // by the ticket's number
	durations bool
	urgent    bool // there is more than things to forget
}

// mark is a ticket that has changed.
type mark struct {
	session string
	text    bool // the kept text too
}

// Record is what must outlive the process of one ticket, in the line or ended. Instants are of the line's own clock.
type Record struct {
	Session   string
	ID        string
	Number    int64
	Status    Status // empty: it has ended
	JoinedAt  int
	Kept      Kept
	WasCalled bool
	CalledAt  time.Duration
	RunID     string // of a ticket that runs or ran

	// Of an ended ticket.
	Reason  Reason
	Outcome Outcome
	EndedAt time.Duration
	Refuse  bool // the session's next claim is refused with ErrReservationExpired

	TextChanged bool // in Unsaved: Kept.Query is to be written as well
}

// Totals are the counters that go on over a restart, and what the operator said.
type Totals struct {
	Number   int64  // of the last ticket
	Term     uint64 // of the last reservation or run
	Revision int64
	Paused   bool
	Notice   string
}

// Unsaved is what is to be written: all of it, or nothing.
type Unsaved struct {
	Records   []Record
	Forgotten []int64 // numbers of tickets that nobody remembers any more
	Totals    Totals
	Durations []float64 // in seconds, oldest first; nil: as before

	taken unsaved
}

// Unsaved takes what has changed since it was taken last.
func (l *Line) Unsaved() Unsaved {
	u := Unsaved{Totals: Totals{l.number, l.term, l.revision, l.paused, l.notice}, taken: *l.unsaved}
	for number, m := range l.unsaved.marks {
		if r, ok := l.record(number, m.session); ok {
			r.TextChanged = m.text
			u.Records = append(u.Records, r)
		} else {
			u.Forgotten = append(u.Forgotten, number)
		}
	}
	if l.unsaved.durations {
		u.Durations = slices.Clone(l.estimate.last)
	}
	*l.unsaved = unsaved{marks: make(map[int64]mark)}
	return u
}

// Resave gives back what was taken and could not be written.
func (l *Line) Resave(u Unsaved) {
	for number, m := range u.taken.marks {
		m.text = m.text || l.unsaved.marks[number].text
		l.unsaved.marks[number] = m
	}
	l.unsaved.durations = l.unsaved.durations || u.taken.durations
	l.unsaved.urgent = l.unsaved.urgent || u.taken.urgent
}

// Owes says whether there is something to be saved that can't wait for the next change.
func (l *Line) Owes() bool { return l.unsaved.urgent }

func (l *Line) owe(number int64, session string, text bool) {
	if l.unsaved == nil {
		return
	}
	text = text || l.unsaved.marks[number].text
	l.unsaved.marks[number] = mark{session, text}
	l.unsaved.urgent = true
}

func (l *Line) oweDurations() {
	if l.unsaved != nil {
		l.unsaved.durations, l.unsaved.urgent = true, true
	}
}

func (l *Line) oweTotals() {
	if l.unsaved != nil {
		l.unsaved.urgent = true
	}
}

// forgot is told of each ending that is remembered no more.
func (l *Line) forgot(e *ending) {
	m := l.unsaved.marks[e.ended.Number]
	m.session = e.session
	l.unsaved.marks[e.ended.Number] = m
}

// record is how that ticket stands or ended; not ok: nobody remembers.
func (l *Line) record(number int64, session string) (r Record, ok bool) {
	if t := l.tickets[session]; t != nil && t.number == number {
		r = Record{
			Session: session, ID: t.id, Number: number, Status: t.status, JoinedAt: t.joinedAt, Kept: t.kept,
			WasCalled: t.called >= 0, CalledAt: t.called,
		}
		if t.run != nil {
			r.RunID = t.run.id
		}
		return r, true
	}
	if e := l.endings.by[session]; e != nil && e.ended.Number == number {
		return Record{
			Session: session, ID: e.ended.TicketID, Number: number, Kept: e.ended.Kept, WasCalled: e.called >= 0, CalledAt: e.called,
			RunID: e.ended.RunID, Reason: e.ended.Reason, Outcome: e.ended.Outcome, EndedAt: e.at, Refuse: e.refuse,
		}, true
	}
	return Record{}, false
}
