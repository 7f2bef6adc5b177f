package wait

import (
	"math"
	"time"
)

// Score is how good the predictions were that were made as people joined, as far as was found out in the last hours.
type Score struct {
	Predictions int
	Held        int     // ranges that held
	Error       float64 // mean absolute error of the middles, in seconds
	Rivals      int     // predictions beside which another method was told of
	RivalError  float64 // and its mean absolute error there
	Hours       int
}

// hoursKept is how many hours count, the present one among them.
const hoursKept = 24

// hour is what was found out in one.
type hour struct {
	number  int64
	n, held int
	errors  float64

	rivals      int
	rivalErrors float64
}

// score keeps the last hours.
type score struct {
	hours [hoursKept]hour
	last  int64 // the last in which anything was found out
}

func (s *score) add(now time.Duration, told Prediction, actual float64) {
	number := int64(now / time.Hour)
	h := &s.hours[number%hoursKept]
	if h.number != number || h.n == 0 {
		*h = hour{number: number}
	}
	s.last = number
	h.n++
	h.errors += math.Abs(told.Likely - actual)
	if whole := math.RoundToEven(actual); math.RoundToEven(told.Low) <= whole && whole <= math.RoundToEven(told.High) {
		h.held++
	}
}

// now sums the hours up, as they stood when something was found out last.
func (s *score) now() Score {
	var sum Score
	first := s.last
	for _, h := range s.hours {
		if h.n > 0 && h.number > s.last-hoursKept {
			sum.Predictions += h.n
			sum.Held += h.held
			sum.Error += h.errors
			sum.Rivals += h.rivals
			sum.RivalError += h.rivalErrors
			first = min(first, h.number)
		}
	}
	if sum.Predictions > 0 {
		sum.Error /= float64(sum.Predictions)
		sum.Hours = int(s.last-first) + 1
	}
	if sum.Rivals > 0 {
		sum.RivalError /= float64(sum.Rivals)
	}
	return sum
}

// Score is the present one.
func (e *Estimator) Score() Score { return e.score.now() }
