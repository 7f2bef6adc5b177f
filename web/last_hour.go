package web

import (
	"sync"
	"time"

	"confluence/queue"
)

// lastHour sums up what happened in the line in the last hour, minute by minute. What was before the process began doesn't count.
type lastHour struct {
	clock func() time.Duration // since it began
	slots int

	mu      sync.Mutex
	minutes [60]lastMinute
	running int           // slots with a run
	counted time.Duration // until when their time is counted
}

// lastMinute is what happened in one minute.
type lastMinute struct {
	number         int // since the beginning
	used           time.Duration
	called, lapsed int
}

// hourSum is the last hour.
type hourSum struct {
	use            float64 // share of the slots' time that runs took
	called, lapsed int     // turns given, and those that nobody took
}

func newLastHour(slots int, now func() time.Time) *lastHour {
	begun := now()
	return &lastHour{slots: slots, clock: func() time.Duration { return now().Sub(begun) }}
}

// observe takes what happened in the line.
func (h *lastHour) observe(changes []queue.Change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.clock()
	for _, ch := range changes {
		switch ch.Kind {
		case queue.Called:
			h.at(now).called++
		case queue.Started:
			h.count(now)
			h.running++
		case queue.Freed:
			h.count(now)
			h.running--
		case queue.Gone:
			if ch.Ended.Reason == queue.ReasonLapsed {
				h.at(now).lapsed++
			}
		}
	}
}

// sum is the last hour, or what there has been of it.
func (h *lastHour) sum() hourSum {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.clock()
	h.count(now)
	first := max(0, int(now/time.Minute)-len(h.minutes)+1)
	var sum hourSum
	var used time.Duration
	for _, m := range h.minutes {
		if m.number >= first {
			used += m.used
			sum.called += m.called
			sum.lapsed += m.lapsed
		}
	}
	if whole := now - time.Duration(first)*time.Minute; whole > 0 {
		sum.use = used.Seconds() / (whole.Seconds() * float64(h.slots))
	}
	return sum
}

// at wants the lock. It is the minute of an instant.
func (h *lastHour) at(now time.Duration) *lastMinute {
	number := int(now / time.Minute)
	m := &h.minutes[number%len(h.minutes)]
	if m.number != number {
		*m = lastMinute{number: number}
	}
	return m
}

// count wants the lock. It adds the time of the runs to the minutes in which it was.
func (h *lastHour) count(now time.Duration) {
	from := max(h.counted, now-time.Hour)
	h.counted = now
	for from < now && h.running > 0 {
		end := min(now, from.Truncate(time.Minute)+time.Minute)
		h.at(from).used += (end - from) * time.Duration(h.running)
		from = end
	}
}
