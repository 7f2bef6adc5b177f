package queue

import (
	"slices"
	"time"
)

// position is rule 10.
func (l *Line) position(t *ticket) int {
	switch t.status {
	case Running:
		return 0
	case Ready:
		return slices.Index(l.reserved, t) + 1
	}
	return len(l.reserved) + l.queue.rank(t)
}

func (l *Line) view(now time.Duration, t *ticket) View { return l.viewAt(now, t, l.position(t)) }

func (l *Line) viewAt(now time.Duration, t *ticket, position int) View {
	ahead := max(0, position-1)
	v := View{
		TicketID: t.id, Number: t.number, Status: t.status, Position: position, Ahead: ahead, JoinedAt: t.joinedAt,
		ETA: l.estimate.eta(ahead, l.cfg.Slots, l.elapsed(now, ahead)), Wait: l.waits.now(),
		Runner: l.runnerTold(), Revision: l.revision, Paused: l.paused, Notice: l.notice, Kept: t.kept,
		RunElapsed: l.elapsed(now, 0), HeartbeatEvery: l.cfg.Heartbeat, ClaimWithin: l.cfg.Reservation, inputs: l.inputs, published: l.published,
	}
	v.UsualLow, v.UsualHigh = l.estimate.usual()
	switch t.status {
	case Queued:
		v.Wait = l.wait(now, ahead-len(l.reserved))
	case Ready:
		left := t.deadline - now
		if l.down {
			left = l.cfg.Reservation // it gets a fresh full window
		}
		v.ReservationIn = whole(left.Seconds())
	case Running:
		v.RunID = t.run.id
		v.RunElapsed = now - t.run.started
	}
	return v
}

// elapsed is how long the run has been going that frees a slot for who has so many ahead; 0 for a slot where none is.
func (l *Line) elapsed(now time.Duration, ahead int) time.Duration {
	if i := ahead % l.cfg.Slots; i < len(l.runs) {
		return now - l.runs[i].started
	}
	return 0
}

// runnerTold is the runner as a ticket's owner is told: first of all whether anybody is called.
func (l *Line) runnerTold() RunnerState {
	switch {
	case l.down:
		return RunnerUnavailable
	case len(l.runs) > 0:
		return RunnerRunning
	}
	return RunnerReserved
}

// Picture is what everybody may see.
func (l *Line) Picture(now time.Duration) Picture {
	l.Advance(now)
	p := Picture{
		Slots: l.cfg.Slots, Runner: l.runner(), Length: l.queue.n, Free: l.free(), Wait: l.waits.now(),
		Serving: []int64{}, Called: []int64{}, Next: make([]int64, 0, min(PictureNext, l.queue.n)),
		Paused: l.paused, Notice: l.notice, Revision: l.revision, RunElapsed: l.elapsed(now, 0), Estimate: l.waits.estimate(),
	}
	p.UsualLow, p.UsualHigh = l.estimate.usual()
	if !p.Free {
		p.Full = l.queue.n >= l.cfg.MaxLength
		p.Wait = l.wait(now, l.queue.n)
	}
	for _, r := range l.runs {
		state := RunnerRunning
		if r.stopping {
			state = RunnerStopping
		}
		p.Serving = append(p.Serving, r.number)
		p.Taken = append(p.Taken, Slot{r.number, state, now - r.started})
	}
	for _, t := range l.reserved {
		p.Called = append(p.Called, t.number)
		p.Taken = append(p.Taken, Slot{t.number, RunnerReserved, now - t.called})
	}
	l.queue.each(1, PictureNext, func(_ int, t *ticket) { p.Next = append(p.Next, t.number) })
	return p
}

func (l *Line) runner() RunnerState {
	switch {
	case l.down:
		return RunnerUnavailable
	case slices.ContainsFunc(l.runs, func(r *run) bool { return !r.stopping }):
		return RunnerRunning
	case len(l.runs) > 0:
		return RunnerStopping
	case len(l.reserved) > 0:
		return RunnerReserved
	}
	return RunnerIdle
}

// Each calls fn with the standing of the sessions at these positions, in order; 0 are those that run.
func (l *Line) Each(now time.Duration, from, to int, fn func(session string, v View)) {
	l.Advance(now)
	for _, r := range l.runs {
		if from <= 0 && to >= 0 && r.ticket != nil {
			fn(r.session, l.viewAt(now, r.ticket, 0))
		}
	}
	for i := max(from, 1); i <= min(to, len(l.reserved)); i++ {
		t := l.reserved[i-1]
		fn(t.session, l.viewAt(now, t, i))
	}
	before := len(l.reserved)
	l.queue.each(from-before, to-before, func(rank int, t *ticket) { fn(t.session, l.viewAt(now, t, before+rank)) })
}

// tell is what the session is told of its last ticket.
func (e *ending) tell(now time.Duration) Ended {
	told := e.ended
	told.Since = now - e.at
	if e.called >= 0 {
		told.Called = now - e.called
	}
	return told
}
