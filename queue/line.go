package queue

import (
	"slices"
	"time"
)

// clientEndedWithin: a run that its client ended so soon says nothing about how long runs take.
const clientEndedWithin = 5 * time.Second

// Line is the state of the waiting room and its transitions, without a clock, a lock or a goroutine of its own: each method takes the present
// instant (since any fixed one, never falling) and first lets everything happen that is due until then, in its order. What happened is in
// Take. A store wraps a Line, or does the same elsewhere.
type Line struct {
	cfg Config
	ids *ids

	tickets  map[string]*ticket // by session
	queue    order              // the queued ones
	seen     seenList           // the queued ones by when they were last seen
	reserved []*ticket          // the ready ones, by when they were called
	runs     []*run             // the going ones, oldest first; those whose ticket left too
	endings  endings
	estimate estimate
	waits    waits

	number    int64  // of the last ticket
	term      uint64 // of the last reservation or run
	revision  int64
	inputs    int64 // counts what changes a wait beside the position: calls, starts, stops, ends
	down      bool  // the runner is unavailable
	paused    bool
	halted    bool // the process is about to end
	notice    string
	published int64 // number of the last pause, notice or availability
	changes   []Change
	unsaved   *unsaved  // what must outlive the process and hasn't been taken for that; nil: nothing must
	asleep    *restored // of a restored line, until its first instant
}

type ticket struct {
	id         string
	number     int64
	session    string
	status     Status
	joinedAt   int // its position then
	kept       Kept
	place      int           // in order, while queued
	seen       time.Duration // last
	prev, next *ticket       // in seenList, while queued
	joined     time.Duration // below 0: in an earlier process
	called     time.Duration // became ready; below 0: not yet
	deadline   time.Duration // of its reservation
	run        *run          // while running
	waited     bool          // it has stood in the line of this process
}

type run struct {
	id       string
	term     uint64
	session  string
	number   int64
	started  time.Duration
	ticket   *ticket // nil: it left
	stopping bool
	answered time.Duration // how long the call that it follows took to be claimed; below 0: it says nothing
}

// Grant is a claimed turn.
type Grant struct {
	Term  uint64 // names the run in Stopping and Finish
	RunID string
	View  View
}

// NewLine makes an empty line; cfg must be valid.
func NewLine(cfg Config) *Line {
	return &Line{
		cfg: cfg, ids: newIDs(), tickets: make(map[string]*ticket), revision: cfg.Revision,
		waits: newWaits(cfg),
	}
}

// Join is rule 1.
func (l *Line) Join(now time.Duration, session string, kept Kept) (View, error) {
	l.Advance(now)
	t := l.tickets[session]
	switch {
	case t != nil:
		if kept.Query != "" {
			l.keep(t, kept)
		}
	case l.free():
		t = l.admit(now, session, kept)
		l.call(now, t)
	case l.queue.n >= l.cfg.MaxLength:
		return View{}, ErrQueueFull
	default:
		t = l.admit(now, session, kept)
		l.awaitsTurn(now, t)
		l.queue.push(t)
		l.seen.push(t)
		t.joinedAt = l.position(t)
		l.changed(Change{Kind: Joined, Session: session})
	}
	return l.view(now, t), nil
}

// Keep replaces what is kept with the session's ticket.
func (l *Line) Keep(now time.Duration, session string, kept Kept) error {
	t, err := l.find(now, session)
	if err == nil {
		l.keep(t, kept)
	}
	return err
}

func (l *Line) keep(t *ticket, kept Kept) {
	t.kept = kept
	l.owe(t.number, t.session, true)
}

// Seen is the heartbeat of rule 2; without a ticket it does nothing.
func (l *Line) Seen(now time.Duration, session string) {
	l.Advance(now)
	if t := l.tickets[session]; t != nil && t.status == Queued {
		t.seen = now
		l.seen.refresh(t)
	}
}

// Status is the session's standing; it is no heartbeat.
func (l *Line) Status(now time.Duration, session string) (View, error) {
	t, err := l.find(now, session)
	if err != nil {
		return View{}, err
	}
	return l.view(now, t), nil
}

// Leave is rule 3.
func (l *Line) Leave(now time.Duration, session string) {
	l.Advance(now)
	if t := l.tickets[session]; t != nil {
		if t.run != nil {
			t.run.ticket = nil
			t.run.stopping = true
			l.inputs++
		}
		l.end(now, t, ReasonLeft, "")
		l.promote(now)
	}
}

// ForgetLapse makes a session whose reservation ran out a newcomer.
func (l *Line) ForgetLapse(now time.Duration, session string) {
	l.Advance(now)
	if e := l.endings.of(session, now); e != nil {
		l.forgive(e)
	}
}

