package queue

import (
	"fmt"
	"testing"
	"time"
)

// served lets so many people come one after the other and run for that long, each while the next waits.
func served(t *testing.T, l *Line, from time.Duration, people int, run time.Duration) (now time.Duration) {
	t.Helper()
	now = from
	first, err := l.Claim(now, fmt.Sprint(from, 0))
	if err != nil {
		t.Fatal(err)
	}
	term := first.Term
	for i := range people {
		next := fmt.Sprint(from, i+1)
		if _, err := l.Join(now, next, Kept{}); err != nil {
			t.Fatal(err)
		}
		for range 4 {
			now += run / 4
			l.Seen(now, next)
		}
		if err := l.Finish(now, term, Succeeded); err != nil {
			t.Fatal(err)
		}
		g, err := l.Claim(now, next)
		if err != nil {
			t.Fatal(err)
		}
		term = g.Term
	}
	return now
}

func oneSlot(initial time.Duration) Config {
	return Config{Slots: 1, MaxLength: 10, Reservation: time.Minute, Heartbeat: time.Minute, InitialRun: initial}
}

// waitOf is what a session that joins now is told; it leaves again.
func waitOf(t *testing.T, l *Line, now time.Duration, session string) Wait {
	t.Helper()
	v, err := l.Join(now, session, Kept{})
	if err != nil {
		t.Fatal(err)
	}
	l.Leave(now, session)
	return v.Wait
}

// case: eta-prior: a guess is marked as one, with a range that says how little it is; without one there is no number.
func TestWaitFromAGuess(t *testing.T) {
	for _, c := range []struct {
		guess time.Duration
		want  Wait
	}{
		{0, Wait{Basis: BasisNone}},
		{90 * time.Second, Wait{known(3), known(80), known(503), BasisPrior}},
	} {
		l := NewLine(oneSlot(c.guess))
		if _, err := l.Claim(0, "runs"); err != nil {
			t.Fatal(err)
		}
		if got := waitOf(t, l, 10*time.Second, "waits"); got != c.want {
			t.Errorf("a guess of %v: %+v, want %+v", c.guess, got, c.want)
		}
	}
}

// TestPictureTellsHowGoodTheWaitsWere, once it is known.
func TestPictureTellsHowGoodTheWaitsWere(t *testing.T) {
	l := NewLine(oneSlot(0))
	if e := l.Picture(0).Estimate; e != (Estimate{}) {
		t.Errorf("before anything has happened: %+v", e)
	}
	now := served(t, l, 0, 100, time.Minute)
	e := l.Picture(now).Estimate
	if e.Predictions < 50 || e.Hours != 2 || e.Coverage < 0.99 || e.MeanError > 1 || !e.ClassicKnown || e.ClassicError > 1 {
		t.Errorf("after 100 runs of a minute: %+v", e)
	}
}

// TestAPauseIsNoHold: while nobody is called the wait is told as though that ended now, and what passed meanwhile teaches nothing.
func TestAPauseIsNoHold(t *testing.T) {
	for name, stop := range map[string]func(l *Line, now time.Duration, stopped bool){
		"paused":      func(l *Line, now time.Duration, stopped bool) { l.SetPaused(now, stopped) },
		"unavailable": func(l *Line, now time.Duration, stopped bool) { l.SetRunner(now, !stopped) },
	} {
		l := NewLine(oneSlot(0))
		now := served(t, l, 0, 50, time.Minute)
		before := waitOf(t, l, now, "before")
		if _, err := l.Join(now, "waits", Kept{}); err != nil {
			t.Fatal(err)
		}
		stop(l, now, true)
		for range 60 {
			now += 30 * time.Second
			l.Seen(now, "waits")
		}
		if err := l.Finish(now, l.runs[0].term, Interrupted); err != nil {
			t.Fatal(err)
		}
		if v, err := l.Status(now, "waits"); err != nil || v.Wait.Likely.N != 0 {
			t.Errorf("%s, with an idle slot: %+v, %v", name, v.Wait, err)
		}
		stop(l, now, false)
		if _, err := l.Claim(now, "waits"); err != nil {
			t.Fatal(err)
		}
		if after := waitOf(t, l, now, "after"); after != before {
			t.Errorf("%s: before %+v, after %+v", name, before, after)
		}
	}
}

// TestWaitIsKnownAfterARestart from the durations that were saved; what the ranges have learnt is learnt anew.
func TestWaitIsKnownAfterARestart(t *testing.T) {
	l, err := RestoreLine(oneSlot(0), State{Durations: []float64{50, 60, 70}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Claim(0, "runs"); err != nil {
		t.Fatal(err)
	}
	w := waitOf(t, l, 0, "waits")
	if w.Basis != BasisHistory || w.Likely != known(60) || w.Low.N >= 50 || w.High.N <= 70 {
		t.Errorf("after a restart: %+v", w)
	}
}
