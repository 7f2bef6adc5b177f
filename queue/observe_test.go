package queue_test

import (
	"slices"
	"testing"
	"time"

	"confluence/queue"
)

// TestObserve: who observes is told of each change, who found a slot free, and how long the others waited.
func TestObserve(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		var called []queue.Change
		r.Observe(func(changes []queue.Change) {
			called = append(called, slices.DeleteFunc(slices.Clone(changes), func(ch queue.Change) bool { return ch.Kind != queue.Called })...)
		})
		r.join("first", "second")
		g := r.run(r.ctx, "first")
		r.after(20 * time.Second)
		if err := g.finish(nil); err != nil {
			t.Error(err)
		}
		r.after(0)
		want := []queue.Change{
			{Kind: queue.Called, Session: "first", AtOnce: true},
			{Kind: queue.Called, Session: "second", Waited: 20 * time.Second},
		}
		if !slices.Equal(called, want) {
			t.Errorf("called: %+v, want %+v", called, want)
		}
	})
}

// TestARestoredTicketTellsNoWait: how long it stood in the line of an earlier process is not known.
func TestARestoredTicketTellsNoWait(t *testing.T) {
	line, err := queue.RestoreLine(config(), queue.State{Records: []queue.Record{{Session: "a", ID: "q_a", Number: 1, Status: queue.Queued, JoinedAt: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	line.Advance(time.Hour)
	changes := line.Take()
	if len(changes) != 1 || changes[0].Kind != queue.Called || changes[0].AtOnce || changes[0].Waited >= 0 {
		t.Errorf("%+v", changes)
	}
}
