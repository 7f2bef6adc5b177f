package queue

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func known(n int64) Seconds { return Seconds{N: n, Known: true} }

// after is an estimate that has seen runs of those seconds.
func after(durations ...float64) *estimate {
	e := &estimate{}
	for _, d := range durations {
		e.record(time.Duration(d * float64(time.Second)))
	}
	return e
}

// case: eta-table, eta-up
func TestEstimateTable(t *testing.T) {
	for _, c := range []struct {
		name      string
		durations []float64
		ahead     int
		slots     int
		elapsed   time.Duration
		want      Seconds
	}{
		{"no history", nil, 0, 1, 0, Seconds{}},
		{"no history, behind a run", nil, 3, 1, 50 * time.Second, Seconds{}},
		{"idle with history", []float64{60}, 0, 1, 0, known(60)},
		{"mean 60 s, running 50 s: the first", []float64{60}, 0, 1, 50 * time.Second, known(10)},
		{"mean 60 s, running 50 s: the third", []float64{60, 60, 60}, 2, 1, 50 * time.Second, known(130)},
		{"the run takes longer than the mean", []float64{60}, 0, 1, 61 * time.Second, known(0)},
		{"the run takes an hour longer", []float64{60}, 2, 1, time.Hour, known(0)},
		{"half a second rounds to even, down", []float64{60}, 0, 1, 59500 * time.Millisecond, known(0)},
		{"half a second rounds to even, up", []float64{60}, 0, 1, 58500 * time.Millisecond, known(2)},
		{"two and a half rounds to even, down", []float64{60}, 0, 1, 57500 * time.Millisecond, known(2)},
		{"before the spike", []float64{10, 10, 10}, 0, 1, 0, known(10)},
		{"the spike raises it", []float64{10, 10, 10, 300}, 0, 1, 0, known(97)},
		{"and it falls again", []float64{10, 10, 10, 300, 10}, 0, 1, 0, known(71)},
		{"two slots: the second waits no longer than the first", []float64{60}, 1, 2, 0, known(60)},
		{"two slots: the third waits a run more", []float64{60}, 2, 2, 0, known(120)},
		{"eight slots: the ninth waits a run more", []float64{60}, 8, 8, 20 * time.Second, known(100)},
	} {
		if got := after(c.durations...).eta(c.ahead, c.slots, c.elapsed); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestEstimateOfTheUsual(t *testing.T) {
	if low, high := after().usual(); low.Known || high.Known {
		t.Error("what most runs take is known before one has ended")
	}
	if low, high := after(10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110).usual(); low != known(20) || high != known(100) {
		t.Errorf("of 10 to 110 s most take %v to %v", low, high)
	}
}

// TestEstimateIsTheMovingAverageOfTheLastTwenty compares the mean with rule 11, written out.
func TestEstimateIsTheMovingAverageOfTheLastTwenty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		durations := rapid.SliceOfN(rapid.Int64Range(0, int64(time.Hour)), 1, 60).Draw(t, "durations")
		var e estimate
		for _, d := range durations {
			e.record(time.Duration(d))
		}
		last := durations[max(0, len(durations)-20):]
		mean := time.Duration(last[0]).Seconds()
		for _, d := range last[1:] {
			newer, older := 0.3*time.Duration(d).Seconds(), 0.7*mean
			mean = newer + older
		}
		if e.mean != mean {
			t.Fatalf("mean %v, want %v", e.mean, mean)
		}
		if !(e.low <= e.high) {
			t.Fatalf("quantiles %v, %v", e.low, e.high)
		}
		ahead, slots := rapid.IntRange(0, 1000).Draw(t, "ahead"), rapid.IntRange(1, 8).Draw(t, "slots")
		elapsed := time.Duration(rapid.Int64Range(0, int64(24*time.Hour)).Draw(t, "elapsed"))
		eta := e.eta(ahead, slots, elapsed)
		if !eta.Known || eta.N < 0 {
			t.Fatalf("eta %+v", eta)
		}
		if slots == 1 {
			total := mean * float64(ahead+1)
			if want := int64(math.RoundToEven(max(0, total-elapsed.Seconds()))); eta.N != want {
				t.Fatalf("eta %d, want %d", eta.N, want)
			}
		}
	})
}

// case: eta-table (JSON never −1 or NaN)
func TestSecondsOnTheWire(t *testing.T) {
	for _, c := range []struct {
		s    Seconds
		want string
	}{{Seconds{}, "null"}, {known(0), "0"}, {known(130), "130"}} {
		if got, err := c.s.MarshalJSON(); err != nil || string(got) != c.want {
			t.Errorf("%+v: %s, %v", c.s, got, err)
		}
	}
}
