package queue

import (
	"time"

	"confluence/queue/wait"
)

// failedWithin: a run that failed so soon may have failed at once, which the estimator judges by how long runs take.
const failedWithin = 5 * time.Second

// waits is the line's estimator of waits, and what the line tells it. It learns from what has ended for good, so that nothing
// of it must be undone with a claim or a join that could not be saved.
type waits struct {
	*wait.Estimator
	back time.Duration // when the runner came back last
	busy []wait.Slot   // kept for the next look

	looked      time.Duration // instant of the last look
	lookedInput int64         // and its inputs; below 0: none yet
}

func newWaits(cfg Config) waits {
	return waits{Estimator: wait.New(cfg.Slots, cfg.InitialRun.Seconds()), lookedInput: -1}
}

// awaitsTurn is told of a ticket that comes to the end of the line.
func (l *Line) awaitsTurn(now time.Duration, t *ticket) {
	t.waited = true
	l.look(now)
	l.waits.Joined(now, l.queue.n)
	ahead := len(l.reserved) + l.queue.n
	if classic := l.estimate.eta(ahead, l.cfg.Slots, l.elapsed(now, ahead)); classic.Known {
		l.waits.Rival(now, float64(classic.N))
	}
}

// answered is how long it took to claim the ticket's call. It says nothing if the ticket never waited, for those who find a slot free don't have to
// notice it, or if the runner was away meanwhile.
func (l *Line) answered(now time.Duration, t *ticket) time.Duration {
	if !t.waited || t.called < l.waits.back {
		return -1
	}
	return now - t.called
}

// unanswered is told of a reservation that ends without a claim.
func (l *Line) unanswered(now time.Duration, t *ticket) {
	if took := l.answered(now, t); took >= 0 {
		l.waits.Answered(took, false)
	}
}

// ran is told of a run whose duration counts. Only now is what its claim took counted too: until a run has ended, its claim may be undone.
func (w *waits) ran(r *run, took time.Duration, outcome Outcome) {
	if r.answered >= 0 {
		w.Answered(r.answered, true)
	}
	w.Ran(took, outcome == Failed && took <= failedWithin)
}

// look shows the estimator how the slots stand, unless it has seen it.
func (l *Line) look(now time.Duration) {
	w := &l.waits
	if w.looked == now && w.lookedInput == l.inputs {
		return
	}
	w.looked, w.lookedInput = now, l.inputs
	w.busy = w.busy[:0]
	for _, t := range l.reserved {
		since := max(t.called, w.back)
		if l.down {
			since = now // its window begins anew
		}
		w.busy = append(w.busy, wait.Slot{Reserved: true, Since: (now - since).Seconds()})
	}
	for _, r := range l.runs {
		w.busy = append(w.busy, wait.Slot{Stopping: r.stopping, Since: (now - r.started).Seconds()})
	}
	w.Look(w.busy)
}

// wait is what somebody with so many before them in the line is told. While nobody is called it is as though that ended now.
func (l *Line) wait(now time.Duration, ahead int) Wait {
	basis := l.waits.basis()
	if basis == BasisNone {
		return Wait{Basis: basis}
	}
	l.look(now)
	p := l.waits.Predict(ahead)
	return Wait{whole(p.Low), whole(p.Likely), whole(p.High), basis}
}

// now is the wait of who needn't wait.
func (w *waits) now() Wait {
	basis := w.basis()
	known := basis != BasisNone
	return Wait{Seconds{Known: known}, Seconds{Known: known}, Seconds{Known: known}, basis}
}

func (w *waits) basis() Basis {
	switch {
	case w.Learnt():
		return BasisHistory
	case w.Known():
		return BasisPrior
	}
	return BasisNone
}

// estimate is how good the waits were.
func (w *waits) estimate() Estimate {
	s := w.Score()
	if s.Predictions == 0 {
		return Estimate{}
	}
	e := Estimate{Predictions: s.Predictions, Hours: s.Hours, Coverage: float64(s.Held) / float64(s.Predictions), MeanError: s.Error}
	if s.Rivals > 0 {
		e.ClassicKnown, e.ClassicError = true, s.RivalError
	}
	return e
}
