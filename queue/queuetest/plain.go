package queuetest

import (
	"math"
	"slices"
	"time"

	"confluence/queue"
)

// plain is the line written down from the rules alone, with slices and linear scans: what a store is compared with. Its time is where its
// caller last moved it to.
type plain struct {
	cfg       queue.Config
	now       time.Duration
	line      []*place // queued, in order
	reserved  []*place // ready, by time reserved
	runs      []*plainRun
	ended     map[string]*plainEnd
	durations []float64 // seconds, oldest first
	number    int64
	joined    int // tickets ever
	gone      int // of them
	down      bool
	paused    bool
	notice    string
}

type place struct {
	session  string
	number   int64
	joinedAt int
	kept     queue.Kept
	seen     time.Duration
	called   time.Duration // below 0: not yet
	deadline time.Duration
	run      *plainRun
}

type plainRun struct {
	session  string
	number   int64
	started  time.Duration
	ticket   *place // nil: it left
	stopping bool
}

type plainEnd struct {
	at     time.Duration
	called time.Duration
	refuse bool
	what   farewell
}

// farewell is what is compared of an Ended.
type farewell struct {
	Reason        queue.Reason
	Number        int64
	Outcome       queue.Outcome
	Ran           bool
	Since, Called time.Duration
	Kept          queue.Kept
}

// told is what is compared of a View.
type told struct {
	Number                                  int64
	Status                                  queue.Status
	Position, Ahead, JoinedAt               int
	ETA, ReservationIn                      queue.Seconds
	Runner                                  queue.RunnerState
	Paused                                  bool
	Notice                                  string
	Kept                                    queue.Kept
	RunElapsed, HeartbeatEvery, ClaimWithin time.Duration
}

// moveTo lets time pass: each thing that is due happens at its own time.
func (p *plain) moveTo(now time.Duration) {
	for {
		at, any := p.due()
		if !any || at > now {
			break
		}
		p.now = at
		if !p.down {
			for _, t := range slices.Clone(p.reserved) {
				if t.deadline <= at {
					p.end(t, queue.ReasonLapsed, "")
				}
			}
		}
		p.dropStale()
		p.promote()
	}
	p.now = now
}

// due is the next time at which something happens by itself.
func (p *plain) due() (at time.Duration, any bool) {
	at = math.MaxInt64
	if !p.down {
		for _, t := range p.reserved {
			at = min(at, t.deadline)
		}
	}
	for _, t := range p.line {
		at = min(at, t.seen+p.cfg.Heartbeat+1)
	}
	return at, at < math.MaxInt64
}

func (p *plain) dropStale() {
	for _, t := range slices.Clone(p.line) {
		if p.now-t.seen > p.cfg.Heartbeat {
			p.end(t, queue.ReasonHeartbeatLost, "")
		}
	}
}

func (p *plain) promote() {
	for p.idle() && len(p.line) > 0 && !p.paused && !p.down {
		head := p.line[0]
		p.line = p.line[1:]
		p.call(head)
	}
}

func (p *plain) idle() bool { return len(p.reserved)+len(p.runs) < p.cfg.Slots }
func (p *plain) free() bool { return p.idle() && len(p.line) == 0 && !p.paused && !p.down }

func (p *plain) call(t *place) {
	t.called, t.deadline = p.now, p.now+p.cfg.Reservation
	p.reserved = append(p.reserved, t)
}

func (p *plain) admit(session string, kept queue.Kept) *place {
	delete(p.ended, session)
	p.number++
	p.joined++
	return &place{session: session, number: p.number, kept: kept, seen: p.now, called: -1}
}

func (p *plain) end(t *place, reason queue.Reason, outcome queue.Outcome) {
	p.gone++
	p.line = without(p.line, t)
	p.reserved = without(p.reserved, t)
	if t.run != nil {
		t.run.ticket = nil
	}
	p.ended[t.session] = &plainEnd{
		at: p.now, called: t.called, refuse: reason == queue.ReasonLapsed,
		what: farewell{Reason: reason, Number: t.number, Outcome: outcome, Ran: t.run != nil, Kept: t.kept},
	}
}

