package queuetest

import (
	"time"

	"confluence/queue"
)

var leaveRules = []rule{
	{name: "harmless without a ticket", show: func(l *line) {
		l.leave("a")
		l.wantEnded("a", queue.ReasonNone)
		l.join("a")
		l.leave("a")
		l.leave("a")
		l.wantEnded("a", queue.ReasonLeft)
		wantEqual(l, "tickets ended", l.count(queue.Gone), 1)
	}},
	{name: "who stood behind moves up", show: func(l *line) {
		l.joinAll("runs", "1", "2", "3", "4")
		l.claim("runs")
		l.leave("2")
		l.wantLine("1", "3", "4")
		l.leave("1")
		l.wantLine("3", "4")
		l.leave("4")
		l.wantLine("3")
	}},
	{name: "a reservation that is left is given on at once", show: func(l *line) {
		l.joinAll("a", "b", "c")
		l.after(time.Second)
		l.leave("a")
		v := l.peek("b")
		wantEqual(l, "status", v.Status, queue.Ready)
		wantEqual(l, "window", v.ReservationIn, queue.Seconds{N: 60, Known: true})
		l.wantLine("c")
	}},
	{name: "ghost-leave: ten comings and goings leave no trace", show: func(l *line) {
		l.claim("runs")
		for range 10 {
			l.join("a")
			l.leave("a")
		}
		l.join("a")
		l.wantLine("a")
		wantEqual(l, "length", l.picture().Length, 1)
		l.finish("runs", queue.Succeeded)
		l.run("a", time.Second)
		p := l.picture()
		if p.Runner != queue.RunnerIdle || len(p.Serving)+len(p.Called)+len(p.Next)+p.Length > 0 || !p.Free {
			l.Fatalf("after all has ended: %+v", p)
		}
		l.must(l.store.Each(l.ctx, 0, 1000, func(session string, _ queue.View) { l.Errorf("%s still stands there", session) }), "each")
		wantEqual(l, "next deadline", l.advance(), -1)
		l.after(10 * time.Minute)
		l.wantEnded("a", queue.ReasonNone)
	}},
	{name: "a run that is left keeps its slot until it has ended", show: func(l *line) {
		l.joinAll("a", "b")
		l.claim("a")
		l.leave("a")
		l.wantEnded("a", queue.ReasonLeft)
		wantEqual(l, "runner", l.picture().Runner, queue.RunnerStopping)
		l.wantStanding("b", queue.Queued, 1)
		l.after(time.Second)
		l.finish("a", queue.Cancelled)
		l.wantStanding("b", queue.Ready, 1)
		l.wantEnded("a", queue.ReasonLeft) // the end of the run is not the ticket's
	}},
	{name: "who comes again meanwhile gets a new ticket, which the end of the old run doesn't touch", show: func(l *line) {
		old := l.claim("a").View.TicketID
		l.leave("a")
		v := l.join("a")
		if v.TicketID == old || v.Status != queue.Queued || v.Position != 1 {
			l.Fatalf("joined again as %+v", v)
		}
		l.finish("a", queue.Cancelled)
		again := l.peek("a")
		wantEqual(l, "ticket", again.TicketID, v.TicketID)
		wantEqual(l, "status", again.Status, queue.Ready)
		l.claim("a")
		l.wantStanding("a", queue.Running, 0)
	}},
	{name: "with several slots it may even run again", cfg: queue.Config{Slots: 2}, show: func(l *line) {
		l.claim("a")
		l.leave("a")
		g := l.claim("a")
		wantEqual(l, "going runs", len(l.picture().Serving), 2)
		l.finish("a", queue.Cancelled) // the old one
		v := l.peek("a")
		wantEqual(l, "run", v.RunID, g.RunID)
		wantEqual(l, "going runs", len(l.picture().Serving), 1)
		l.finish("a", queue.Succeeded)
		wantEqual(l, "run remembered", l.wantEnded("a", queue.ReasonFinished).RunID, g.RunID)
	}},
	{name: "the change of a ticket that left while running names its run", show: func(l *line) {
		g := l.claim("a")
		l.leave("a")
		last := l.changes[len(l.changes)-1]
		if last.Kind != queue.Gone || last.Term != g.Term || last.Ended.Reason != queue.ReasonLeft {
			l.Fatalf("the last change is %+v", last)
		}
	}},
}
