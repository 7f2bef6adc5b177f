package queuetest

import (
	"fmt"
	"time"

	"confluence/queue"
)

var heartbeatRules = []rule{
	{name: "seen within the heartbeat is kept, a moment longer is not", show: func(l *line) {
		l.joinAll("a", "b")
		l.claim("a")
		l.after(heartbeat)
		l.wantStanding("b", queue.Queued, 1)
		l.after(1)
		ended := l.wantEnded("b", queue.ReasonHeartbeatLost)
		wantEqual(l, "since", ended.Since, 0)
		l.wantLine()
	}},
	{name: "status and pongs are heartbeats", show: func(l *line) {
		l.joinAll("a", "b", "c")
		l.claim("a")
		for range 5 {
			l.after(heartbeat)
			l.status("b")
			l.seen("c", "nobody")
		}
		l.wantLine("b", "c")
	}},
	{name: "a look, a repeated join and a refused claim are none", show: func(l *line) {
		l.joinAll("a", "b", "c", "d")
		l.claim("a")
		l.after(heartbeat)
		l.peek("b")
		l.join("c")
		l.wantRefusedClaim("d", queue.ErrBusy)
		l.after(1)
		for _, session := range []string{"b", "c", "d"} {
			l.wantEnded(session, queue.ReasonHeartbeatLost)
		}
	}},
	{name: "who is ready or running needn't be seen", cfg: queue.Config{Reservation: time.Hour}, show: func(l *line) {
		l.join("a")
		l.after(time.Hour - 1)
		l.wantStanding("a", queue.Ready, 1)
		l.claim("a")
		l.after(24 * time.Hour)
		l.wantStanding("a", queue.Running, 0)
	}},
	{name: "closed-tabs: who went is gone within the heartbeat and the others move up", show: func(l *line) {
		l.joinAll("runs", "1", "2", "3", "4", "5")
		l.claim("runs")
		l.after(heartbeat / 2)
		l.leave("1")
		l.leave("3")
		l.wantLine("2", "4", "5")
		l.seen("2", "5") // 4 was killed
		l.after(heartbeat/2 + 1)
		l.wantLine("2", "5")
		l.finish("runs", queue.Succeeded)
		l.wantStanding("2", queue.Ready, 1)
		l.wantStanding("5", queue.Queued, 2)
		l.wantEnded("4", queue.ReasonHeartbeatLost)
	}},
	{name: "short-blip: back in time is the same ticket at the same place; too late is told by name and starts at the end", show: func(l *line) {
		l.joinAll("runs", "1", "2", "3", "4", "5")
		l.claim("runs")
		ticket := l.peek("2").TicketID
		others := []string{"1", "3", "4", "5"}
		for range 50 {
			l.after(10 * time.Second)
			l.seen(others...)
			v := l.status("2")
			wantEqual(l, "ticket", v.TicketID, ticket)
			wantEqual(l, "position", v.Position, 2)
			wantEqual(l, "ticket after another join", l.join("2").TicketID, ticket)
		}
		wantEqual(l, "tickets made", l.count(queue.Joined)+l.count(queue.Called), 6)
		l.after(heartbeat / 2)
		l.seen(others...)
		l.after(heartbeat/2 + 1)
		l.wantEnded("2", queue.ReasonHeartbeatLost)
		v := l.join("2")
		if v.TicketID == ticket {
			l.Fatal("the old ticket came back")
		}
		l.wantLine("1", "3", "4", "5", "2")
	}},
	{name: "absent-crowd: the absent are gone within a heartbeat, not after a window each", show: func(l *line) {
		names := crowd(30)
		l.joinAll(names...)
		for i := range 10 { // one after the other; 11 to 20 go silent at the start
			l.seen(names[i+1 : 10]...)
			l.seen(names[20:]...)
			l.run(names[i], heartbeat/10+1)
		}
		l.wantStanding("21", queue.Ready, 1)
		l.wantEnded("11", queue.ReasonHeartbeatLost)
		l.wantEnded("20", queue.ReasonHeartbeatLost)
	}},
	{name: "absent-crowd: one that was called before its absence showed costs its own window only", show: func(l *line) {
		names := crowd(30)
		l.joinAll(names...)
		for i := range 10 {
			l.run(names[i], time.Second)
		}
		l.wantStanding("11", queue.Ready, 1)
		for range reservation / time.Second {
			l.after(time.Second)
			l.seen(names[20:]...)
		}
		l.wantEnded("11", queue.ReasonLapsed)
		l.wantEnded("12", queue.ReasonHeartbeatLost)
		l.wantStanding("21", queue.Ready, 1)
	}},
}

// crowd is so many sessions, by number from 1.
func crowd(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint(i + 1)
	}
	return names
}
