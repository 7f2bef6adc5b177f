package queuetest

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"confluence/queue"
)

var joinRules = []rule{
	{name: "a free slot is reserved at once", show: func(l *line) {
		v := l.join("a")
		wantEqual(l, "status", v.Status, queue.Ready)
		wantEqual(l, "position", v.Position, 1)
		wantEqual(l, "window", v.ReservationIn, queue.Seconds{N: 60, Known: true})
		wantEqual(l, "runner", v.Runner, queue.RunnerReserved)
	}},
	{name: "a repeated join gives the same ticket", show: func(l *line) {
		first, queued := l.join("a"), l.join("b")
		wantEqual(l, "ready ticket", l.join("a").TicketID, first.TicketID)
		wantEqual(l, "queued ticket", l.join("b").TicketID, queued.TicketID)
		l.claim("a")
		wantEqual(l, "running ticket", l.join("a").TicketID, first.TicketID)
		wantEqual(l, "tickets made", l.count(queue.Joined)+l.count(queue.Called), 2)
	}},
	{name: "who comes later stands behind", show: func(l *line) {
		l.joinAll("a", "b", "c", "d")
		l.wantStanding("a", queue.Ready, 1)
		l.wantLine("b", "c", "d")
		wantEqual(l, "ahead", l.peek("d").Ahead, 3)
	}},
	{name: "nobody passes the line", show: func(l *line) {
		l.joinAll("a", "b")
		l.setPaused(true) // so that a slot is idle while somebody waits
		l.leave("a")
		l.wantStanding("b", queue.Queued, 1)
		l.wantRefusedClaim("c", queue.ErrBusy)
		wantEqual(l, "status", l.join("c").Status, queue.Queued)
		l.setPaused(false)
		l.wantStanding("b", queue.Ready, 1)
		l.wantLine("c")
	}},
	// case: full-house (the line's part)
	{name: "a full line refuses, and takes one when one leaves", cfg: queue.Config{MaxLength: 2}, show: func(l *line) {
		l.joinAll("a", "b", "c") // a is ready and doesn't count
		l.wantRefusedJoin("d", queue.ErrQueueFull)
		l.wantEnded("d", queue.ReasonNone)
		wantEqual(l, "full", l.picture().Full, true)
		l.join("c") // who has a ticket isn't refused
		l.claim("a")
		l.wantRefusedJoin("d", queue.ErrQueueFull) // running doesn't count either
		l.leave("b")
		wantEqual(l, "full", l.picture().Full, false)
		l.join("d")
		l.wantLine("c", "d")
	}},
	{name: "in a line of length 0 nobody waits", cfg: queue.Config{MaxLength: nobodyWaits}, show: func(l *line) {
		l.join("a")
		l.wantRefusedJoin("b", queue.ErrQueueFull)
		l.run("a", time.Second)
		l.join("b")
		l.wantStanding("b", queue.Ready, 1)
	}},
	{name: "a later join's text replaces the one before", show: func(l *line) {
		l.join("first")
		for _, step := range []struct {
			join, want queue.Kept
		}{
			{queue.Kept{Query: "one", AutoStart: true}, queue.Kept{Query: "one", AutoStart: true}},
			{queue.Kept{}, queue.Kept{Query: "one", AutoStart: true}},
			{queue.Kept{Query: "two"}, queue.Kept{Query: "two"}},
		} {
			v, err := l.store.Join(l.ctx, "a", step.join)
			l.must(err, "a")
			wantEqual(l, "kept", v.Kept, step.want)
		}
		l.must(l.store.Keep(l.ctx, "a", queue.Kept{AutoStart: true}), "a")
		wantEqual(l, "kept", l.peek("a").Kept, queue.Kept{AutoStart: true})
		l.leave("a")
		wantEqual(l, "remembered", l.wantEnded("a", queue.ReasonLeft).Kept, queue.Kept{AutoStart: true})
		if err := l.store.Keep(l.ctx, "a", queue.Kept{}); code(err) != "ticket_not_found" {
			l.Fatalf("keep without a ticket: %v", err)
		}
	}},
	{name: "the place at the join is remembered", show: func(l *line) {
		l.joinAll("a", "b", "c", "d")
		l.leave("b")
		l.run("a", time.Second)
		for session, want := range map[string]int{"c": 3, "d": 4} {
			wantEqual(l, "joined at", l.peek(session).JoinedAt, want)
		}
		wantEqual(l, "joined at", l.join("b").JoinedAt, 3)
	}},
	{name: "numbers grow in order of joining and are never used again", show: func(l *line) {
		last := int64(0)
		for i := range 20 {
			v := l.join(fmt.Sprint("s", i%5))
			if v.Number <= last {
				l.Fatalf("number %d after %d", v.Number, last)
			}
			last = v.Number
			l.leave(fmt.Sprint("s", i%5))
		}
	}},
	{name: "ticket and run have unguessable names", show: func(l *line) {
		seen := map[string]bool{}
		for range 100 {
			g := l.claim("a")
			for _, c := range []struct{ name, form string }{{g.View.TicketID, `^q_[A-Za-z0-9_-]{16}$`}, {g.RunID, `^r_[A-Za-z0-9_-]{16}$`}} {
				if !regexp.MustCompile(c.form).MatchString(c.name) || seen[c.name] {
					l.Fatalf("name %q, or it came before", c.name)
				}
				seen[c.name] = true
			}
			wantEqual(l, "run in the view", l.peek("a").RunID, g.RunID)
			l.finish("a", queue.Succeeded)
		}
	}},
	{name: "a context of its own ending changes nothing afterwards", show: func(l *line) {
		ctx, cancel := context.WithCancel(l.ctx)
		_, err := l.store.Join(ctx, "a", queue.Kept{})
		l.must(err, "a")
		cancel()
		l.wantStanding("a", queue.Ready, 1)
	}},
}