// forgive ends the refusal that waits for the session's next claim.
func (l *Line) forgive(e *ending) {
	if e.refuse {
		e.refuse = false
		l.owe(e.ended.Number, e.session, false)
	}
}

// Claim is rules 4 and 5.
func (l *Line) Claim(now time.Duration, session string) (Grant, error) {
	l.Advance(now)
	if l.down {
		return Grant{}, ErrRunnerUnavailable
	}
	t := l.tickets[session]
	if t == nil {
		if e := l.endings.of(session, now); e != nil && e.refuse {
			l.forgive(e)
			return Grant{}, ErrReservationExpired
		}
		if !l.free() {
			return Grant{}, ErrBusy
		}
		t = l.admit(now, session, Kept{})
		l.call(now, t)
	}
	if t.status != Ready {
		return Grant{}, ErrBusy
	}
	l.term++
	t.run = &run{id: l.ids.run(), term: l.term, session: session, number: t.number, started: now, ticket: t, answered: l.answered(now, t)}
	l.runs = append(l.runs, t.run)
	l.reserved = slices.DeleteFunc(l.reserved, func(r *ticket) bool { return r == t })
	t.status = Running
	l.owe(t.number, session, false)
	l.inputs++
	l.changed(Change{Kind: Started, Session: session, Term: t.run.term})
	return Grant{Term: t.run.term, RunID: t.run.id, View: l.view(now, t)}, nil
}

// Stopping says that the run was told to end and hasn't yet.
func (l *Line) Stopping(now time.Duration, term uint64) {
	l.Advance(now)
	if r := l.running(term); r != nil && !r.stopping {
		r.stopping = true
		l.inputs++
		l.changed(Change{Kind: Changed})
	}
}

// Finish is rule 9: the run has really ended. It errs with ErrStale if it had before.
func (l *Line) Finish(now time.Duration, term uint64, outcome Outcome) error {
	l.Advance(now)
	r := l.running(term)
	if r == nil {
		return ErrStale
	}
	l.runs = slices.DeleteFunc(l.runs, func(x *run) bool { return x == r })
	took := now - r.started
	byClient := outcome == Cancelled || outcome == Disconnected
	if outcome != Interrupted && !(byClient && took <= clientEndedWithin) {
		l.estimate.record(took)
		l.oweDurations()
		l.waits.ran(r, took, outcome)
	}
	l.inputs++
	if r.ticket != nil {
		l.end(now, r.ticket, ReasonFinished, outcome)
	} else {
		l.changed(Change{Kind: Changed})
	}
	l.changes = append(l.changes, Change{Kind: Freed, Session: r.session, Term: term})
	l.promote(now)
	return nil
}

// SetRunner is the end of rule 8.
func (l *Line) SetRunner(now time.Duration, available bool) {
	l.Advance(now)
	if l.down == !available {
		return
	}
	l.down = !available
	l.waits.Freeze(now, !l.calls())
	if available {
		l.waits.back = now
		for _, t := range l.reserved {
			t.deadline = now + l.cfg.Reservation
		}
	}
	l.publish()
	l.promote(now)
}

// SetPaused stops and resumes promotion and newcomers' short cuts.
func (l *Line) SetPaused(now time.Duration, paused bool) {
	l.Advance(now)
	if l.paused != paused {
		l.paused = paused
		l.waits.Freeze(now, !l.calls())
		l.oweTotals()
		l.publish()
		l.promote(now)
	}
}

// Halt is the line's last night: nothing happens by itself any more. Nobody is called, and nobody's time runs out, since nobody can claim and
// a heartbeat may find no way here. What is asked for is done still. A line that goes on later is another one, restored from what was saved.
func (l *Line) Halt(now time.Duration) {
	l.Advance(now)
	l.halted = true
}

// SetNotice publishes the operator's words.
func (l *Line) SetNotice(now time.Duration, notice string) {
	l.Advance(now)
	if l.notice != notice {
		l.notice = notice
		l.oweTotals()
		l.publish()
	}
}

// Advance lets everything happen that is due until now, each at its own time: reservations end at their deadline (rule 7), and a queued
// ticket is gone the instant after its heartbeat time is over (rule 6). The order is that of time, so each promotion sees the line as it was.
func (l *Line) Advance(now time.Duration) {
	if l.asleep != nil {
		l.awake(now)
	}
	for {
		at, t := l.due()
		switch {
		case t == nil || at > now:
			return
		case t.status == Ready:
			l.end(at, t, ReasonLapsed, "")
			l.promote(at)
		default:
			l.end(at, t, ReasonHeartbeatLost, "")
		}
	}
}

