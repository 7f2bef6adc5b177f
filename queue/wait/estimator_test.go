package wait

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

const second = time.Second

// learnt is an estimator that has seen runs of those seconds.
func learnt(slots int, runs ...float64) *Estimator {
	e := New(slots, 0)
	for _, d := range runs {
		e.Ran(time.Duration(d*float64(second)), false)
	}
	return e
}

// repeated is a hundred times the same, or the same in turn.
func repeated(runs ...float64) (all []float64) {
	for i := range 100 {
		all = append(all, runs[i%len(runs)])
	}
	return all
}

func going(since ...float64) (busy []Slot) {
	for _, s := range since {
		busy = append(busy, Slot{Since: s})
	}
	return busy
}

// case: eta-table
func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		name  string
		e     *Estimator
		busy  []Slot
		ahead int
		want  float64
	}{
		{"mean 60 s, running 50 s: the first", learnt(1, repeated(60)...), going(50), 0, 10},
		{"mean 60 s, running 50 s: the third", learnt(1, repeated(60)...), going(50), 2, 130},
		{"a guess stands for the runs", New(1, 90), going(10), 1, 170},
		{"of two kinds of runs it is the long one", learnt(1, repeated(10, 100)...), going(50), 0, 50},
		{"two slots whose runs are all alike come free in turn", learnt(2, repeated(60)...), going(50, 20), 1, 40},
		{"and again", learnt(2, repeated(60)...), going(50, 20), 2, 70},
		{"a slot that is idle, since nobody is called", learnt(1, repeated(60)...), nil, 0, 0},
		{"a run that is stopping", learnt(1, repeated(60)...), []Slot{{Stopping: true, Since: 10}}, 1, 60},
		{"a reservation that nobody takes long to claim", learnt(1, repeated(60)...), []Slot{{Reserved: true, Since: 0}}, 0, 60},
	} {
		c.e.Look(c.busy)
		if got := c.e.Predict(c.ahead).Likely; math.Abs(got-c.want) > 0.01 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestOverrunGrows: what lasts longer than all before has the more left, but never rises faster than time passes.
func TestOverrunGrows(t *testing.T) {
	x := newExcess(100, 1)
	random := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		x.add(60 * random.ExpFloat64())
	}
	last := x.after(0)
	for at := 0.1; at < 1000; at += 0.1 {
		rest := x.after(at)
		if d := rest - last; d > 0.1+1e-9 || d < -0.1-1e-9 || rest < 0 {
			t.Fatalf("after %v s %v s are left, before %v s", at, rest, last)
		}
		last = rest
	}
	if last < 100 {
		t.Errorf("after 1000 s %v s are left", last)
	}
}

// TestFailuresAtOnceDontCount, and those that took as long as others do.
func TestFailuresAtOnceDontCount(t *testing.T) {
	e := learnt(1, repeated(60)...)
	for range 50 {
		e.Ran(second, true)
	}
	e.Look(going(0))
	if got := e.Predict(0).Likely; math.Abs(got-60) > 0.01 {
		t.Errorf("after failures at once a run is expected to take %v s", got)
	}
	for range 400 {
		e.Ran(30*second, true)
	}
	e.Look(going(0))
	if got := e.Predict(0).Likely; got > 45 {
		t.Errorf("after failures of 30 s a run is expected to take %v s", got)
	}
	fresh := New(1, 0)
	fresh.Ran(second, true)
	if fresh.Known() {
		t.Error("from a failure alone a run's length is known")
	}
}

// TestClaimsAndLapsesCount as a part of the time that a slot is held.
func TestClaimsAndLapsesCount(t *testing.T) {
	e := learnt(1, repeated(60)...)
	for i := range 100 {
		claimed := i%2 == 0
		took := 10 * second
		if !claimed {
			took = 30 * second
		}
		e.Answered(took, claimed)
	}
	e.Look(going(0))
	got := e.Predict(1).Likely - e.Predict(0).Likely
	if want := 20 + 0.5*60.; math.Abs(got-want) > 1 {
		t.Errorf("a hold is expected to take %v s, want %v", got, want)
	}
}

