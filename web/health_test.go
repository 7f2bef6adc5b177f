package web

import (
	"testing"
	"time"

	"confluence/queue"
)

// TestReadinessKnowsProgress (case: stuck-but-alive): somebody who waits before an idle slot for a whole reservation is trouble, and so is a line
// that could not be saved, for a while.
func TestReadinessKnowsProgress(t *testing.T) {
	const reservation = time.Minute
	start := time.Now()
	at := func(d time.Duration) time.Time { return start.Add(d) }
	stuck := queue.Picture{Slots: 2, Length: 3, Serving: []int64{4}}
	var g progress
	for _, step := range []struct {
		after time.Duration
		p     queue.Picture
		want  string
	}{
		{0, stuck, ""},
		{reservation - 1, stuck, ""},
		{reservation, stuck, "nobody is called, though a slot is idle"},
		{reservation + 1, queue.Picture{Slots: 2, Length: 2, Serving: []int64{4}, Called: []int64{5}}, ""},
		{reservation + 2, stuck, ""},
		{3 * reservation, queue.Picture{Slots: 2, Length: 3, Paused: true}, ""},
		{5 * reservation, queue.Picture{Slots: 2, Length: 3, Runner: queue.RunnerUnavailable}, ""},
		{7 * reservation, queue.Picture{Slots: 2}, ""},
		{9 * reservation, stuck, ""},
	} {
		if got := g.trouble(step.p, at(step.after), reservation); got != step.want {
			t.Errorf("after %v: %q, want %q", step.after, got, step.want)
		}
	}
	idle := queue.Picture{Slots: 1}
	g.refused(at(0))
	if got := g.trouble(idle, at(unsavedFor-1), reservation); got != "can't be saved" {
		t.Errorf("a line that can't be saved: %q", got)
	}
	if got := g.trouble(idle, at(unsavedFor), reservation); got != "" {
		t.Errorf("a while after: %q", got)
	}
}
