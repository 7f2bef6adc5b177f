package simulation

import (
	"flag"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"confluence/queue"
)

var (
	benchSeeds = flag.Int("seeds", 1, "how many seeds of each case BenchmarkEstimates takes the mean of")
	benchFrom  = flag.Int("from", firstSeed, "the first of them")
)

// firstSeed begins seeds that nothing was tuned on.
const firstSeed = 500_000

// judged plays each so-manieth case.
func judged(t testing.TB, people, every, seeds, from int) (all []Verdict) {
	t.Helper()
	for i, c := range Cases(people) {
		if i%every != 0 {
			continue
		}
		var those []uint64
		for s := range seeds {
			those = append(those, uint64(from+i*seeds+s))
		}
		v, err := c.Judge(those...)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// varied are the verdicts but for those of runs that all take the same, where a range of whole seconds holds nearly always.
func varied(all []Verdict) (some []Verdict) {
	for _, v := range all {
		if v.Runs != Constant {
			some = append(some, v)
		}
	}
	return some
}

// TestEstimatesKeepTheirBounds on generated loads: a good deal less than the error of the classic estimate, seldom more,
// and ranges that hold.
func TestEstimatesKeepTheirBounds(t *testing.T) {
	all := judged(t, 3000, everyCase, 2, firstSeed)
	var table strings.Builder
	if err := Report(&table, all); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + table.String())
	s, v := Summarize(all), Summarize(varied(all))
	if s.MedianError > 0.62 || s.MeanError > 0.56 {
		t.Errorf("the error is %.3f of the classic one in the median case, %.3f in the mean", s.MedianError, s.MeanError)
	}
	if 20*s.Worse > s.Cases {
		t.Errorf("in %d of %d cases the error is above 1.1 of the classic one", s.Worse, s.Cases)
	}
	if 100*v.Held < 80*v.Cases || 100*v.OverHeld < 90*v.Cases {
		t.Errorf("of %d cases the range holds 75 to 90 %% at join in %d, over the wait in %d", v.Cases, v.Held, v.OverHeld)
	}
}

// BenchmarkEstimates prints the table of all cases, once.
func BenchmarkEstimates(b *testing.B) {
	for range b.N {
		all := judged(b, 3000, 1, *benchSeeds, *benchFrom)
		if b.N == 1 {
			if err := Report(os.Stdout, all); err != nil {
				b.Fatal(err)
			}
		}
		s := Summarize(all)
		b.ReportMetric(s.MedianError, "median-error-ratio")
		b.ReportMetric(float64(s.Held)/float64(s.Cases), "held")
	}
}

// stepped says whether a middle, or an end of its range, has moved further than the passing of a fifth of a second moves it.
func stepped(was, is, middle queue.Seconds) bool {
	most := 2 * max(1, float64(was.N+1)/float64(middle.N+1))
	return math.Abs(float64(is.N-was.N)) > most
}

// TestWaitNeverStepsByItself: between events what is shown moves smoothly with time. A fifth of a second moves the middle by two whole seconds at most, however
// far away the turn is, and the ends of the range as it moves the middle: a far end in proportion.
func TestWaitNeverStepsByItself(t *testing.T) {
	const step = 200 * time.Millisecond
	for _, runs := range AllRuns() {
		w := Workload{Runs: runs, Load: 1.1, Slots: 2, Abandonment: 0.3, People: 100, Seed: 11}
		s, err := newSimulation(Options{Slots: 2, Unlimited: true, ClaimDelay: Fixed(5 * second), LapseShare: 0.05, InitialRun: 40 * second})
		if err != nil {
			t.Fatal(err)
		}
		last, revision, quiet := map[string]queue.Wait{}, int64(-1), 0
		look := func() {
			now := map[string]queue.Wait{}
			s.line.Each(s.now, 1, 12, func(session string, v queue.View) { now[session] = v.Wait })
			if r := s.line.Picture(s.now).Revision; r != revision {
				revision, last = r, now
				return
			}
			for session, is := range now {
				was := last[session]
				if is.Basis != was.Basis || stepped(was.Low, is.Low, was.Likely) || stepped(was.Likely, is.Likely, was.Likely) || stepped(was.High, is.High, was.Likely) {
					t.Fatalf("%s: at %v, without an event, from %+v to %+v", runs, s.now, was, is)
				}
				quiet++
			}
			last = now
		}
		for a := range w.Arrivals {
			for at := s.now + step; at < a.At; at += step {
				s.until(at)
				s.now = at
				look()
			}
			s.until(a.At)
			s.arrive(a)
		}
		if quiet < 3000 {
			t.Errorf("%s: only %d looks without an event", runs, quiet)
		}
	}
}
