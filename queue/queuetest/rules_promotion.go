package queuetest

import (
	"errors"
	"time"

	"confluence/queue"
)

var promotionRules = []rule{
	{name: "the head is called when a run ends, with a full window", show: func(l *line) {
		l.joinAll("a", "b", "c")
		l.claim("a")
		l.after(10 * time.Second)
		l.finish("a", queue.Failed)
		l.wantStanding("b", queue.Ready, 1)
		wantEqual(l, "window", l.peek("b").ReservationIn, queue.Seconds{N: 60, Known: true})
		l.wantLine("c")
	}},
	{name: "as many are called as slots are idle", cfg: queue.Config{Slots: 3}, show: func(l *line) {
		l.joinAll("a", "b", "c", "d", "e", "f")
		for i, session := range []string{"a", "b", "c"} {
			l.wantStanding(session, queue.Ready, i+1)
		}
		l.claim("b")
		l.wantStanding("c", queue.Ready, 2)
		l.wantStanding("d", queue.Queued, 3)
		l.finish("b", queue.Succeeded)
		l.wantStanding("d", queue.Ready, 3)
		l.wantStanding("e", queue.Queued, 4)
	}},
	{name: "a pause stops promotion and short cuts, not who holds a reservation", show: func(l *line) {
		l.joinAll("a", "b")
		l.setPaused(true)
		wantEqual(l, "told", l.peek("b").Paused, true)
		l.claim("a")
		l.finish("a", queue.Succeeded)
		l.wantStanding("b", queue.Queued, 1)
		l.leave("b")
		l.wantRefusedClaim("c", queue.ErrBusy)
		wantEqual(l, "status", l.join("c").Status, queue.Queued)
		l.setPaused(false)
		l.wantStanding("c", queue.Ready, 1)
	}},
	{name: "a window goes on in a pause", show: func(l *line) {
		l.joinAll("a", "b")
		l.setPaused(true)
		l.after(heartbeat)
		l.seen("b")
		l.after(heartbeat)
		l.wantEnded("a", queue.ReasonLapsed)
		l.wantLine("b")
	}},
	{name: "while the runner is unavailable nothing moves and nobody loses a reservation", show: func(l *line) {
		l.joinAll("a", "b")
		l.after(reservation / 2)
		l.seen("b")
		l.setRunner(false)
		wantEqual(l, "picture", l.picture().Runner, queue.RunnerUnavailable)
		for range 10 {
			l.after(heartbeat)
			l.seen("b")
			l.wantRefusedClaim("a", queue.ErrRunnerUnavailable)
			l.wantRefusedClaim("b", queue.ErrRunnerUnavailable)
			l.wantRefusedClaim("c", queue.ErrRunnerUnavailable)
			l.wantStanding("a", queue.Ready, 1)
			l.wantStanding("b", queue.Queued, 2)
		}
		wantEqual(l, "next deadline", l.advance(), heartbeat+1)
		l.setRunner(true)
		wantEqual(l, "window", l.peek("a").ReservationIn, queue.Seconds{N: 60, Known: true})
		l.after(heartbeat)
		l.seen("b")
		l.after(reservation - heartbeat - 1)
		l.wantStanding("a", queue.Ready, 1)
		l.after(1)
		l.wantEnded("a", queue.ReasonLapsed)
		l.wantStanding("b", queue.Ready, 1)
	}},
	{name: "a refusal by an unavailable runner doesn't use a remembered lapse up", show: func(l *line) {
		l.join("a")
		l.after(reservation)
		l.setRunner(false)
		l.wantRefusedClaim("a", queue.ErrRunnerUnavailable)
		l.setRunner(true)
		l.wantRefusedClaim("a", queue.ErrReservationExpired)
	}},
	{name: "worker-back: the head is called as soon as the runner is back", show: func(l *line) {
		l.setRunner(false)
		names := crowd(10)
		l.joinAll(names...)
		l.after(heartbeat)
		l.wantLine(names...)
		l.setRunner(true)
		l.wantStanding("1", queue.Ready, 1)
		l.wantStanding("10", queue.Queued, 10)
	}},
	{name: "a run ends while the runner is unavailable, and the next waits for it to be back", show: func(l *line) {
		l.joinAll("a", "b")
		l.claim("a")
		l.setRunner(false)
		wantEqual(l, "runner as told", l.peek("b").Runner, queue.RunnerUnavailable) // nobody is called, whatever still goes
		l.finish("a", queue.Failed)
		l.wantStanding("b", queue.Queued, 1)
		l.setRunner(true)
		l.wantStanding("b", queue.Ready, 1)
	}},
	{name: "saying again what holds changes nothing", show: func(l *line) {
		l.join("a")
		l.after(time.Second)
		before := l.picture().Revision
		l.setRunner(true)
		l.setPaused(false)
		l.must(l.store.SetNotice(l.ctx, ""), "notice")
		wantEqual(l, "revision", l.picture().Revision, before)
		wantEqual(l, "window", l.peek("a").ReservationIn, queue.Seconds{N: 59, Known: true})
	}},
	{name: "a position never rises through 200 tickets", show: func(l *line) {
		names := crowd(200)
		l.joinAll(names...)
		last := map[string]int{}
		for i := range names {
			l.seen(names[i:]...)
			l.run(names[i], time.Second)
			for _, session := range names[i+1:] {
				v := l.peek(session)
				if before, ok := last[session]; ok && v.Position > before {
					l.Fatalf("%s rose from %d to %d", session, before, v.Position)
				}
				last[session] = v.Position
			}
		}
	}},
}

