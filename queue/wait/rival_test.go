package wait

import (
	"testing"
	"time"
)

// TestRival: what another method told the same people is scored beside, and nothing else is.
func TestRival(t *testing.T) {
	e := New(1, 60)
	e.Rival(0, 1) // nobody has joined
	e.Look(nil)
	e.Joined(0, 0)
	e.Rival(0, 100)
	e.Rival(0, 7) // of the next, who gets no marker
	e.Called(70 * time.Second)
	if s := e.Score(); s.Predictions != 1 || s.Rivals != 1 || s.RivalError != 30 {
		t.Errorf("one of whom was told 100 s waited 70: %+v", s)
	}
	e.Joined(80*time.Second, 0)
	e.Called(90 * time.Second)
	if s := e.Score(); s.Predictions != 2 || s.Rivals != 1 || s.RivalError != 30 {
		t.Errorf("and one was told nothing: %+v", s)
	}
}