// Due is the instant at which something happens by itself next.
func (l *Line) Due() (at time.Duration, ok bool) {
	at, t := l.due()
	return at, t != nil
}

// due is the next ticket that ends by itself, and when.
func (l *Line) due() (at time.Duration, t *ticket) {
	if l.halted {
		return 0, nil
	}
	if len(l.reserved) > 0 && !l.down {
		t = l.reserved[0] // all have the same window: the first called lapses first
		at = t.deadline
	}
	if s := l.seen.oldest(); s != nil {
		if stale := s.seen + l.cfg.Heartbeat + 1; t == nil || stale < at {
			at, t = stale, s
		}
	}
	return at, t
}

// Take is what has changed since the last Take, in its order. The slice is the line's own until the next transition.
func (l *Line) Take() []Change {
	taken := l.changes
	l.changes = l.changes[:0]
	return taken
}

// free: a newcomer would be served at once.
func (l *Line) free() bool {
	return l.idle() && l.queue.n == 0 && l.calls()
}

func (l *Line) idle() bool { return len(l.reserved)+len(l.runs) < l.cfg.Slots }

// calls: who is next in line is called as soon as there is a slot.
func (l *Line) calls() bool { return !l.paused && !l.down && !l.halted }

// promote is rule 8.
func (l *Line) promote(now time.Duration) {
	for l.idle() && l.queue.n > 0 && l.calls() {
		if t := l.seen.oldest(); now-t.seen > l.cfg.Heartbeat {
			l.end(now, t, ReasonHeartbeatLost, "")
			continue
		}
		t := l.queue.head()
		l.dequeue(t)
		l.waits.Called(now)
		l.call(now, t)
	}
	if l.free() {
		l.waits.Open(now)
	}
}

// admit makes the ticket of a session that has none.
func (l *Line) admit(now time.Duration, session string, kept Kept) *ticket {
	l.endings.forget(session)
	l.number++
	t := &ticket{id: l.ids.ticket(), number: l.number, session: session, status: Queued, kept: kept, seen: now, joined: now, called: -1}
	l.tickets[session] = t
	l.owe(t.number, session, kept.Query != "")
	return t
}

// call gives t, which stands nowhere, a reservation.
func (l *Line) call(now time.Duration, t *ticket) {
	l.term++
	t.status, t.called, t.deadline = Ready, now, now+l.cfg.Reservation
	l.reserved = append(l.reserved, t)
	change := Change{Kind: Called, Session: t.session, AtOnce: t.joinedAt == 0, Waited: -1}
	if change.AtOnce {
		t.joinedAt = len(l.reserved)
	}
	if t.joined >= 0 {
		change.Waited = now - t.joined
	}
	l.inputs++
	l.owe(t.number, t.session, false)
	l.changed(change)
}

func (l *Line) dequeue(t *ticket) {
	l.queue.remove(t)
	l.seen.remove(t)
}

// end takes t out, wherever it stands, and remembers why.
func (l *Line) end(now time.Duration, t *ticket, reason Reason, outcome Outcome) {
	delete(l.tickets, t.session)
	change := Change{Kind: Gone, Session: t.session}
	ended := Ended{Reason: reason, TicketID: t.id, Number: t.number, Outcome: outcome, Kept: t.kept}
	switch t.status {
	case Queued:
		l.waits.Left(now, l.queue.rank(t)-1)
		l.dequeue(t)
	case Ready:
		l.unanswered(now, t)
		l.reserved = slices.DeleteFunc(l.reserved, func(r *ticket) bool { return r == t })
		l.inputs++
	case Running:
		ended.RunID, change.Term = t.run.id, t.run.term
	}
	e := &ending{session: t.session, at: now, called: t.called, refuse: reason == ReasonLapsed, ended: ended}
	change.Ended = e.tell(now)
	l.endings.remember(e)
	l.owe(t.number, t.session, false)
	l.changed(change)
}

func (l *Line) find(now time.Duration, session string) (*ticket, error) {
	l.Advance(now)
	if t := l.tickets[session]; t != nil {
		return t, nil
	}
	if e := l.endings.of(session, now); e != nil {
		return nil, &NotFoundError{Ended: e.tell(now)}
	}
	return nil, &NotFoundError{Ended: Ended{Reason: ReasonNone}}
}

func (l *Line) running(term uint64) *run {
	for _, r := range l.runs {
		if r.term == term {
			return r
		}
	}
	return nil
}

func (l *Line) changed(c Change) {
	l.revision++
	l.changes = append(l.changes, c)
}

func (l *Line) publish() {
	l.published++
	l.changed(Change{Kind: Published})
}