func without(places []*place, t *place) []*place {
	return slices.DeleteFunc(slices.Clone(places), func(x *place) bool { return x == t })
}

// ticket is the session's, or nil.
func (p *plain) ticket(session string) *place {
	for _, t := range slices.Concat(p.reserved, p.line) {
		if t.session == session {
			return t
		}
	}
	for _, r := range p.runs {
		if r.ticket != nil && r.session == session {
			return r.ticket
		}
	}
	return nil
}

func (p *plain) ending(session string) *plainEnd {
	if e := p.ended[session]; e != nil && p.now-e.at < 10*time.Minute {
		return e
	}
	return nil
}

func (p *plain) join(session string, kept queue.Kept) error {
	t := p.ticket(session)
	switch {
	case t != nil:
		if kept.Query != "" {
			t.kept = kept
		}
	case p.free():
		t = p.admit(session, kept)
		p.call(t)
		t.joinedAt = len(p.reserved)
	case len(p.line) >= p.cfg.MaxLength:
		return queue.ErrQueueFull
	default:
		t = p.admit(session, kept)
		p.line = append(p.line, t)
		t.joinedAt = len(p.reserved) + len(p.line)
	}
	return nil
}

func (p *plain) keep(session string, kept queue.Kept) error {
	t := p.ticket(session)
	if t == nil {
		return queue.ErrTicketNotFound
	}
	t.kept = kept
	return nil
}

func (p *plain) heartbeat(session string) {
	if t := p.ticket(session); t != nil {
		t.seen = p.now
	}
}

func (p *plain) leave(session string) {
	t := p.ticket(session)
	if t == nil {
		return
	}
	if t.run != nil {
		t.run.stopping = true
	}
	p.end(t, queue.ReasonLeft, "")
	p.promote()
}

func (p *plain) forgetLapse(session string) {
	if e := p.ending(session); e != nil {
		e.refuse = false
	}
}

func (p *plain) claim(session string) (*plainRun, error) {
	if p.down {
		return nil, queue.ErrRunnerUnavailable
	}
	t := p.ticket(session)
	if t == nil {
		if e := p.ending(session); e != nil && e.refuse {
			e.refuse = false
			return nil, queue.ErrReservationExpired
		}
		if !p.free() {
			return nil, queue.ErrBusy
		}
		t = p.admit(session, queue.Kept{})
		p.call(t)
		t.joinedAt = len(p.reserved)
	}
	if !slices.Contains(p.reserved, t) {
		return nil, queue.ErrBusy
	}
	p.reserved = without(p.reserved, t)
	t.run = &plainRun{session: session, number: t.number, started: p.now, ticket: t}
	p.runs = append(p.runs, t.run)
	return t.run, nil
}

func (p *plain) finish(r *plainRun, outcome queue.Outcome) error {
	i := slices.Index(p.runs, r)
	if i < 0 {
		return queue.ErrStale
	}
	p.runs = slices.Delete(p.runs, i, i+1)
	took := p.now - r.started
	byClient := (outcome == queue.Cancelled || outcome == queue.Disconnected) && took <= 5*time.Second
	if !byClient && outcome != queue.Interrupted {
		p.durations = append(p.durations, took.Seconds())
	}
	if r.ticket != nil {
		p.end(r.ticket, queue.ReasonFinished, outcome)
	}
	p.promote()
	return nil
}

func (p *plain) setRunner(available bool) {
	if p.down && available {
		for _, t := range p.reserved {
			t.deadline = p.now + p.cfg.Reservation
		}
	}
	p.down = !available
	p.promote()
}

func (p *plain) setPaused(paused bool) {
	p.paused = paused
	p.promote()
}
