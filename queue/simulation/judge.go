package simulation

import (
	"math"
	"time"

	"confluence/queue"
)

// guess is what was shown at some instant.
type guess struct {
	at      time.Duration
	classic queue.Seconds
	wait    queue.Wait
}

func guessOf(now time.Duration, v queue.View) guess { return guess{now, v.ETA, v.Wait} }

// judge compares guesses with what happened.
type judge struct {
	from     time.Duration // guesses before that aren't judged; below 0: none is yet
	n        int
	classic  float64 // sums of absolute errors
	wait     float64
	ranges   int // guesses with a range
	held     int // ranges that held
	widths   sketch
	classics int
}

// hear judges a guess about a place that was called then.
func (j *judge) hear(g guess, called time.Duration) {
	if !g.classic.Known && !g.wait.Likely.Known {
		return
	}
	if j.from < 0 || g.at < j.from {
		return
	}
	j.n++
	actual := (called - g.at).Seconds()
	if g.classic.Known {
		j.classics++
		j.classic += math.Abs(float64(g.classic.N) - actual)
	}
	if g.wait.Likely.Known {
		j.ranges++
		j.wait += math.Abs(float64(g.wait.Likely.N) - actual)
		j.widths.add(float64(g.wait.High.N - g.wait.Low.N))
		if whole := int64(math.RoundToEven(actual)); g.wait.Low.N <= whole && whole <= g.wait.High.N {
			j.held++
		}
	}
}

func (j *judge) estimates() Estimates {
	of := func(sum float64, n int) Figure { return Figure(sum / float64(n)) }
	return Estimates{
		Predictions: j.n,
		Classic:     ClassicMark{MAE: of(j.classic, j.classics)},
		Wait:        WaitMark{MAE: of(j.wait, j.ranges), Coverage: of(float64(j.held), j.ranges), MedianWidth: j.widths.quantile(0.5)},
	}
}
