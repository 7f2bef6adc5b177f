package queue

import (
	"math"
	"slices"
	"time"
)

// How the classic estimate remembers.
const (
	remembered = 20  // durations
	alpha      = 0.3 // weight of the newer one
)

// estimate knows how long the last runs took. Times are in seconds.
type estimate struct {
	last  []float64 // oldest first, at most remembered
	mean  float64   // exponential moving average over last
	low   float64   // quantiles of last: 10 %
	mid   float64   // 50 %
	high  float64   // 90 %
	prior float64   // the configured guess; 0: none
}

// record takes the duration of a run that ended.
func (e *estimate) record(d time.Duration) {
	if len(e.last) == remembered {
		e.last = slices.Delete(e.last, 0, 1)
	}
	e.last = append(e.last, d.Seconds())

	// Products in variables of their own, so that no processor fuses them with the sum: every machine gets the same answer.
	e.mean = e.last[0]
	for _, d := range e.last[1:] {
		newer := alpha * d
		older := (1 - alpha) * e.mean
		e.mean = newer + older
	}

	sorted := slices.Sorted(slices.Values(e.last))
	e.low, e.mid, e.high = quantile(sorted, 0.1), quantile(sorted, 0.5), quantile(sorted, 0.9)
}

// basis says what wait is made of.
func (e *estimate) basis() Basis {
	switch {
	case len(e.last) > 0:
		return BasisHistory
	case e.prior > 0:
		return BasisPrior
	}
	return BasisNone
}

// eta is the classic estimate for who has ahead people before them and slots in front of them: elapsed tells how long the run that ends
// next but `ahead mod slots` has been going.
func (e *estimate) eta(ahead, slots int, elapsed time.Duration) Seconds {
	if len(e.last) == 0 {
		return Seconds{}
	}
	return until(e.mean, ahead, slots, elapsed)
}

// wait is the range until a run can start, for the same.
func (e *estimate) wait(ahead, slots int, elapsed time.Duration) Wait {
	w := Wait{Basis: e.basis()}
	switch w.Basis {
	case BasisHistory:
		w.Low, w.Likely, w.High = startOf(e.low, ahead, slots, elapsed), startOf(e.mid, ahead, slots, elapsed), startOf(e.high, ahead, slots, elapsed)
	case BasisPrior:
		likely := startOf(e.prior, ahead, slots, elapsed)
		w.Low, w.Likely, w.High = likely, likely, likely
	}
	return w
}

// now is the wait of who needn't wait.
func (e *estimate) now() Wait {
	w := Wait{Basis: e.basis()}
	if w.Basis != BasisNone {
		zero := Seconds{Known: true}
		w.Low, w.Likely, w.High = zero, zero, zero
	}
	return w
}

// usual is what most runs take.
func (e *estimate) usual() (low, high Seconds) {
	if len(e.last) == 0 {
		return Seconds{}, Seconds{}
	}
	return whole(e.low), whole(e.high)
}

func until(run float64, ahead, slots int, elapsed time.Duration) Seconds {
	total := run * float64(ahead/slots+1)
	return whole(max(0, total-elapsed.Seconds()))
}

// startOf is until, but a run that takes longer than most doesn't shorten those that have not begun.
func startOf(run float64, ahead, slots int, elapsed time.Duration) Seconds {
	rest := max(0, run-elapsed.Seconds())
	others := run * float64(ahead/slots)
	return whole(rest + others)
}

// whole rounds half to even.
func whole(seconds float64) Seconds {
	return Seconds{N: int64(math.RoundToEven(seconds)), Known: true}
}

// quantile interpolates linearly between the order statistics (Hyndman and Fan 1996, type 7).
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	part := (at - float64(i)) * (sorted[i+1] - sorted[i])
	return sorted[i] + part
}
