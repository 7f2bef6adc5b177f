package simulation

import (
	"math"
	"strconv"
	"time"

	"confluence/queue"
)

// Figure is a number that is null in JSON when it is not known (NaN).
type Figure float64

// MarshalJSON writes the number, or null.
func (f Figure) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(f)) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(f), 'g', 6, 64), nil
}

// Result is what happened. Each arrival was served, refused, abandoned or lapsed. Times are in seconds.
type Result struct {
	Arrivals    int       `json:"arrivals"`
	Served      int       `json:"served"`
	Refused     int       `json:"refused"`   // the line was full
	Abandoned   int       `json:"abandoned"` // gave up, or fell silent, before being called
	Lapsed      int       `json:"lapsed"`    // was called and didn't claim in time
	Utilisation Figure    `json:"utilisation"`
	Waits       Waits     `json:"waits"`
	Estimates   Estimates `json:"estimates"`
	OverTheWait Estimates `json:"over_the_wait"`
	Series      []Point   `json:"-"`
}

// Waits are those of all who were called, from the arrival to the call; of who found a slot free it is 0.
type Waits struct {
	Mean Figure `json:"mean"`
	P50  Figure `json:"p50"`
	P90  Figure `json:"p90"`
	P99  Figure `json:"p99"`
}

// Estimates judges the predictions of those who had to wait, by the estimators: as they joined, or at each tenth of the wait of those that
// were followed.
type Estimates struct {
	Predictions int         `json:"predictions"` // without those from before anything was known
	Classic     ClassicMark `json:"classic"`
	Wait        WaitMark    `json:"wait"`
}

// ClassicMark judges eta_seconds.
type ClassicMark struct {
	MAE Figure `json:"mae"` // mean absolute error
}

// WaitMark judges wait.
type WaitMark struct {
	MAE         Figure `json:"mae"`      // of the middle
	Coverage    Figure `json:"coverage"` // share of waits within the range
	MedianWidth Figure `json:"median_width"`
}

// Point is one who waited, to be drawn: who joined when, how long the wait was, and what was predicted at the join.
type Point struct {
	Joined  time.Duration
	Waited  time.Duration
	Classic queue.Seconds
	Wait    queue.Wait
}

// series keeps a bounded number of points, evenly: when there are too many, each second one is dropped, and of the points to come too.
type series struct {
	points []Point
	every  int
	seen   int
}

const seriesMost = 4096

func (s *series) add(p Point) {
	s.every = max(s.every, 1)
	if s.seen%s.every == 0 {
		s.points = append(s.points, p)
	}
	s.seen++
	if len(s.points) == seriesMost {
		s.points, s.every = thinned(s.points), 2*s.every
	}
}

// thinned keeps each second, and the first.
func thinned[T any](all []T) []T {
	for i := range (len(all) + 1) / 2 {
		all[i] = all[2*i]
	}
	return all[:(len(all)+1)/2]
}
