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

// estimate is the classic one, of rule 11. It knows how long the last runs took. Times are in seconds.
type estimate struct {
	last []float64 // oldest first, at most remembered
	mean float64   // exponential moving average over last
	low  float64   // quantiles of last: 10 %
	high float64   // 90 %
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

	var most [remembered]float64 // on the stack, for there is a sort a run
	sorted := append(most[:0], e.last...)
	slices.Sort(sorted)
	e.low, e.high = quantile(sorted, 0.1), quantile(sorted, 0.9)
}

// eta is the classic estimate for who has ahead people before them and slots in front of them: elapsed tells how long the run that ends
// next but `ahead mod slots` has been going.
func (e *estimate) eta(ahead, slots int, elapsed time.Duration) Seconds {
	if len(e.last) == 0 {
		return Seconds{}
	}
	return until(e.mean, ahead, slots, elapsed)
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
