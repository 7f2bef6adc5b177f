package simulation

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
)

const second = time.Second

// of are arrivals as they are listed.
func of(list ...Arrival) Arrivals {
	return func(yield func(Arrival, error) bool) {
		for _, a := range list {
			if !yield(a, nil) {
				return
			}
		}
	}
}

func mustRun(t *testing.T, o Options, arrivals Arrivals) Result {
	t.Helper()
	r, err := Run(o, arrivals)
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Served + r.Refused + r.Abandoned + r.Lapsed; n != r.Arrivals {
		t.Fatalf("%d arrivals, and %d served, refused, abandoned or lapsed", r.Arrivals, n)
	}
	return r
}

// waited are the waits of those who had to, in seconds, as they were called.
func waited(r Result) (waits []float64) {
	for _, p := range r.Series {
		waits = append(waits, p.Waited.Seconds())
	}
	return waits
}

func TestRunByHand(t *testing.T) {
	three := []Arrival{{At: 0, Run: 10 * second}, {At: 1 * second, Run: 10 * second}, {At: 2 * second, Run: 10 * second}}
	impatient := slices.Clone(three)
	impatient[1].Patience = 5 * second
	for _, c := range []struct {
		name     string
		o        Options
		arrivals []Arrival
		want     Result // counts
		waits    []float64
	}{
		{"one slot", Options{Unlimited: true}, three, Result{Served: 3}, []float64{9, 18}},
		{"two slots", Options{Unlimited: true, Slots: 2}, three, Result{Served: 3}, []float64{8}},
		{"one may wait", Options{MaxLength: 1}, three, Result{Served: 2, Refused: 1}, []float64{9}},
		{"nobody may wait", Options{}, three, Result{Served: 1, Refused: 2}, nil},
		{"a claim delay", Options{Unlimited: true, ClaimDelay: Fixed(3 * second)}, three, Result{Served: 3}, []float64{9, 21}},
		{"a claim at the deadline is late", Options{Unlimited: true, ClaimDelay: Fixed(3 * second), Reservation: 3 * second}, three, Result{Served: 1, Lapsed: 2}, []float64{9, 11}},
		{"all lapse", Options{Unlimited: true, LapseShare: 1, Reservation: 20 * second}, three, Result{Served: 1, Lapsed: 2}, []float64{9, 28}},
		{"one gives up and says so", Options{Unlimited: true}, impatient, Result{Served: 2, Abandoned: 1}, []float64{8}},
		{"one falls silent and is dropped in time", Options{Unlimited: true, Heartbeat: 3 * second}, impatient, Result{Served: 2, Abandoned: 1}, []float64{8}},
		{"one falls silent and is called meanwhile", Options{Unlimited: true, Heartbeat: 30 * second, Reservation: 5 * second}, impatient, Result{Served: 2, Lapsed: 1}, []float64{9, 13}},
	} {
		r := mustRun(t, c.o, of(c.arrivals...))
		got := Result{Served: r.Served, Refused: r.Refused, Abandoned: r.Abandoned, Lapsed: r.Lapsed}
		if !reflect.DeepEqual(got, c.want) || !slices.Equal(waited(r), c.waits) {
			t.Errorf("%s: %+v, waits %v, want %+v, %v", c.name, got, waited(r), c.want, c.waits)
		}
	}
}

