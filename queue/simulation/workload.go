package simulation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"confluence/queue"
)

// Workload is a described load: arrivals are drawn at random, the same for the same seed.
type Workload struct {
	Runs        Runs
	MeanRun     time.Duration // 0: a minute
	Load        float64       // work that comes in, of what the slots can do; 1 is all
	Slots       int           // 0: one
	Abandonment float64       // share of people who have little patience: an exponential time, of five runs in the mean
	People      int           // how many come
	Seed        uint64
}

// Runs is how long runs take, one after the other. Each kind has the mean of the workload in the long run, but for Failures.
type Runs string

// The kinds of runs.
const (
	Exponential Runs = "exponential"
	Lognormal   Runs = "lognormal" // heavy-tailed: the longest of a thousand takes half as long as a hundred others together
	Bimodal     Runs = "bimodal"   // four of five take a quarter of the mean, the fifth four times the mean
	Constant    Runs = "constant"
	Drifting    Runs = "drifting"   // the mean goes up and down by a factor of six within a thousand runs
	Regime      Runs = "regime"     // the mean jumps between a half and three halves, after 300 runs or so
	Failures    Runs = "failures"   // exponential, with bursts of runs that fail at once
	Correlated  Runs = "correlated" // as of a shared model: long runs come together, and so do people
)

// AllRuns are all the kinds.
func AllRuns() []Runs {
	return []Runs{Exponential, Lognormal, Bimodal, Constant, Drifting, Regime, Failures, Correlated}
}

// Validate says what can't be.
func (w Workload) Validate() error {
	switch {
	case runsOf[w.Runs] == nil:
		return fmt.Errorf("runs are %q: they must be one of %v", w.Runs, AllRuns())
	case w.MeanRun < 0:
		return fmt.Errorf("mean run is %v: it must be above 0", w.MeanRun)
	case !(w.Load > 0):
		return fmt.Errorf("load is %v: it must be above 0", w.Load)
	case w.Slots < 0:
		return fmt.Errorf("slots is %d: it must be 1 or more", w.Slots)
	case !(w.Abandonment >= 0 && w.Abandonment <= 1):
		return fmt.Errorf("abandonment is %v: it must be from 0 to 1", w.Abandonment)
	case w.People < 1:
		return fmt.Errorf("people is %d: it must be 1 or more", w.People)
	}
	return nil
}

// patienceRuns is the mean patience of who has little, in mean runs.
const patienceRuns = 5

// Arrivals are drawn as they are asked for; the workload must be valid.
func (w Workload) Arrivals(yield func(Arrival, error) bool) {
	mean := w.MeanRun
	if mean == 0 {
		mean = time.Minute
	}
	times := func(x float64) time.Duration { return time.Duration(x * float64(mean)) }
	random := rand.New(rand.NewPCG(w.Seed, 0xa771))
	run, gap := runsOf[w.Runs](random), random.ExpFloat64
	if w.Runs == Correlated {
		gap = bursty(random)
	}
	at := 0.0
	for range w.People {
		at += gap() / (w.Load * float64(max(w.Slots, 1)))
		took, outcome := run()
		a := Arrival{At: times(at), Run: times(took), Outcome: outcome}
		if random.Float64() < w.Abandonment {
			a.Patience = max(1, times(random.ExpFloat64()*patienceRuns))
		}
		if !yield(a, nil) {
			return
		}
	}
}

// runsOf makes, for each kind, what draws one run after the other; a mean run takes 1.
var runsOf = map[Runs]func(*rand.Rand) func() (float64, queue.Outcome){
	Exponential: func(r *rand.Rand) func() (float64, queue.Outcome) {
		return func() (float64, queue.Outcome) { return r.ExpFloat64(), queue.Succeeded }
	},
	Lognormal: func(r *rand.Rand) func() (float64, queue.Outcome) {
		return func() (float64, queue.Outcome) { return lognormal(r.NormFloat64(), 1.5), queue.Succeeded }
	},
	Bimodal: func(r *rand.Rand) func() (float64, queue.Outcome) {
		return func() (float64, queue.Outcome) {
			size := 0.25
			if r.Float64() < 0.2 {
				size = 4
			}
			return size * lognormal(r.NormFloat64(), 0.1), queue.Succeeded
		}
	},
	Constant: func(*rand.Rand) func() (float64, queue.Outcome) {
		return func() (float64, queue.Outcome) { return 1, queue.Succeeded }
	},
	Drifting: func(r *rand.Rand) func() (float64, queue.Outcome) {
		i, phase := 0, 2*math.Pi*r.Float64()
		return func() (float64, queue.Outcome) {
			i++
			return (1 + 0.7*math.Sin(phase+2*math.Pi*float64(i)/1000)) * lognormal(r.NormFloat64(), 0.5), queue.Succeeded
		}
	},
	Regime: func(r *rand.Rand) func() (float64, queue.Outcome) {
		mean := 0.5
		return func() (float64, queue.Outcome) {
			if r.Float64() < 1./300 {
				mean = 2 - mean
			}
			return mean * lognormal(r.NormFloat64(), 0.5), queue.Succeeded
		}
	},
	Failures: func(r *rand.Rand) func() (float64, queue.Outcome) {
		left := 0
		return func() (float64, queue.Outcome) {
			if left--; left <= 0 && r.Float64() < 1./200 {
				left = 10 + r.IntN(30)
			}
			if left > 0 && r.Float64() < 0.9 {
				return 0.01 + 0.01*r.Float64(), queue.Failed
			}
			return r.ExpFloat64(), queue.Succeeded
		}
	},
	Correlated: func(r *rand.Rand) func() (float64, queue.Outcome) {
		i, slow := 0, r.NormFloat64()
		return func() (float64, queue.Outcome) {
			i++
			slow = 0.97*slow + math.Sqrt(1-0.97*0.97)*r.NormFloat64()
			day := 0.4 * math.Sin(2*math.Pi*float64(i)/2000)
			return math.Exp(day) * lognormal(slow, 0.5) * lognormal(r.NormFloat64(), 0.8), queue.Succeeded
		}
	},
}

// lognormal has the mean 1; normal is from the standard normal distribution.
func lognormal(normal, sigma float64) float64 { return math.Exp(sigma*normal - sigma*sigma/2) }

// bursty draws the gaps between people who come now three times as often, now half as often as in the mean, for some forty people each.
func bursty(r *rand.Rand) func() float64 {
	rate := 1.0
	return func() float64 {
		if r.Float64() < 1./40 {
			rate = 3
			if r.Float64() < 0.6 {
				rate = 0.5
			}
		}
		return 0.75 * r.ExpFloat64() / rate
	}
}
