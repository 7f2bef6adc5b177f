package web

import (
	"testing"
	"time"

	"confluence/queue"
)

// TestLastHour: the share of the slots' time that runs take, turns and lapses, of the last hour alone.
func TestLastHour(t *testing.T) {
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	h := newLastHour(2, func() time.Time { return now })
	happens := func(after time.Duration, kinds ...queue.ChangeKind) {
		now = now.Add(after)
		for _, kind := range kinds {
			h.observe([]queue.Change{{Kind: kind, Ended: queue.Ended{Reason: queue.ReasonLapsed}}})
		}
	}
	want := func(use float64, called, lapsed int) {
		t.Helper()
		got := h.sum()
		if off := got.use - use; off > 1e-9 || off < -1e-9 || got.called != called || got.lapsed != lapsed {
			t.Errorf("after %v: %+v, want %v, %d, %d", h.clock(), got, use, called, lapsed)
		}
	}
	want(0, 0, 0)
	happens(0, queue.Called, queue.Started)
	happens(90 * time.Second)
	want(0.5, 1, 0)
	happens(0, queue.Called, queue.Started)
	happens(90 * time.Second)
	want(0.75, 2, 0)
	happens(0, queue.Freed, queue.Freed, queue.Called)
	happens(3*time.Minute, queue.Gone)
	want(0.375, 3, 1)
	happens(54*time.Minute, queue.Called, queue.Started) // the first hour is over
	happens(0)
	want((90+2*90.0-60)/(59*60*2), 3, 1)
	happens(3 * time.Hour) // and one run goes all the time
	want(0.5, 0, 0)
}
