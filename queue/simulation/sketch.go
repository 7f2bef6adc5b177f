package simulation

import "math"

// sketch counts values in buckets that grow by the same ratio, so that each quantile is known within half a percent (Masson, Rim and Lee 2019,
// "DDSketch"). Values are of at least a microsecond, in seconds; smaller ones count as 0.
type sketch struct {
	zeros   int
	buckets [4096]int
	n       int
	sum     float64
}

const (
	sketchGrowth = 1.01
	sketchFirst  = 1e-6
)

var sketchLog = math.Log(sketchGrowth)

func (s *sketch) add(value float64) {
	s.n++
	s.sum += value
	if value < sketchFirst {
		s.zeros++
		return
	}
	i := int(math.Log(value/sketchFirst) / sketchLog)
	s.buckets[min(i, len(s.buckets)-1)]++
}

// mean is not a number if there are no values.
func (s *sketch) mean() Figure { return Figure(s.sum / float64(s.n)) }

// quantile is not a number if there are no values.
func (s *sketch) quantile(q float64) Figure {
	if s.n == 0 {
		return Figure(math.NaN())
	}
	left := max(1, int(math.Ceil(q*float64(s.n)-1e-9))) - s.zeros
	if left <= 0 {
		return 0
	}
	i := 0
	for left -= s.buckets[0]; left > 0; left -= s.buckets[i] {
		i++
	}
	return Figure(sketchFirst * math.Exp((float64(i)+0.5)*sketchLog))
}
