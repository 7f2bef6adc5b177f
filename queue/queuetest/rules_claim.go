package queuetest

import (
	"time"

	"confluence/queue"
)

var claimRules = []rule{
	{name: "a reservation becomes a run", show: func(l *line) {
		l.join("a")
		g := l.claim("a")
		wantEqual(l, "status", g.View.Status, queue.Running)
		wantEqual(l, "position", g.View.Position, 0)
		wantEqual(l, "window", g.View.ReservationIn, queue.Seconds{})
		wantEqual(l, "runner", g.View.Runner, queue.RunnerRunning)
	}},
	{name: "a newcomer joins, reserves and claims in one step", show: func(l *line) {
		l.claim("a")
		l.wantStanding("a", queue.Running, 0)
	}},
	{name: "busy moves nothing and makes no ticket", show: func(l *line) {
		l.joinAll("a", "b")
		l.wantRefusedClaim("c", queue.ErrBusy)
		l.wantEnded("c", queue.ReasonNone)
		l.wantRefusedClaim("b", queue.ErrBusy)
		l.wantLine("b")
		l.claim("a")
		l.wantRefusedClaim("a", queue.ErrBusy)
		wantEqual(l, "runs", l.count(queue.Started), 1)
	}},
	{name: "who holds a reservation is never told busy, even if called in this very call", show: func(l *line) {
		l.joinAll("a", "b")
		l.after(heartbeat)
		l.seen("b")
		l.after(reservation - heartbeat) // a's deadline, and the line of b
		l.claim("b")
	}},
	{name: "full or not, a newcomer's claim with a free slot is served", cfg: queue.Config{MaxLength: nobodyWaits}, show: func(l *line) {
		l.claim("a")
		l.wantRefusedClaim("b", queue.ErrBusy)
	}},
	{name: "the slots are as many as there are", cfg: queue.Config{Slots: 3}, show: func(l *line) {
		for _, session := range []string{"a", "b", "c"} {
			l.claim(session)
		}
		l.wantRefusedClaim("d", queue.ErrBusy)
		l.finish("b", queue.Succeeded)
		l.claim("d")
		wantEqual(l, "going runs", len(l.picture().Serving), 3)
	}},
}

// lateClaim is a claim so long after the deadline, with or without other calls before it.
func lateClaim(late time.Duration, others func(l *line)) rule {
	return rule{show: func(l *line) {
		l.join("a")
		l.after(reservation + late)
		others(l)
		l.wantRefusedClaim("a", queue.ErrReservationExpired)
		l.claim("a") // once only: now it is a newcomer
	}}
}

var deadlineRules = []rule{
	{name: "until the deadline a claim is good", show: func(l *line) {
		l.join("a")
		l.after(reservation - 1)
		l.claim("a")
	}},
	{name: "late-claim: at the deadline", show: lateClaim(0, func(*line) {}).show},
	{name: "late-claim: a millisecond later", show: lateClaim(time.Millisecond, func(*line) {}).show},
	{name: "late-claim: ten seconds later", show: lateClaim(10*time.Second, func(*line) {}).show},
	{name: "late-claim: at the deadline, others looked", show: lateClaim(0, func(l *line) { l.picture(); l.advance() }).show},
	{name: "late-claim: ten seconds later, others came and went", show: lateClaim(10*time.Second, func(l *line) {
		l.run("b", time.Second)
		l.join("c")
		l.leave("c")
	}).show},
	{name: "no-sweeper: nobody called, and yet it is not ready after the deadline", show: func(l *line) {
		l.join("a")
		l.after(reservation)
		wantEqual(l, "since", l.wantEnded("a", queue.ReasonLapsed).Since, 0)
	}},
	{name: "no-sweeper: each lapse and each call happened at its own time, however late somebody looks", cfg: queue.Config{Heartbeat: time.Hour}, show: func(l *line) {
		l.joinAll("a", "b", "c", "d")
		l.after(2*reservation + 10*time.Second)
		v := l.peek("c")
		wantEqual(l, "status", v.Status, queue.Ready)
		wantEqual(l, "window", v.ReservationIn, queue.Seconds{N: 50, Known: true})
		ended := l.wantEnded("b", queue.ReasonLapsed)
		wantEqual(l, "since", ended.Since, 10*time.Second)
		wantEqual(l, "called", ended.Called, 70*time.Second)
		l.wantLine("d")
	}},
	{name: "the next deadline is told", show: func(l *line) {
		wantEqual(l, "nothing is due", l.advance(), -1)
		l.join("a")
		wantEqual(l, "a's window", l.advance(), reservation)
		l.after(time.Second)
		l.join("b")
		wantEqual(l, "b's heartbeat", l.advance(), heartbeat+1)
		l.claim("a")
		l.after(time.Second)
		l.seen("b")
		wantEqual(l, "b's next heartbeat", l.advance(), heartbeat+1)
		l.leave("b")
		wantEqual(l, "a run ends by itself", l.advance(), -1)
	}},
	{name: "a lapse is told once, remembered for ten minutes", show: func(l *line) {
		l.join("a")
		l.after(reservation + 10*time.Minute - 1)
		for range 3 {
			l.wantEnded("a", queue.ReasonLapsed) // asking doesn't use it up
		}
		l.wantRefusedClaim("a", queue.ErrReservationExpired)
		l.wantEnded("a", queue.ReasonLapsed)
		l.claim("a")
	}},
	{name: "a lapse is forgotten after ten minutes", show: func(l *line) {
		l.join("a")
		l.after(reservation + 10*time.Minute)
		l.wantEnded("a", queue.ReasonNone)
		l.claim("a")
	}},
	{name: "a lapse is forgotten when the session joins again", show: func(l *line) {
		l.join("a")
		l.after(reservation)
		l.join("a")
		l.claim("a")
	}},
	{name: "a lapse goes before busy", show: func(l *line) {
		l.join("a")
		l.after(reservation)
		l.claim("b")
		l.wantRefusedClaim("a", queue.ErrReservationExpired)
		l.wantRefusedClaim("a", queue.ErrBusy)
	}},
	{name: "a lapse can be forgotten on request, also at the very deadline", show: func(l *line) {
		l.join("a")
		l.after(reservation)
		l.must(l.store.ForgetLapse(l.ctx, "a"), "a") // nobody has noticed it yet
		l.claim("a")
		l.finish("a", queue.Succeeded)
		l.must(l.store.ForgetLapse(l.ctx, "nobody"), "nobody")
		l.wantEnded("a", queue.ReasonFinished) // the reason is kept
	}},
	{name: "same-instant: a run ends when the window of the other slot does", cfg: queue.Config{Slots: 2}, show: func(l *line) {
		l.claim("a")
		l.joinAll("b", "c", "d")
		l.after(heartbeat)
		l.seen("c", "d")
		l.after(reservation - heartbeat)
		l.finish("a", queue.Succeeded)
		l.wantEnded("b", queue.ReasonLapsed)
		l.wantStanding("c", queue.Ready, 1)
		l.wantStanding("d", queue.Ready, 2)
	}},
	{name: "same-instant: the stale are dropped before the head is called", cfg: queue.Config{Reservation: heartbeat + 1}, show: func(l *line) {
		l.joinAll("a", "b", "c")
		l.after(1)
		l.seen("c")
		l.after(heartbeat) // a's deadline; b was seen a moment longer ago than allowed
		l.wantEnded("a", queue.ReasonLapsed)
		l.wantEnded("b", queue.ReasonHeartbeatLost)
		l.wantStanding("c", queue.Ready, 1)
	}},
}