// TestRunAgreesWithTheory: with Poisson arrivals and exponential runs the mean wait is load ÷ (1 − load) runs, and of the waits above 0 each quantile
// is that of an exponential distribution of 1 ÷ (1 − load) runs.
func TestRunAgreesWithTheory(t *testing.T) {
	r := mustRun(t, Options{Unlimited: true}, Workload{Runs: Exponential, Load: 0.7, People: 100_000, Seed: 3}.Arrivals)
	near := func(what string, got Figure, want float64) {
		if math.Abs(float64(got)-want) > 0.08*want {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("utilisation", r.Utilisation, 0.7)
	near("mean wait", r.Waits.Mean, 60*0.7/0.3)
	near("p50", r.Waits.P50, 200*math.Log(0.7/0.5))
	near("p90", r.Waits.P90, 200*math.Log(0.7/0.1))
	near("p99", r.Waits.P99, 200*math.Log(0.7/0.01))
}

func TestRunIsTheSameForTheSameSeed(t *testing.T) {
	o := Options{Slots: 2, MaxLength: 50, Heartbeat: 30 * second, LapseShare: 0.1, ClaimDelay: func(r *rand.Rand) time.Duration {
		return time.Duration(r.ExpFloat64() * float64(5*second))
	}}
	for _, runs := range AllRuns() {
		w := Workload{Runs: runs, Load: 1.1, Slots: 2, Abandonment: 0.3, People: 2000, Seed: 5}
		if err := w.Validate(); err != nil {
			t.Fatal(err)
		}
		a, b := mustRun(t, o, w.Arrivals), mustRun(t, o, w.Arrivals)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: twice the same gives %+v and %+v", runs, a, b)
		}
		if a.Abandoned == 0 || a.Lapsed == 0 || a.Estimates.Predictions == 0 || a.OverTheWait.Predictions == 0 {
			t.Errorf("%s: %+v", runs, a)
		}
	}
}

// TestWorkloadsHaveTheirMean, but for runs that fail.
func TestWorkloadsHaveTheirMean(t *testing.T) {
	for _, runs := range AllRuns() {
		sum, n, last := 0.0, 0, time.Duration(0)
		for a := range (Workload{Runs: runs, MeanRun: second, Load: 0.5, People: 100_000, Seed: 7}).Arrivals {
			sum, n, last = sum+a.Run.Seconds(), n+1, a.At
		}
		mean, load := sum/float64(n), sum/last.Seconds()
		if runs == Failures {
			mean, load = mean+0.1, load+0.05
		}
		if mean < 0.85 || mean > 1.15 || load < 0.4 || load > 0.6 {
			t.Errorf("%s: mean %v, load %v", runs, mean, load)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		o        Options
		arrivals Arrivals
	}{
		"slots":               {Options{Slots: -1}, of()},
		"lapse share":         {Options{LapseShare: math.NaN()}, of()},
		"heartbeat":           {Options{Heartbeat: -1}, of()},
		"order":               {Options{}, of(Arrival{At: 2}, Arrival{At: 1})},
		"a broken source":     {Options{}, func(yield func(Arrival, error) bool) { yield(Arrival{}, broken) }},
		"a negative duration": {Options{}, of(Arrival{Run: -1})},
		"a negative patience": {Options{}, of(Arrival{Patience: -1})},
	} {
		if _, err := Run(c.o, c.arrivals); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, w := range map[string]Workload{
		"runs": {Runs: "?", Load: 1, People: 1}, "load": {Runs: Constant, People: 1}, "people": {Runs: Constant, Load: 1},
	} {
		if w.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestResultWithoutWaits has null for what nobody knows.
func TestResultWithoutWaits(t *testing.T) {
	b, err := json.Marshal(mustRun(t, Options{}, of(Arrival{Run: second})))
	want := `{"arrivals":1,"served":1,"refused":0,"abandoned":0,"lapsed":0,"utilisation":1,"waits":{"mean":0,"p50":0,"p90":0,"p99":0},` +
		`"estimates":{"predictions":0,"classic":{"mae":null},"wait":{"mae":null,"coverage":null,"median_width":null}},` +
		`"over_the_wait":{"predictions":0,"classic":{"mae":null},"wait":{"mae":null,"coverage":null,"median_width":null}}}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v, want\n%s", b, err, want)
	}
}

// TestSketchKnowsQuantiles exactly of a few, and within half a percent of any number.
func TestSketchKnowsQuantiles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var s sketch
	for _, value := range []float64{5, 0, 3} {
		s.add(value)
	}
	if s.quantile(0.5) != 3 || s.quantile(0.99) != 5 || s.quantile(0) != 0 {
		t.Errorf("of 0, 3 and 5 the middle is %v, the last %v, the first %v", s.quantile(0.5), s.quantile(0.99), s.quantile(0))
	}
	s = sketch{}
	all := make([]float64, 10_000)
	for i := range all {
		all[i] = math.Exp(10*random.NormFloat64() - 5)
		s.add(all[i])
	}
	slices.Sort(all)
	s.kept = nil // as though they were too many
	for i := 1; i < 100; i++ {
		want := all[i*100-1]
		if got := float64(s.quantile(float64(i) / 100)); math.Abs(got-want) > 0.006*want+1e-6 {
			t.Errorf("quantile %d %%: %v, want %v", i, got, want)
		}
	}
}

// TestSeriesIsBounded and spread evenly.
func TestSeriesIsBounded(t *testing.T) {
	var s series
	for i := range 100_000 {
		s.add(Point{Joined: time.Duration(i)})
	}
	if n := len(s.points); n < seriesMost/2 || n > seriesMost {
		t.Errorf("%d points", n)
	}
	for i, p := range s.points {
		if p.Joined != time.Duration(i*s.every) {
			t.Fatalf("point %d is %d", i, p.Joined)
		}
	}
}

// TestAgenda keeps the order of time, and that of making at one instant, whatever is taken out.
func TestAgenda(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	var a agenda
	var all []*entry
	for range 1000 {
		all = append(all, a.add(time.Duration(random.IntN(100)), looks, nil))
		if random.IntN(3) == 0 {
			a.remove(all[random.IntN(len(all))])
		}
	}
	var last *entry
	for e := a.next(); e != nil; e = a.next() {
		a.remove(e)
		if last != nil && (e.at < last.at || e.at == last.at && e.number < last.number) {
			t.Fatalf("%+v after %+v", e, last)
		}
		last = e
	}
}

// BenchmarkRun is the time of an arrival, all that it brings included.
func BenchmarkRun(b *testing.B) {
	w := Workload{Runs: Lognormal, Load: 0.95, People: b.N, Seed: 1}
	b.ReportAllocs()
	if _, err := Run(Options{Unlimited: true}, w.Arrivals); err != nil {
		b.Fatal(err)
	}
}
