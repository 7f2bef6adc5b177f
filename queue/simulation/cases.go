package simulation

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"text/tabwriter"
	"time"
)

// Case is a kind of load on which the estimates are judged.
type Case struct {
	Workload
	Claims bool // who is called takes a while to claim, and one of twenty never does
}

// Cases are all kinds of runs, at three loads, with 1, 2 and 4 slots, with and without people of little patience, with and without claim delays.
func Cases(people int) (all []Case) {
	for _, runs := range AllRuns() {
		for _, load := range []float64{0.7, 0.95, 1.2} {
			for _, slots := range []int{1, 2, 4} {
				for _, abandonment := range []float64{0, 0.3} {
					for _, claims := range []bool{false, true} {
						all = append(all, Case{Workload{Runs: runs, Load: load, Slots: slots, Abandonment: abandonment, People: people}, claims})
					}
				}
			}
		}
	}
	return all
}

func (c Case) String() string {
	s := fmt.Sprintf("%s, load %v, slots %d", c.Runs, c.Load, c.Slots)
	if c.Abandonment > 0 {
		s += ", abandonment"
	}
	if c.Claims {
		s += ", claims"
	}
	return s
}

// warmRuns is how many runs must have ended before the ranges are held to what they say.
const warmRuns = 20

func (c Case) options(seed uint64) Options {
	o := Options{Slots: c.Slots, Unlimited: true, Seed: seed, Warm: warmRuns, Follow: 4}
	if c.Claims {
		o.LapseShare, o.Reservation = 0.05, 30*time.Second
		o.ClaimDelay = func(r *rand.Rand) time.Duration { return time.Duration((2 + 6*r.ExpFloat64()) * float64(time.Second)) }
	}
	return o
}

// Verdict is how the estimates did in a case: means over several seeds. Errors are the mean absolute ones of wait over those of classic.
type Verdict struct {
	Case
	Error, OverError       float64 // at join, and over the wait
	Coverage, OverCoverage float64
	Width                  float64 // median of the ranges at join, seconds
	Mean                   float64 // wait of all, seconds
}

// Judge plays a case with those seeds.
func (c Case) Judge(seeds ...uint64) (Verdict, error) {
	v := Verdict{Case: c}
	var classic, overClassic float64
	n := float64(len(seeds))
	for _, seed := range seeds {
		c.Seed = seed
		r, err := Run(c.options(seed), c.Arrivals)
		if err != nil {
			return v, err
		}
		classic += float64(r.Estimates.Classic.MAE)
		overClassic += float64(r.OverTheWait.Classic.MAE)
		v.Error += float64(r.Estimates.Wait.MAE)
		v.OverError += float64(r.OverTheWait.Wait.MAE)
		v.Coverage += float64(r.Estimates.Wait.Coverage) / n
		v.OverCoverage += float64(r.OverTheWait.Wait.Coverage) / n
		v.Width += float64(r.Estimates.Wait.MedianWidth) / n
		v.Mean += float64(r.Waits.Mean) / n
	}
	v.Error /= classic
	v.OverError /= overClassic
	return v, nil
}

// Summary is how the estimates did in many cases.
type Summary struct {
	Cases                int
	MedianError          float64 // of the errors at join
	MeanError            float64 // geometric
	Worse                int     // cases in which the error is above 1.1 times the classic one
	Held, OverHeld       int     // cases in which the coverage is 75 to 90 %, at join and over the wait
	MeanOver, MedianOver float64
}

// Report writes a line a verdict and the summary as a table.
func Report(w io.Writer, verdicts []Verdict) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "error\tover\tcoverage\tover\twidth\twait\t  case\t")
	for _, v := range verdicts {
		fmt.Fprintf(table, "%.2f\t%.2f\t%.0f %%\t%.0f %%\t%.0f s\t%.0f s\t  %v\t\n", v.Error, v.OverError, 100*v.Coverage, 100*v.OverCoverage, v.Width, v.Mean, v.Case)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%+v\n", Summarize(verdicts))
	return err
}

// holds says whether a range that should hold four times of five does.
func holds(coverage float64) bool { return coverage >= 0.75 && coverage <= 0.90 }

// Summarize sums verdicts up.
func Summarize(verdicts []Verdict) Summary {
	s := Summary{Cases: len(verdicts)}
	var errors, over sketch
	for _, v := range verdicts {
		errors.add(v.Error)
		over.add(v.OverError)
		s.MeanError += math.Log(v.Error) / float64(len(verdicts))
		s.MeanOver += math.Log(v.OverError) / float64(len(verdicts))
		if v.Error > 1.1 {
			s.Worse++
		}
		if holds(v.Coverage) {
			s.Held++
		}
		if holds(v.OverCoverage) {
			s.OverHeld++
		}
	}
	s.MeanError, s.MeanOver = math.Exp(s.MeanError), math.Exp(s.MeanOver)
	s.MedianError, s.MedianOver = float64(errors.quantile(0.5)), float64(over.quantile(0.5))
	return s
}
