// Package queuetest holds every store of the line to the same behaviour: the vectors, the rules one by one, random operations against a
// plain list, and races of real goroutines. A store's own test is one call of Exercise.
package queuetest

import (
	"sync/atomic"
	"testing"
	"time"

	"confluence/queue"
)

// Clock is the time that a store under test lives in; it moves only when a test moves it.
type Clock struct {
	now atomic.Int64
}

// Now is the time since the clock was made.
func (c *Clock) Now() time.Duration { return time.Duration(c.now.Load()) }

// Advance moves the clock on.
func (c *Clock) Advance(d time.Duration) { c.now.Add(int64(d)) }

// Open makes an empty store that lives in that clock's time. What must be closed it leaves to t.Cleanup.
type Open func(t testing.TB, cfg queue.Config, clock *Clock) queue.Store

// Exercise runs all that a store must do. It is called from a package beside the vectors' testdata, such as queue/memory.
func Exercise(t *testing.T, open Open) {
	t.Run("vectors", func(t *testing.T) {
		for _, trace := range Traces(t, "../testdata/vectors") {
			t.Run(trace.Name, func(t *testing.T) { playOnStore(t, open, trace) })
		}
	})
	for _, area := range []struct {
		name  string
		rules []rule
	}{
		{"join", joinRules}, {"heartbeat", heartbeatRules}, {"leave", leaveRules}, {"claim", claimRules}, {"deadline", deadlineRules},
		{"promotion", promotionRules}, {"finish", finishRules}, {"picture", pictureRules}, {"change", changeRules}, {"halt", haltRules},
	} {
		t.Run(area.name, func(t *testing.T) {
			for _, r := range area.rules {
				t.Run(r.name, func(t *testing.T) { r.holds(t, open) })
			}
		})
	}
	t.Run("random", func(t *testing.T) { againstPlainList(t, open) })
	t.Run("counts agree", func(t *testing.T) { countsAgree(t, open) })
	t.Run("parallel", func(t *testing.T) { inParallel(t, open) })
}

// rule is one thing that holds for every store, shown on a line of its own.
type rule struct {
	name string // with the case that it is, if it is one
	cfg  queue.Config
	show func(l *line)
}

func (r rule) holds(t *testing.T, open Open) {
	cfg := r.cfg
	if cfg.Slots == 0 {
		cfg.Slots = 1
	}
	if cfg.Reservation == 0 {
		cfg.Reservation = reservation
	}
	if cfg.Heartbeat == 0 {
		cfg.Heartbeat = heartbeat
	}
	if cfg.MaxLength == 0 {
		cfg.MaxLength = 1000
	}
	if cfg.MaxLength < 0 {
		cfg.MaxLength = 0
	}
	r.show(newLine(t, open, cfg))
}

// The times of a rule's line, if it says nothing else. A negative MaxLength stands for a line in which nobody waits.
const (
	reservation = 60 * time.Second
	heartbeat   = 30 * time.Second
	nobodyWaits = -1
)
