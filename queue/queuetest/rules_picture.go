package queuetest

import (
	"fmt"
	"slices"
	"time"

	"confluence/queue"
)

var pictureRules = []rule{
	{name: "an empty room", cfg: queue.Config{Slots: 2}, show: func(l *line) {
		p := l.picture()
		wantEqual(l, "picture", p, queue.Picture{
			Slots: 2, Runner: queue.RunnerIdle, Serving: []int64{}, Called: []int64{}, Next: []int64{}, Free: true,
			Wait: queue.Wait{Basis: queue.BasisNone}, Revision: p.Revision,
		})
	}},
	{name: "shows numbers by what they do", cfg: queue.Config{Slots: 2}, show: func(l *line) {
		number := map[string]int64{"a": l.claim("a").View.Number}
		for _, session := range crowd(14) {
			number[session] = l.join(session).Number
		}
		p := l.picture()
		wantEqual(l, "runner", p.Runner, queue.RunnerRunning)
		wantEqual(l, "serving", p.Serving, []int64{number["a"]})
		wantEqual(l, "called", p.Called, []int64{number["1"]})
		wantEqual(l, "length", p.Length, 13)
		var next []int64
		for _, session := range crowd(11)[1:] {
			next = append(next, number[session])
		}
		wantEqual(l, "next", p.Next, next)
		wantEqual(l, "free", p.Free, false)
		l.leave("3")
		if slices.Contains(l.picture().Next, number["3"]) {
			l.Fatal("a number that left is still shown")
		}
	}},
	{name: "the runner in one word", cfg: queue.Config{Slots: 2}, show: func(l *line) {
		l.join("a")
		wantEqual(l, "called", l.picture().Runner, queue.RunnerReserved)
		g := l.claim("a")
		wantEqual(l, "running", l.picture().Runner, queue.RunnerRunning)
		l.must(l.store.Stopping(l.ctx, g.Term), "a")
		wantEqual(l, "stopping", l.picture().Runner, queue.RunnerStopping)
		l.claim("b")
		wantEqual(l, "one of two stops", l.picture().Runner, queue.RunnerRunning)
		l.setRunner(false)
		wantEqual(l, "unavailable", l.picture().Runner, queue.RunnerUnavailable)
	}},
	{name: "what the operator says is told to all", show: func(l *line) {
		l.joinAll("a", "b")
		l.must(l.store.SetNotice(l.ctx, "Back at noon"), "notice")
		l.setPaused(true)
		p := l.picture()
		wantEqual(l, "notice", p.Notice, "Back at noon")
		wantEqual(l, "paused", p.Paused, true)
		for _, session := range []string{"a", "b"} {
			wantEqual(l, "notice", l.peek(session).Notice, "Back at noon")
		}
		l.must(l.store.SetNotice(l.ctx, ""), "notice")
		wantEqual(l, "notice", l.peek("a").Notice, "")
	}},
	{name: "each gives the standing of those at these positions, in order", cfg: queue.Config{Slots: 3}, show: func(l *line) {
		l.claim("runs")
		names := crowd(10) // 1 and 2 are called
		l.joinAll(names...)
		l.leave("5")
		want := []string{"runs", "1", "2", "3", "4", "6", "7", "8", "9", "10"}
		for from := -1; from < 12; from++ {
			for to := from - 1; to < 12; to++ {
				var got []string
				l.must(l.store.Each(l.ctx, from, to, func(session string, v queue.View) {
					if v.Position != slices.Index(want, session) {
						l.Fatalf("%s is at %d", session, v.Position)
					}
					got = append(got, session)
				}), "each")
				first, end := max(from, 0), min(to, len(want)-1)+1
				if expected := want[min(first, max(end, 0)):max(end, 0)]; first < end && !slices.Equal(got, expected) || first >= end && len(got) > 0 {
					l.Fatalf("from %d to %d: %v", from, to, got)
				}
			}
		}
	}},
	{name: "many are counted and found", cfg: queue.Config{MaxLength: 3000}, show: func(l *line) {
		const many = 3000
		for i := range many + 1 {
			l.join(fmt.Sprint("s", i))
		}
		wantEqual(l, "length", l.picture().Length, many)
		for i := many; i > 0; i -= 2 {
			l.leave(fmt.Sprint("s", i))
		}
		wantEqual(l, "length", l.picture().Length, many/2)
		for i := 1; i < many; i += 2 {
			l.wantStanding(fmt.Sprint("s", i), queue.Queued, i/2+2)
		}
	}},
}

var changeRules = []rule{
	{name: "each thing that happens is told, in order", show: func(l *line) {
		g := l.claim("a")
		l.join("b")
		l.finish("a", queue.Succeeded)
		l.after(reservation)
		l.advance()
		l.setPaused(true)
		type told struct {
			Kind    queue.ChangeKind
			Session string
			Term    uint64
			Reason  queue.Reason
		}
		var got []told
		for _, ch := range l.changes {
			got = append(got, told{ch.Kind, ch.Session, ch.Term, ch.Ended.Reason})
		}
		wantEqual(l, "changes", got, []told{
			{queue.Called, "a", 0, ""}, {queue.Started, "a", g.Term, ""}, {queue.Joined, "b", 0, ""},
			{queue.Gone, "a", g.Term, queue.ReasonFinished}, {queue.Freed, "a", g.Term, ""}, {queue.Called, "b", 0, ""},
			{queue.Gone, "b", 0, queue.ReasonLapsed}, {queue.Published, "", 0, ""},
		})
	}},
	{name: "the revision grows with each change and by nothing else", cfg: queue.Config{Revision: 1000}, show: func(l *line) {
		last := l.picture().Revision
		if last < 1000 {
			l.Fatalf("revision %d is below where it starts", last)
		}
		for i, step := range []struct {
			do      func()
			changes bool
		}{
			{func() { l.joinAll("a", "b", "c") }, true},
			{func() { l.join("a") }, false},
			{func() { l.status("b"); l.after(time.Second); l.seen("b"); l.advance() }, false},
			{func() { l.wantRefusedClaim("b", queue.ErrBusy) }, false},
			{func() { l.claim("a") }, true},
			{func() { l.leave("c") }, true},
			{func() { l.leave("c") }, false},
			{func() { l.finish("a", queue.Succeeded) }, true},
			{func() { l.after(reservation); l.advance() }, true},
			{func() { l.setRunner(false) }, true},
			{func() { l.must(l.store.SetNotice(l.ctx, "x"), "notice") }, true},
		} {
			step.do()
			now := l.picture().Revision
			if now < last || now > last != step.changes {
				l.Fatalf("step %d: revision from %d to %d", i, last, now)
			}
			last = now
		}
	}},
	{name: "clock-step: only differences of the store's clock count", show: func(l *line) {
		l.after(1000 * time.Hour) // wherever the clock stands
		l.joinAll(append([]string{"runs"}, crowd(5)...)...)
		wantEqual(l, "window", l.peek("runs").ReservationIn, queue.Seconds{N: 60, Known: true})
		l.after(heartbeat)
		l.wantLine(crowd(5)...)
		wantEqual(l, "window", l.peek("runs").ReservationIn, queue.Seconds{N: 30, Known: true})
	}},
}
