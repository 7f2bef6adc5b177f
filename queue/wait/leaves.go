package wait

import (
	"math"
	"time"
)

// leaveFade is what each leave leaves of the memory of those before.
const leaveFade = 0.99

// leaves knows how many leave the line before their turn: leaves, and the seconds that people have waited, each fading.
type leaves struct {
	n, seconds float64
	waiting    int     // now
	hazard     float64 // share of those who wait that leave in a second
	since      time.Duration
}

// pass counts the time until now.
func (l *leaves) pass(now time.Duration) {
	l.seconds += float64(l.waiting) * (now - l.since).Seconds()
	l.since = now
}

func (l *leaves) left() {
	l.n = l.n*leaveFade + 1
	l.seconds *= leaveFade
}

// settle takes what is known now for the hazard. It is asked for only when somebody leaves or is called, so that neither the passing of time
// nor a join that is taken back moves what others are told.
func (l *leaves) settle() {
	if l.seconds > 0 {
		l.hazard = l.n / l.seconds
	}
}

// thinned is for how many of n a slot must come free, if the first does so after a time and then so many a second do: dn/dt = −rate − hazard × n.
func (l *leaves) thinned(n, first, rate float64) float64 {
	hazard := l.hazard
	if hazard == 0 || n == 0 {
		return n
	}
	n *= math.Exp(-hazard * first)
	if hazard*(n+0.5) < 1e-6*rate {
		return n
	}
	return rate / hazard * math.Log((rate+(n+0.5)*hazard)/(rate+0.5*hazard))
}
