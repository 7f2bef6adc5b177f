package wait

import (
	"math"
	"slices"
	"time"
)

// Prediction is a middle and a range, in seconds.
type Prediction struct{ Low, Likely, High float64 }

// grain is added to both sides of a ratio, in seconds, so that what is below the second that is shown doesn't weigh.
const grain = 0.5

// Estimator is told what happens in a line and predicts the waits there. It is not for several goroutines at once. Instants never fall.
type Estimator struct {
	slots   int
	holds   holds
	leaves  leaves
	markers markers
	ranges  ranges
	frozen  bool
	score   score

	rests [means][]float64 // of the slots, ascending, by each running mean
}

// New makes an estimator of a line before so many slots. guess is the first guess of a run, in seconds; 0: none.
func New(slots int, guess float64) *Estimator {
	e := &Estimator{slots: slots, holds: newHolds(guess), ranges: newRanges()}
	for d := range e.markers.begun {
		e.markers.begun[d] = markersALength
	}
	return e
}

// Joined is told that somebody has come to the end of the line, who has so many ahead.
func (e *Estimator) Joined(now time.Duration, ahead int) {
	e.leaves.pass(now)
	e.leaves.waiting++
	if !e.frozen && e.Known() {
		e.mark(now, ahead)
	}
}

// mark lets markers begin at the joiner's place, and at each nearer distance.
func (e *Estimator) mark(now time.Duration, ahead int) {
	e.markers.turn++
	for d := range distanceOf(ahead) + 1 {
		if !e.markers.may(d) {
			continue
		}
		at := ahead
		if d < distanceOf(ahead) {
			at = nearest(d) + int(golden(e.markers.turn)*float64(max(1, nearest(d))))
		}
		p, by, middle := e.predict(at)
		e.markers.standing = append(e.markers.standing, marker{
			distance: d, ahead: at, at: now, by: by, middle: middle, told: p, joiner: at == ahead,
		})
	}
}

// golden spreads its values evenly over 0 to 1.
func golden(i int) float64 {
	_, f := math.Modf(float64(i) * (math.Sqrt(5) - 1) / 2)
	return f
}

// Called is told that the first in line was called.
func (e *Estimator) Called(now time.Duration) {
	e.leaves.pass(now)
	e.leaves.waiting--
	e.leaves.settle()
	e.markers.earn()
	e.Open(now)
}

// Open is told that the first place is called, though perhaps nobody stands there.
func (e *Estimator) Open(now time.Duration) {
	learnt := false
	e.markers.called(func(m *marker) {
		e.learn(now, m)
		learnt = true
	})
	if learnt {
		e.ranges.spread()
	}
}

func (e *Estimator) learn(now time.Duration, m *marker) {
	actual := (now - m.at).Seconds()
	var errors [means]float64
	for k, by := range m.by {
		errors[k] = math.Abs(actual - by)
	}
	e.ranges.at[m.distance].add(math.Log((actual+grain)/(m.middle+grain)), errors, m.distance)
	if m.joiner {
		e.score.add(now, m.told, actual)
		if m.rivalled {
			e.score.rival(m.rival, actual)
		}
	}
}

// Left is told that somebody who had so many ahead has left the line.
func (e *Estimator) Left(now time.Duration, ahead int) {
	e.Withdrawn(now, ahead)
	e.leaves.left()
	e.leaves.settle()
}

// Withdrawn is told that somebody has never come.
func (e *Estimator) Withdrawn(now time.Duration, ahead int) {
	e.leaves.pass(now)
	e.leaves.waiting--
	e.markers.moved(ahead)
}

// Answered is told how long a reservation took to be claimed, or to end otherwise.
func (e *Estimator) Answered(took time.Duration, claimed bool) {
	e.holds.answered(took.Seconds(), claimed)
}

// Ran is told how long a run took, and whether it failed.
func (e *Estimator) Ran(took time.Duration, failed bool) {
	if failed {
		e.holds.failed(took.Seconds())
	} else {
		e.holds.ran(took.Seconds())
	}
}

// Freeze is told that nobody is called any more, or again. What stood meanwhile says nothing.
func (e *Estimator) Freeze(now time.Duration, frozen bool) {
	e.leaves.pass(now)
	e.frozen = frozen
	e.markers.void()
}

