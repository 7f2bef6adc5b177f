package wait

import "math"

const (
	outcomesKept = 32   // of a distance
	level        = 0.82 // a little more than is promised, for the errors drift
	overlap      = 0.68 // outcomes from further away than the next two overlap, and count as fewer
	borrowed     = 3.   // outcomes: the weight of what is borrowed while there are none, falling to 0 as they come
	shiftHeld    = 20.  // outcomes: how the shift is held back
	shiftMost    = 1.5
	lowLeast     = -5.
	highMost     = 3.5
	evenFrom     = 5    // from 16 ahead …
	even         = 0.7  // … neither side is less than this of the other
	errorsMemory = 150. // outcomes
	sharpness    = 12
)

// first is what is assumed of the next in line before there are outcomes: exponential runs.
var first = span{math.Log(-math.Log(0.9)), math.Log(math.Ln2), math.Log(-math.Log(0.1))}

// span is a range and its middle: ln(actual ÷ predicted).
type span struct{ low, mid, high float64 }

// outcomes are those of one distance.
type outcomes struct {
	last   window
	errors [means]running
	weight [means]float64 // of the running means; their sum is 1
	shift  float64
	own    span // of last
}

// add takes ln(actual ÷ predicted), and the error of each running mean.
func (o *outcomes) add(ratio float64, errors [means]float64, distance int) {
	o.last.add(ratio)
	for k := range errors {
		o.errors[k].add(errors[k], errorsMemory)
	}
	o.weigh()

	n := float64(o.last.n())
	counted := n
	if distance >= 2 {
		counted *= overlap
	}
	tail := max(0, 1-(1+level)/2*(counted+1)/counted)
	o.own = span{o.last.quantile(tail), o.last.quantile(0.5), o.last.quantile(1 - tail)}
	o.shift = min(max(o.own.mid*n/(n+shiftHeld), -shiftMost), shiftMost)
}

func (o *outcomes) weigh() {
	best := math.Inf(1)
	for _, e := range o.errors {
		best = min(best, e.mean)
	}
	sum := 0.0
	for k, e := range o.errors {
		o.weight[k] = math.Pow((best+1e-3)/(e.mean+1e-3), sharpness)
		sum += o.weight[k]
	}
	for k := range o.weight {
		o.weight[k] /= sum
	}
}

// ranges has the outcomes of all distances, and the range of each.
type ranges struct {
	at    [distances]outcomes
	spans [distances]span
}

func newRanges() ranges {
	var r ranges
	for d := range r.at {
		r.at[d].last.most = outcomesKept
		for k := range means {
			r.at[d].weight[k] = 1 / float64(means)
		}
	}
	r.spread()
	return r
}

// spread gives each distance its own range mixed with what it borrows.
func (r *ranges) spread() {
	borrow := first
	for d := range r.at {
		o := &r.at[d]
		n := float64(o.last.n())
		weight := borrowed * (1 - n/outcomesKept)
		mix := func(own, other float64) float64 { return (n*own + weight*other) / (n + weight) }
		s := span{mix(o.own.low, borrow.low), o.shift, mix(o.own.high, borrow.high)}
		next := s
		if d >= evenFrom {
			low, high := s.mid-s.low, s.high-s.mid
			s.low, s.high = s.mid-max(low, even*high), s.mid+max(high, even*low)
		}
		s.low, s.high = max(min(s.low, s.mid), lowLeast), min(max(s.high, s.mid), highMost)
		r.spans[d], borrow = s, next
	}
}