// TestLeavesThinTheLine: who is far back is told that some ahead will leave, and it is the solution of dn/dt = −rate − hazard × n.
func TestLeavesThinTheLine(t *testing.T) {
	l := leaves{hazard: 0.01}
	n, at := 100.0, 0.0
	for ; n > 0; at += 0.01 {
		n -= 0.01 * (0.1 + 0.01*n)
	}
	if got := l.thinned(100, 0, 0.1) / 0.1; math.Abs(got-at) > 0.05*at {
		t.Errorf("the turn comes after %v s, want %v", got, at)
	}
	if (&leaves{}).thinned(100, 50, 0.1) != 100 {
		t.Error("without leaves the line is thinned")
	}
}

// TestRangeLearnsFromErrors: of runs that are all alike the range closes, and of exponential ones it holds about four of five.
func TestRangeLearnsFromErrors(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct {
		name        string
		draw        func() float64
		least, most float64 // coverage
		width       float64 // at most, over the middle
	}{
		{"constant", func() float64 { return 60 }, 1, 1, 0.2},
		{"exponential", func() float64 { return 60 * random.ExpFloat64() }, 0.74, 0.92, 12},
	} {
		e := New(1, 0)
		now := time.Duration(0)
		held, all := 0, 0
		for i := range 2000 {
			took := time.Duration(c.draw() * float64(second))
			e.Look(going(0))
			p := e.Predict(0)
			e.Joined(now, 0)
			now += took
			e.Ran(took, false)
			e.Called(now)
			if i < 100 {
				continue
			}
			all++
			if d := took.Seconds(); p.Low-1e-6 <= d && d <= p.High+1e-6 {
				held++
			}
			if p.Low > p.Likely || p.Likely > p.High || (p.High-p.Low)/p.Likely > c.width {
				t.Fatalf("%s: %+v", c.name, p)
			}
		}
		if coverage := float64(held) / float64(all); coverage < c.least || coverage > c.most {
			t.Errorf("%s: the range holds %v", c.name, coverage)
		}
		if s := e.Score(); s.Predictions == 0 || s.Hours != hoursKept || c.least == 1 && s.Error > 0.01 {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
}

// TestMarkersAreBounded, whatever the length of the line, and a pause takes them away.
func TestMarkersAreBounded(t *testing.T) {
	e := learnt(1, repeated(60)...)
	e.Look(going(0))
	for i := range 100_000 {
		e.Joined(time.Duration(i), i)
		if i%3 == 0 {
			e.Called(time.Duration(i))
			e.Look(going(0))
		}
		if i%7 == 0 {
			e.Left(time.Duration(i), i/2)
		}
	}
	if n := len(e.markers.standing); n == 0 || n > markersMost*distances {
		t.Errorf("%d markers stand", n)
	}
	e.Freeze(time.Hour, true)
	e.Joined(time.Hour, 0)
	if n := len(e.markers.standing); n != 0 {
		t.Errorf("%d markers stand in a line that is paused", n)
	}
}

// TestScoreForgets what is older than a day.
func TestScoreForgets(t *testing.T) {
	var s score
	for h := range 100 {
		s.add(time.Duration(h)*time.Hour, Prediction{0, 10, 20}, 10+float64(h%2)*20)
	}
	if got, want := s.now(), (Score{Predictions: 24, Held: 12, Error: 10, Hours: 24}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	s.add(1000*time.Hour, Prediction{0, 10, 20}, 10)
	if got, want := s.now(), (Score{Predictions: 1, Held: 1, Hours: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// BenchmarkPredict is the cost of a prediction, with four slots.
func BenchmarkPredict(b *testing.B) {
	e := learnt(4, repeated(10, 20, 300)...)
	e.Look(going(1, 2, 3, 4))
	b.ReportAllocs()
	for i := range b.N {
		e.Predict(i % 1000)
	}
}

// BenchmarkEvents is the cost of somebody's coming, being called and running, in a line of a thousand.
func BenchmarkEvents(b *testing.B) {
	e := learnt(1, repeated(10, 20, 300)...)
	b.ReportAllocs()
	for i := range b.N {
		now := time.Duration(i) * second
		e.Look(going(5))
		e.Joined(now, 1000)
		e.Ran(time.Duration(i%100)*second, false)
		e.Called(now)
	}
}
