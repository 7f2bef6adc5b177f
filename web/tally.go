package web

import (
	"context"
	"sync"
	"time"
)

// tally bounds what sessions hold together, in groups: tickets of one address, or bytes of kept texts. Nobody tells it when a session lets
// go; it asks, when a group is full and when there is much that nobody may hold any more.
type tally struct {
	limit int64 // of a group's sum
	holds func(ctx context.Context, session string) bool
	now   func() time.Time

	mu      sync.Mutex
	groups  map[string]*tallyGroup
	entries int
	sweepAt int // entries
}

type tallyGroup struct {
	sum   int64
	of    map[string]*tallied // by session
	swept time.Time
}

type tallied struct {
	weight  int64
	pending int // calls that are about to make the session hold it
}

const (
	sweepLeast = 1024        // so many entries are no reason to look for those that count no more
	sweepSmall = 100         // a group of so many is looked through each time that it is full,
	sweepPause = time.Second // a larger one not more often than this
)

func newTally(limit int64, holds func(ctx context.Context, session string) bool, now func() time.Time) *tally {
	return &tally{limit: limit, holds: holds, now: now, groups: map[string]*tallyGroup{}, sweepAt: sweepLeast}
}

// enter counts what the session is about to hold, in place of what it held before. It is not ok if that is too much for the group; what the
// session held counts as before then. Call settled when it is known whether the session holds it.
func (t *tally) enter(ctx context.Context, group, session string, weight int64) (settled func(), ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.entries >= t.sweepAt {
		for name := range t.groups {
			t.sweep(ctx, name)
		}
		t.sweepAt = max(2*t.entries, sweepLeast)
	}
	if !t.fits(group, session, weight) {
		t.sweep(ctx, group)
		if !t.fits(group, session, weight) {
			return nil, false
		}
	}
	g := t.groups[group]
	if g == nil {
		g = &tallyGroup{of: map[string]*tallied{}}
		t.groups[group] = g
	}
	e := g.of[session]
	if e == nil {
		e = &tallied{}
		g.of[session] = e
		t.entries++
	}
	g.sum += weight - e.weight
	e.weight = weight
	e.pending++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		e.pending--
	}, true
}

func (t *tally) fits(group, session string, weight int64) bool {
	g := t.groups[group]
	if g == nil {
		return weight <= t.limit
	}
	if e := g.of[session]; e != nil {
		weight -= e.weight
	}
	return weight <= 0 || g.sum+weight <= t.limit
}

// sweep forgets the sessions of a group that hold nothing any more.
func (t *tally) sweep(ctx context.Context, group string) {
	g := t.groups[group]
	if g == nil || len(g.of) > sweepSmall && t.now().Sub(g.swept) < sweepPause {
		return
	}
	g.swept = t.now()
	for session, e := range g.of {
		if e.pending == 0 && !t.holds(ctx, session) {
			g.sum -= e.weight
			delete(g.of, session)
			t.entries--
		}
	}
	if len(g.of) == 0 {
		delete(t.groups, group)
	}
}
