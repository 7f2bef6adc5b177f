package wait

import (
	"math"
	"slices"
)

// excess answers how much longer something lasts that has lasted some time: the mean excess of the last that lasted longer, with
// straight lines between, rising by at most so much a second. All in seconds.
type excess struct {
	window
	rest       []float64 // mean excess over sorted[i]
	limit      []float64 // what the rest has risen to there
	slope      float64   // the steepest rise
	mean       float64
	regularity float64 // 1 where all lasted alike; 0 where they vary as exponential ones do, or more
}

func newExcess(most int, slope float64) excess {
	return excess{window: window{most: most}, rest: make([]float64, most), limit: make([]float64, most), slope: slope}
}

func (x *excess) add(d float64) {
	x.window.add(d)
	x.tabulate()
}

// tabulate goes through the ends from the last to the first, and then limits the rise.
func (x *excess) tabulate() {
	n := len(x.sorted)
	x.rest, x.limit = x.rest[:n], x.limit[:n]
	sum := 0.0 // of those that lasted longer than sorted[i]
	for i := n - 1; i >= 0; i-- {
		x.rest[i] = 0
		if longer := n - 1 - i; longer > 0 {
			x.rest[i] = sum/float64(longer) - x.sorted[i]
		}
		sum += x.sorted[i]
	}
	// None lasted longer than the longest: what the three before it say stands for it.
	if before := x.rest[max(0, n-4) : n-1]; len(before) > 0 {
		for _, r := range before {
			x.rest[n-1] += r / float64(len(before))
		}
	}
	x.mean = sum / float64(n)
	at, limit, squares := 0.0, x.mean, 0.0
	for i, end := range x.sorted {
		limit += x.slope * (end - at)
		if r := x.rest[i]; r < limit {
			limit = r
		}
		x.limit[i] = limit
		squares += (end - x.mean) * (end - x.mean)
		at = end
	}
	x.regularity = max(0, 1-squares/float64(n)/max(x.mean*x.mean, 1e-9))
}

// overdue is how the rest of what lasts longer than any before grows with the time that it is over.
const overdue = 0.5

// after is the rest after t.
func (x *excess) after(t float64) float64 {
	n := len(x.sorted)
	if n == 0 {
		return 0
	}
	i, _ := slices.BinarySearch(x.sorted, math.Nextafter(t, math.Inf(1))) // the first that lasted longer
	if i == n {
		return x.limit[n-1] + overdue*(t-x.sorted[n-1])
	}
	from, rest, limit := 0.0, x.mean, x.mean
	if i > 0 {
		from, rest, limit = x.sorted[i-1], x.rest[i-1], x.limit[i-1]
	}
	part := (t - from) / (x.sorted[i] - from)
	return min(rest+part*(x.rest[i]-rest), limit+x.slope*(t-from))
}