// Begin is told that so many wait already.
func (e *Estimator) Begin(now time.Duration, waiting int) {
	e.leaves.waiting, e.leaves.since = waiting, now
}

// Known says whether there is anything to predict from.
func (e *Estimator) Known() bool { return e.holds.runs.n() > 0 }

// Learnt says whether a run has ended.
func (e *Estimator) Learnt() bool { return e.holds.runMean[0].n > 0 }

// Look is told how the slots stand now; the predictions that follow are for this instant. Slots that are not among them are idle.
func (e *Estimator) Look(busy []Slot) {
	for k := range means {
		rests := e.rests[k][:0]
		for range e.slots - len(busy) {
			rests = append(rests, 0)
		}
		for _, s := range busy {
			r := e.holds.rest(s, k)
			if r < 1e-3 {
				r = 0
			}
			rests = append(rests, r)
		}
		slices.Sort(rests)
		e.rests[k] = rests
	}
}

// Predict is the wait of who has so many ahead in the line, at the instant of the last Look.
func (e *Estimator) Predict(ahead int) Prediction {
	p, _, _ := e.predict(ahead)
	return p
}

func (e *Estimator) predict(ahead int) (p Prediction, by [means]float64, middle float64) {
	d := distanceOf(ahead)
	for k := range means {
		by[k] = e.until(ahead, k)
		middle += e.ranges.at[d].weight[k] * by[k]
	}
	s := e.ranges.spans[d]
	wide := e.doubt()
	at := func(ratio float64) float64 { return max(0, (middle+grain)*math.Exp(ratio)-grain) }
	return Prediction{at(s.low - wide), at(s.mid), at(s.high + wide)}, by, middle
}

// doubtRuns is how many runs halve the doubt.
const doubtRuns = 10

// doubt widens both sides of the range while few runs are known, in ln(actual ÷ predicted).
func (e *Estimator) doubt() float64 { return 1 / (1 + e.holds.runMean[means-1].n/doubtRuns) }

// until is the time until slots have come free for all ahead and once more. Where holds vary as exponential ones do the slots come free at any time, where they
// are all alike one after the other, and in between in between.
func (e *Estimator) until(ahead, k int) float64 {
	rests, mean := e.rests[k], max(e.holds.mean(k), 1e-6)
	n := e.leaves.thinned(float64(ahead), rests[0], float64(e.slots)/mean)
	w := e.holds.past(k).regularity
	n += w * (steep(n) - n)
	if e.slots == 1 {
		return rests[0] + n*mean
	}
	if w == 0 {
		return atAnyTime(rests, mean, n)
	}
	return w*inTurn(rests, mean, n) + (1-w)*atAnyTime(rests, mean, n)
}

// steep is n drawn to the nearest whole number, without a step: where holds are all alike the wait is that for so many or for one more, and in
// between it is right for nobody.
func steep(n float64) float64 {
	whole, f := math.Modf(n)
	for range 2 {
		f = f * f * (3 - 2*f)
	}
	return whole + f
}

// inTurn is when the slots have come free n + 1 times, if each does so after its rest, and then each mean hold.
func inTurn(rests []float64, mean, n float64) float64 {
	at := func(n int) float64 { return rests[n%len(rests)] + float64(n/len(rests))*mean }
	i := int(n)
	return at(i) + (n-float64(i))*(at(i+1)-at(i))
}

// atAnyTime is the same, if of a slot that is held for r more, T/r of that is over at T; after that it comes free each mean hold.
func atAnyTime(rests []float64, mean, n float64) float64 {
	// Between the rests, in order, the count grows evenly: by 1/r a second for each slot still held, 1/mean for the others.
	held := 0.0 // sum of 1/r
	for _, r := range rests {
		if r > 0 {
			held += 1 / r
		}
	}
	t, count, free := 0.0, 0.0, 0.0
	for _, r := range rests {
		rate := held + free/mean
		if count+rate*(r-t) >= n+1 {
			return t + max(0, n+1-count)/rate
		}
		count += rate * (r - t)
		t = r
		if r > 0 {
			held -= 1 / r
		} else {
			count++ // it is free now
		}
		free++
	}
	return t + max(0, n+1-count)*mean/free
}
