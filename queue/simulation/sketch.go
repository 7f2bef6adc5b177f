package simulation

import (
	"math"
	"slices"
)

// sketch keeps values until they are many, so that each quantile is exact. It also counts them in buckets that grow by the same ratio, so that
// of any number each quantile is known within half a percent (Masson, Rim and Lee 2019, "DDSketch"). Values are of at least a microsecond, in
// seconds; smaller ones count as 0.
type sketch struct {
	kept    []float64 // all of them, while they are at most sketchKeeps
	zeros   int
	buckets [4096]int
	n       int
	sum     float64
}

const (
	sketchGrowth = 1.01
	sketchFirst  = 1e-6
	sketchKeeps  = 1 << 20 // 8 MiB
)

var sketchLog = math.Log(sketchGrowth)

func (s *sketch) add(value float64) {
	s.n++
	s.sum += value
	if s.n <= sketchKeeps {
		s.kept = append(s.kept, value)
	} else {
		s.kept = nil
	}
	if value < sketchFirst {
		s.zeros++
		return
	}
	i := int(math.Log(value/sketchFirst) / sketchLog)
	s.buckets[min(i, len(s.buckets)-1)]++
}

// mean is not a number if there are no values.
func (s *sketch) mean() Figure { return Figure(s.sum / float64(s.n)) }

// quantile is the least value that so great a share doesn't exceed, and not a number if there are no values.
func (s *sketch) quantile(q float64) Figure {
	if s.n == 0 {
		return Figure(math.NaN())
	}
	rank := max(1, int(math.Ceil(q*float64(s.n)-1e-9)))
	if s.kept != nil {
		slices.Sort(s.kept)
		return Figure(s.kept[rank-1])
	}
	left := rank - s.zeros
	if left <= 0 {
		return 0
	}
	i := 0
	for left -= s.buckets[0]; left > 0; left -= s.buckets[i] {
		i++
	}
	return Figure(sketchFirst * math.Exp((float64(i)+0.5)*sketchLog))
}
