package queuetest

import (
	"math"
	"slices"
	"time"

	"confluence/queue"
)

// standing is what the session is told: of its ticket, or why it has none.
func (p *plain) standing(session string) (*told, *farewell) {
	t := p.ticket(session)
	if t == nil {
		e := p.ending(session)
		if e == nil {
			return nil, &farewell{Reason: queue.ReasonNone}
		}
		what := e.what
		what.Since = p.now - e.at
		if e.called >= 0 {
			what.Called = p.now - e.called
		}
		return nil, &what
	}
	v := &told{
		Number: t.number, JoinedAt: t.joinedAt, Kept: t.kept, Paused: p.paused, Notice: p.notice,
		Runner: p.runnerTold(), HeartbeatEvery: p.cfg.Heartbeat, ClaimWithin: p.cfg.Reservation,
	}
	if len(p.runs) > 0 {
		v.RunElapsed = p.now - p.runs[0].started
	}
	switch i, j := slices.Index(p.reserved, t), slices.Index(p.line, t); {
	case t.run != nil:
		v.Status, v.RunElapsed = queue.Running, p.now-t.run.started
	case i >= 0:
		v.Status, v.Position = queue.Ready, i+1
		left := t.deadline - p.now
		if p.down {
			left = p.cfg.Reservation
		}
		v.ReservationIn = rounded(left.Seconds())
	default:
		v.Status, v.Position = queue.Queued, len(p.reserved)+j+1
	}
	v.Ahead = max(0, v.Position-1)
	v.ETA = p.eta(v.Ahead)
	return v, nil
}

// eta is rule 11 for one slot; with more it is not compared.
func (p *plain) eta(ahead int) queue.Seconds {
	last := p.durations[max(0, len(p.durations)-20):]
	if len(last) == 0 || p.cfg.Slots > 1 {
		return queue.Seconds{}
	}
	mean := last[0]
	for _, d := range last[1:] {
		newer, older := 0.3*d, 0.7*mean
		mean = newer + older
	}
	eta := mean * float64(ahead+1)
	if len(p.runs) > 0 {
		eta -= (p.now - p.runs[0].started).Seconds()
	}
	return rounded(max(0, eta))
}

func rounded(seconds float64) queue.Seconds {
	return queue.Seconds{N: int64(math.RoundToEven(seconds)), Known: true}
}

func (p *plain) runnerTold() queue.RunnerState {
	switch {
	case p.down:
		return queue.RunnerUnavailable
	case len(p.runs) > 0:
		return queue.RunnerRunning
	}
	return queue.RunnerReserved
}

// picture is what everybody sees, without waits and revision.
func (p *plain) picture() queue.Picture {
	pic := queue.Picture{
		Slots: p.cfg.Slots, Runner: queue.RunnerIdle, Length: len(p.line), Free: p.free(), Paused: p.paused, Notice: p.notice,
		Serving: []int64{}, Called: []int64{}, Next: []int64{},
	}
	pic.Full = !pic.Free && len(p.line) >= p.cfg.MaxLength
	stopping := 0
	for _, r := range p.runs {
		pic.Serving = append(pic.Serving, r.number)
		pic.RunElapsed = max(pic.RunElapsed, p.now-r.started)
		state := queue.RunnerRunning
		if r.stopping {
			stopping++
			state = queue.RunnerStopping
		}
		pic.Taken = append(pic.Taken, queue.Slot{Number: r.number, State: state, For: p.now - r.started})
	}
	for _, t := range p.reserved {
		pic.Called = append(pic.Called, t.number)
		pic.Taken = append(pic.Taken, queue.Slot{Number: t.number, State: queue.RunnerReserved, For: p.now - t.called})
	}
	for _, t := range p.line[:min(len(p.line), queue.PictureNext)] {
		pic.Next = append(pic.Next, t.number)
	}
	switch {
	case p.down:
		pic.Runner = queue.RunnerUnavailable
	case len(p.runs) > stopping:
		pic.Runner = queue.RunnerRunning
	case stopping > 0:
		pic.Runner = queue.RunnerStopping
	case len(p.reserved) > 0:
		pic.Runner = queue.RunnerReserved
	}
	return pic
}

// next is how long it is until something happens by itself; -1: nothing will.
func (p *plain) next() time.Duration {
	if at, any := p.due(); any {
		return at - p.now
	}
	return -1
}
