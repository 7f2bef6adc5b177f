package queuetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"confluence/queue"
)

// inParallel lets real goroutines at the store: each verb is one atomic step.
func inParallel(t *testing.T, open Open) {
	for _, r := range []rule{
		{name: "joint-join: fifty join at once and stand at 1 to 50", show: jointJoin},
		{name: "double-click: twenty joins make one ticket, ten claims one run", show: doubleClick},
		{name: "same-instant: leave, claim and the end of the window", cfg: queue.Config{Heartbeat: 1000 * time.Hour}, show: sameInstantOfWindow},
		{name: "same-instant: leave, claim and promotion", cfg: queue.Config{Heartbeat: 1000 * time.Hour}, show: sameInstantOfPromotion},
	} {
		t.Run(r.name, func(t *testing.T) { r.holds(t, open) })
	}
}

// atOnce runs the functions each in a goroutine of its own, let go together, and waits for them.
func atOnce(fns ...func()) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for _, fn := range fns {
		all.Go(func() {
			<-start
			fn()
		})
	}
	close(start)
	all.Wait()
}

func times(n int, fn func(i int)) []func() {
	fns := make([]func(), n)
	for i := range fns {
		fns[i] = func() { fn(i) }
	}
	return fns
}

func jointJoin(l *line) {
	l.claim("runs")
	positions := make([]int, 50)
	atOnce(times(50, func(i int) {
		v, err := l.store.Join(l.ctx, fmt.Sprint(i), queue.Kept{})
		if err != nil {
			l.Error(err)
		}
		positions[i] = v.Position
	})...)
	for i, position := range positions {
		wantEqual(l, "position now", l.peek(fmt.Sprint(i)).Position, position)
	}
	slices.Sort(positions)
	for i, position := range positions {
		if position != i+1 {
			l.Fatalf("positions %v", positions)
		}
	}
}

func doubleClick(l *line) {
	tickets := make([]string, 20)
	atOnce(times(20, func(i int) {
		v, err := l.store.Join(l.ctx, "a", queue.Kept{})
		if err != nil {
			l.Error(err)
		}
		tickets[i] = v.TicketID
	})...)
	if tickets = slices.Compact(tickets); len(tickets) != 1 {
		l.Fatalf("tickets %v", tickets)
	}
	var runs, refusals atomic.Int32
	atOnce(times(10, func(int) {
		switch _, err := l.store.Claim(l.ctx, "a"); {
		case err == nil:
			runs.Add(1)
		case errors.Is(err, queue.ErrBusy):
			refusals.Add(1)
		}
	})...)
	wantEqual(l, "runs", runs.Load(), 1)
	wantEqual(l, "refusals", refusals.Load(), 9)
}

// rounds is how often two things are made to meet at one instant.
const rounds = 2000

func sameInstantOfWindow(l *line) {
	for i := range rounds {
		a, b := fmt.Sprint("a", i), fmt.Sprint("b", i)
		l.joinAll(a, b)
		started := l.count(queue.Started)
		l.after(reservation - 1)
		var claimed, late error
		var g queue.Grant
		atOnce(
			func() { l.clock.Advance(1); l.advance() },
			func() { g, claimed = l.store.Claim(l.ctx, a) },
			func() { late = l.store.Leave(l.ctx, a) },
		)
		l.must(late, a)
		l.oneWins(a, b, g, claimed, l.count(queue.Started)-started)
	}
}

func sameInstantOfPromotion(l *line) {
	for i := range rounds {
		runs, a, b := fmt.Sprint("runs", i), fmt.Sprint("a", i), fmt.Sprint("b", i)
		l.claim(runs)
		l.joinAll(a, b)
		started := l.count(queue.Started)
		var claimed, left error
		var g queue.Grant
		atOnce(
			func() { l.finish(runs, queue.Succeeded) },
			func() { g, claimed = l.store.Claim(l.ctx, a) },
			func() { left = l.store.Leave(l.ctx, a) },
		)
		l.must(left, a)
		l.oneWins(a, b, g, claimed, l.count(queue.Started)-started)
	}
}

// oneWins says that a, who left, has either run or been refused, and that b is called once a's slot is free. It leaves an empty room.
func (l *line) oneWins(a, b string, g queue.Grant, claimed error, started int) {
	l.Helper()
	switch {
	case claimed == nil:
		wantEqual(l, "runs started", started, 1)
		// Either it left its run, or it left its place and came back by the claim: no, b was before it then. So it left its run.
		l.wantEnded(a, queue.ReasonLeft)
		l.wantStanding(b, queue.Queued, 1)
		l.must(l.store.Finish(l.ctx, g.Term, queue.Cancelled), a)
	case errors.Is(claimed, queue.ErrBusy), errors.Is(claimed, queue.ErrReservationExpired):
		wantEqual(l, "runs started", started, 0)
		if _, err := l.store.Peek(l.ctx, a); !errors.Is(err, queue.ErrTicketNotFound) {
			l.Fatalf("%s left: %v", a, err)
		}
	default:
		l.Fatalf("claim of %s: %v", a, claimed)
	}
	l.wantStanding(b, queue.Ready, 1)
	l.leave(b)
	l.changes = l.changes[:0]
}