var finishRules = []rule{
	{name: "the slot is free whatever the outcome", show: func(l *line) {
		for _, outcome := range []queue.Outcome{
			queue.Succeeded, queue.Failed, queue.TimedOut, queue.Cancelled, queue.Disconnected, queue.Interrupted,
		} {
			g := l.claim("a")
			l.after(time.Second)
			l.finish("a", outcome)
			ended := l.wantEnded("a", queue.ReasonFinished)
			wantEqual(l, "outcome", ended.Outcome, outcome)
			wantEqual(l, "run", ended.RunID, g.RunID)
			wantEqual(l, "ticket", ended.TicketID, g.View.TicketID)
			wantEqual(l, "called", ended.Called, time.Second)
			wantEqual(l, "free", l.picture().Free, true)
		}
	}},
	{name: "a term ends once, and one that never was ends nothing", show: func(l *line) {
		g := l.claim("a")
		l.finish("a", queue.Succeeded)
		h := l.claim("b")
		for _, stale := range []uint64{g.Term, h.Term + 1000, 0} {
			if err := l.store.Finish(l.ctx, stale, queue.Failed); !errors.Is(err, queue.ErrStale) {
				l.Fatalf("term %d: %v", stale, err)
			}
			l.must(l.store.Stopping(l.ctx, stale), "stale")
		}
		l.wantStanding("b", queue.Running, 0)
		wantEqual(l, "runner", l.picture().Runner, queue.RunnerRunning)
	}},
	{name: "a run that was told to stop is shown as stopping until it has", show: func(l *line) {
		l.joinAll("a", "b")
		g := l.claim("a")
		l.must(l.store.Stopping(l.ctx, g.Term), "a")
		wantEqual(l, "picture", l.picture().Runner, queue.RunnerStopping)
		wantEqual(l, "view", l.peek("b").Runner, queue.RunnerRunning)
		l.wantStanding("a", queue.Running, 0)
		l.finish("a", queue.TimedOut)
		wantEqual(l, "picture", l.picture().Runner, queue.RunnerReserved)
	}},
	{name: "what a run took counts, but not what its client ended within five seconds nor what the server ended", show: func(l *line) {
		l.claim("z")
		l.finish("z", queue.Succeeded) // 0 s: each run that counts shows in the mean
		for _, c := range []struct {
			outcome queue.Outcome
			took    time.Duration
			counts  bool
		}{
			{queue.Cancelled, 5 * time.Second, false},
			{queue.Cancelled, 5*time.Second + 1, true},
			{queue.Disconnected, 5 * time.Second, false},
			{queue.Disconnected, 5*time.Second + 1, true},
			{queue.Interrupted, time.Hour, false},
			{queue.Failed, time.Second, true},
			{queue.TimedOut, time.Minute, true},
		} {
			before := l.join("a").ETA
			l.claim("a")
			l.after(c.took)
			l.finish("a", c.outcome)
			after := l.join("b").ETA
			l.leave("b")
			if counted := before != after; counted != c.counts {
				l.Fatalf("%s after %v: from %+v to %+v", c.outcome, c.took, before, after)
			}
		}
	}},
	{name: "eta-table: nothing is known before the first run has ended", show: func(l *line) {
		l.claim("a")
		l.join("b")
		l.after(10 * time.Second)
		v := l.peek("b")
		wantEqual(l, "eta", v.ETA, queue.Seconds{})
		wantEqual(l, "wait", v.Wait, queue.Wait{Basis: queue.BasisNone})
		wantEqual(l, "run so far", v.RunElapsed, 10*time.Second)
	}},
	{name: "eta-table: mean 60 s, running 50 s", show: func(l *line) {
		l.run("a", time.Minute)
		l.claim("a")
		l.joinAll("1", "2", "3")
		l.after(25 * time.Second)
		l.seen("1", "2", "3")
		l.after(25 * time.Second)
		wantEqual(l, "first", l.status("1").ETA, queue.Seconds{N: 10, Known: true})
		wantEqual(l, "third", l.status("3").ETA, queue.Seconds{N: 130, Known: true})
		l.after(heartbeat)
		wantEqual(l, "first, overrun", l.status("1").ETA, queue.Seconds{N: 0, Known: true})
	}},
	{name: "eta-prior: a guess is told as one until a run has ended", cfg: queue.Config{InitialRun: 90 * time.Second}, show: func(l *line) {
		l.claim("a")
		v := l.join("b")
		wantEqual(l, "basis", v.Wait.Basis, queue.BasisPrior)
		wantEqual(l, "likely", v.Wait.Likely, queue.Seconds{N: 90, Known: true})
		wantEqual(l, "eta", v.ETA, queue.Seconds{})
		wantEqual(l, "for who joins now", l.picture().Wait.Basis, queue.BasisPrior)
		l.after(time.Second)
		l.finish("a", queue.Succeeded)
		wantEqual(l, "basis", l.peek("b").Wait.Basis, queue.BasisHistory)
	}},
	{name: "eta-up: the wait may rise, the place doesn't", show: func(l *line) {
		l.joinAll("1", "2", "3", "4", "5", "waits", "longer")
		rose := false
		before := l.peek("waits")
		for i, took := range []time.Duration{10, 10, 10, 300, 10} {
			session := crowd(5)[i]
			l.claim(session)
			for range took {
				l.after(time.Second)
				l.seen("1", "2", "3", "4", "5", "waits", "longer")
			}
			l.finish(session, queue.Succeeded)
			v := l.peek("waits")
			if v.Position > before.Position {
				l.Fatalf("from %d to %d", before.Position, v.Position)
			}
			rose = rose || before.ETA.Known && v.ETA.N > before.ETA.N
			before = v
		}
		if !rose {
			l.Fatal("a run of 300 s should have raised the wait")
		}
	}},
}
