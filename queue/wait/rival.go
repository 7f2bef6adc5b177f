package wait

import (
	"math"
	"time"
)

// Rival is told, after Joined, what another method told who has joined, in seconds. That is scored beside.
func (e *Estimator) Rival(now time.Duration, told float64) {
	last := len(e.markers.standing) - 1
	if last < 0 {
		return
	}
	if m := &e.markers.standing[last]; m.joiner && m.at == now && !m.rivalled {
		m.rivalled, m.rival = true, told
	}
}

// rival scores what another method had told, beside what was just added.
func (s *score) rival(told, actual float64) {
	h := &s.hours[s.last%hoursKept]
	h.rivals++
	h.rivalErrors += math.Abs(told - actual)
}
