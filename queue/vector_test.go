package queue_test

import (
	"testing"

	"confluence/queue"
	"confluence/queue/queuetest"
)

// TestVectorsThroughTheController plays each vector in virtual time, with its timers at work: a claim is a run that goes on until the
// trace ends it, whatever becomes of its ticket.
func TestVectorsThroughTheController(t *testing.T) {
	for _, trace := range queuetest.Traces(t, "testdata/vectors") {
		t.Run(trace.Name, func(t *testing.T) {
			inRoom(t, trace.Config, func(r *room) { r.play(trace) })
		})
	}
}

func (r *room) play(trace queuetest.Trace) {
	runs := map[string][]*going{}
	for _, op := range trace.Ops {
		r.after(op.At - r.now())
		var view *queue.View
		var err error
		switch op.Op {
		case "join":
			var v queue.View
			v, err = r.Join(r.ctx, op.Session, queue.Kept{})
			view = &v
		case "status":
			var v queue.View
			v, err = r.Status(r.ctx, op.Session)
			view = &v
		case "leave":
			r.leave(op.Session)
		case "claim":
			var g *going
			if g, err = r.tryRun(r.ctx, op.Session); err == nil {
				runs[op.Session] = append(runs[op.Session], g)
				v := r.wantStanding(op.Session, queue.Running, 0)
				view = &v
			}
		case "finish":
			if of := runs[op.Session]; len(of) > 0 {
				of[0].finish(errorOf[op.Outcome])
				runs[op.Session] = of[1:]
			}
		}
		trace.Check(r, op, view, err)
	}
	for _, of := range runs {
		for _, g := range of {
			g.finish(nil)
		}
	}
}

// errorOf is what a run returns to have that outcome.
var errorOf = map[queue.Outcome]error{
	queue.Succeeded: nil, queue.Failed: errOwn, queue.TimedOut: queue.ErrRunTimedOut, queue.Cancelled: queue.ErrRunCancelled,
	queue.Disconnected: queue.ErrRunDisconnected, queue.Interrupted: queue.ErrRunInterrupted,
}
