package queuetest

import (
	"time"

	"confluence/queue"
)

var haltRules = []rule{
	{name: "nobody is called and nobody's time runs out", show: func(l *line) {
		l.joinAll("a", "b", "c")
		l.claim("a")
		l.finish("a", queue.Succeeded)
		l.halt()
		l.after(24 * time.Hour)
		l.advance()
		l.wantStanding("b", queue.Ready, 1)
		l.wantStanding("c", queue.Queued, 2)
		l.leave("b")
		l.wantStanding("c", queue.Queued, 1)
	}},
	{name: "what was due before it has happened", show: func(l *line) {
		l.joinAll("a", "b")
		l.after(heartbeat + 1)
		l.halt()
		l.wantEnded("b", queue.ReasonHeartbeatLost)
	}},
	{name: "a run ends, and its slot calls nobody", show: func(l *line) {
		l.joinAll("a", "b")
		l.claim("a")
		l.halt()
		l.after(time.Second)
		l.finish("a", queue.Succeeded)
		l.wantEnded("a", queue.ReasonFinished)
		l.wantStanding("b", queue.Queued, 1)
	}},
}
