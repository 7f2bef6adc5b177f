package main

import (
	"strings"
	"testing"
	"time"
)

const ms = time.Millisecond

// seen is a sighting at an instant, as an answer to a question of just before.
func seen(player int, at time.Duration, ticket string, number int64, status string, position int, revision int64) sighting {
	return sighting{player: player, asked: at - ms, told: at, view: askView{TicketID: ticket, Number: number, Status: status, Position: position, Revision: revision, Heartbeat: 10}}
}

// spanOf is a run as its player knows it: accepted so long after it was asked for, its end told so long after it.
func spanOf(number int64, id string, asked, accepted, took, told time.Duration) runSpan {
	return runSpan{player: int(number), number: number, id: id, asked: asked, accepted: accepted, took: took, told: told}
}

// stamped adds the server's account, by a wall clock that began so long before ours.
func stamped(r runSpan, began, zero time.Duration) runSpan {
	r.started = time.Unix(0, 0).Add(began + zero)
	r.ended = r.started.Add(r.took)
	return r
}

// TestLoadtestCheck: made-up histories, and what is said of each. Those where nothing is said are as important: what could have been is
// no violation.
func TestLoadtestCheck(t *testing.T) {
	oneSlot := func(c *check) { c.looked(publicPicture{Slots: 1}) }
	for _, history := range []struct {
		name    string
		happens func(*check)
		breaks  string // nothing: all is well
		because string // is in the evidence
	}{
		{"a whole way", func(c *check) {
			oneSlot(c)
			c.saw(seen(1, 10*ms, "q_a", 1, "queued", 2, 5))
			c.saw(seen(2, 11*ms, "q_b", 2, "queued", 3, 6))
			c.saw(seen(1, 20*ms, "q_a", 1, "queued", 1, 7))
			c.saw(seen(1, 30*ms, "q_a", 1, "ready", 1, 8))
			c.saw(seen(2, 31*ms, "q_b", 2, "queued", 2, 8))
			c.ran(stamped(spanOf(1, "r_a", 40*ms, 42*ms, 50*ms, 93*ms), 41*ms, time.Hour))
			c.gave(1)
			c.saw(seen(2, 95*ms, "q_b", 2, "ready", 1, 10))
			c.ran(stamped(spanOf(2, "r_b", 96*ms, 99*ms, 50*ms, 150*ms), 98*ms, time.Hour))
			c.gave(2)
		}, "", ""},

		{"two runs at once", func(c *check) {
			oneSlot(c)
			c.ran(spanOf(1, "r_a", 0, 5*ms, 100*ms, 104*ms))
			c.ran(spanOf(2, "r_b", 50*ms, 55*ms, 100*ms, 154*ms))
		}, promiseOverlap, "ticket 2 (r_b) from"},
		{"two runs at once with two slots", func(c *check) {
			c.looked(publicPicture{Slots: 2})
			c.ran(spanOf(1, "r_a", 0, 5*ms, 100*ms, 104*ms))
			c.ran(spanOf(2, "r_b", 50*ms, 55*ms, 100*ms, 154*ms))
		}, "", ""},
		{"three runs at once with two slots", func(c *check) {
			c.looked(publicPicture{Slots: 2})
			for i, id := range []string{"r_a", "r_b", "r_c"} {
				c.ran(spanOf(int64(i+1), id, 0, 5*ms, 100*ms, 104*ms))
			}
		}, promiseOverlap, "3 runs went at once with 2 slots"},
		{"the next is accepted before the end is heard of", func(c *check) {
			oneSlot(c)
			c.ran(spanOf(1, "r_a", 0, 5*ms, 50*ms, 900*ms)) // its client was slow to read
			c.ran(spanOf(2, "r_b", 60*ms, 61*ms, 50*ms, 112*ms))
		}, "", ""},
		{"a claim that took long, of a run that may have begun at once or late", func(c *check) {
			oneSlot(c)
			c.ran(spanOf(1, "r_a", 0, 500*ms, 100*ms, 501*ms))
			c.ran(spanOf(2, "r_b", 0, 500*ms, 100*ms, 501*ms))
		}, "", ""},
		{"short runs at once, by the server's clock alone", func(c *check) {
			oneSlot(c)
			c.ran(stamped(spanOf(1, "r_a", 0, 40*ms, 20*ms, 60*ms), 20*ms, time.Hour))
			c.ran(stamped(spanOf(2, "r_b", 10*ms, 45*ms, 20*ms, 60*ms), 30*ms, time.Hour))
		}, promiseOverlap, "by the server's clock"},
		{"a wall clock that was set back between two runs", func(c *check) {
			oneSlot(c)
			c.ran(stamped(spanOf(1, "r_a", 0, 2*ms, 50*ms, 53*ms), ms, time.Hour))
			c.ran(stamped(spanOf(2, "r_b", 60*ms, 62*ms, 50*ms, 113*ms), 61*ms, time.Hour-40*ms))
		}, "", ""},
		{"a wall clock that was set in the midst of a run", func(c *check) {
			oneSlot(c)
			r := stamped(spanOf(1, "r_a", 0, 40*ms, 20*ms, 60*ms), 20*ms, time.Hour)
			r.ended = r.ended.Add(time.Hour)
			c.ran(r)
			c.ran(stamped(spanOf(2, "r_b", 40*ms, 75*ms, 20*ms, 95*ms), 60*ms, time.Hour))
		}, "", ""},
		{"more served and called than slots", func(c *check) {
			c.looked(publicPicture{Slots: 1, Serving: []int64{4}, Called: []int64{5}, Revision: 9})
		}, promiseOverlap, "tickets [4] run and [5] are called"},

		{"the later was called first", func(c *check) {
			c.saw(seen(1, 10*ms, "q_a", 1, "queued", 1, 5))
			c.saw(seen(2, 20*ms, "q_b", 2, "ready", 1, 8))
			c.saw(seen(1, 30*ms, "q_a", 1, "queued", 1, 9))
		}, promiseOrder, "ticket 1, which had joined before it, was still queued at revision 9"},
		{"the later is known to be called first, and the earlier to have been called in between", func(c *check) {
			c.saw(seen(1, 10*ms, "q_a", 1, "queued", 1, 5))
			c.saw(seen(2, 20*ms, "q_b", 2, "ready", 1, 8))
			c.saw(seen(1, 30*ms, "q_a", 1, "ready", 1, 9))
		}, "", ""},
		{"the next are not in order", func(c *check) {
			c.looked(publicPicture{Slots: 1, Next: []int64{3, 5, 4}})
		}, promiseOrder, "[3 5 4]"},

		{"a position rose", func(c *check) {
			c.saw(seen(1, 10*ms, "q_a", 1, "queued", 2, 5))
			c.saw(seen(1, 20*ms, "q_a", 1, "queued", 3, 6))
		}, promiseRise, "from position 2 (revision 5, at 10ms) to 3"},
		{"an answer that was overtaken", func(c *check) {
			c.saw(seen(1, 20*ms, "q_a", 1, "queued", 2, 6))
			c.saw(sighting{player: 1, asked: 5 * ms, told: 25 * ms, view: askView{TicketID: "q_a", Number: 1, Status: "queued", Position: 3, Revision: 5}})
		}, "", ""},
		{"called, and back in line", func(c *check) {
			c.saw(seen(1, 10*ms, "q_a", 1, "ready", 1, 5))
			c.saw(seen(1, 20*ms, "q_a", 1, "queued", 1, 6))
		}, promiseRise, "was ready (revision 5) and is queued again"},
		{"an older answer to a later question", func(c *check) {
			c.saw(seen(1, 10*ms, "q_a", 1, "queued", 2, 6))
			c.saw(seen(1, 20*ms, "q_a", 1, "queued", 2, 5))
		}, promiseRevision, "revision 6 and, asked after that, 5"},

		{"two at one place", func(c *check) {
			c.saw(seen(1, 10*ms, "q_a", 1, "queued", 2, 6))
			c.saw(seen(2, 10*ms, "q_b", 2, "queued", 2, 6))
		}, promisePlace, "tickets 1 and 2 were both told position 2 at revision 6"},
		{"two with one number", func(c *check) {
			c.saw(seen(1, 10*ms, "q_a", 1, "queued", 2, 6))
			c.saw(seen(2, 10*ms, "q_b", 1, "queued", 3, 7))
		}, promisePlace, "both have the number 1"},

		{"forgotten", func(c *check) {
			c.saw(seen(1, 10*ms, "q_a", 1, "queued", 2, 6))
			c.lost(loss{player: 1, reason: "none", told: 20 * ms, seen: 10 * ms, answered: -1, heartbeat: time.Second})
		}, promiseLost, `for the reason "none"`},
		{"another ticket instead", func(c *check) {
			c.saw(seen(1, 10*ms, "q_a", 1, "queued", 2, 6))
			c.saw(seen(1, 20*ms, "q_b", 7, "queued", 2, 8))
		}, promiseLost, "has ticket 7 instead"},
		{"another ticket after the first was given back", func(c *check) {
			c.saw(seen(1, 10*ms, "q_a", 1, "queued", 2, 6))
			c.gave(1)
			c.saw(seen(1, 20*ms, "q_b", 7, "queued", 2, 8))
		}, "", ""},
		{"dropped as silent within the heartbeat", func(c *check) {
			c.saw(seen(1, 0, "q_a", 1, "queued", 2, 6))
			c.lost(loss{player: 1, reason: "heartbeat_lost", told: 9 * time.Second, seen: 0, answered: -1, heartbeat: 10 * time.Second})
		}, promiseLost, "dropped as silent after 9s at most"},
		{"dropped as silent, and it was", func(c *check) {
			c.saw(seen(1, 0, "q_a", 1, "queued", 2, 6))
			c.lost(loss{player: 1, reason: "heartbeat_lost", told: 11 * time.Second, seen: 0, answered: -1, heartbeat: 10 * time.Second})
		}, "", ""},
		{"dropped as silent after it answered pings", func(c *check) {
			c.saw(seen(1, 0, "q_a", 1, "queued", 2, 6))
			c.lost(loss{player: 1, reason: "heartbeat_lost", told: 60 * time.Second, seen: 0, answered: 57 * time.Second, heartbeat: 10 * time.Second})
		}, promiseLost, "3s after it answered a ping"},
		{"dropped as silent when the answer to the ping was on its way", func(c *check) {
			c.saw(seen(1, 0, "q_a", 1, "queued", 2, 6))
			c.lost(loss{player: 1, reason: "heartbeat_lost", told: 60 * time.Second, seen: 0, answered: 59999 * ms, heartbeat: 10 * time.Second})
		}, "", ""},
		{"the turn ran out too early", func(c *check) {
			c.saw(seen(1, 0, "q_a", 1, "ready", 1, 6))
			c.lost(loss{player: 1, reason: "reservation_expired", told: 20 * time.Second, window: 59 * time.Second, answered: -1})
		}, promiseLost, "was to last until 59s at least"},
		{"the turn ran out", func(c *check) {
			c.saw(seen(1, 0, "q_a", 1, "ready", 1, 6))
			c.lost(loss{player: 1, reason: "reservation_expired", told: 61 * time.Second, window: 59 * time.Second, answered: -1})
		}, "", ""},
		{"no answer any more", func(c *check) {
			c.saw(seen(1, 0, "q_a", 1, "queued", 1, 6))
			c.givenUp(1, time.Minute, errAskCut)
		}, promiseLost, "no answer for 1m0s"},

		{"ran twice", func(c *check) {
			c.ran(spanOf(1, "r_a", 0, ms, ms, 3*ms))
			c.ran(spanOf(1, "r_b", 9*ms, 10*ms, ms, 13*ms))
		}, promiseTwice, "ticket 1 ran as r_a and as r_b"},
		{"another's run", func(c *check) {
			c.ran(spanOf(1, "r_a", 0, ms, ms, 3*ms))
			c.ran(spanOf(2, "r_a", 9*ms, 10*ms, ms, 13*ms))
		}, promiseTwice, "run r_a is told to be that of ticket 1 and of ticket 2"},
	} {
		t.Run(history.name, func(t *testing.T) {
			c := newCheck()
			history.happens(c)
			found := c.verdict()
			switch {
			case history.breaks == "" && len(found) > 0:
				t.Errorf("it cries wolf: %v", found)
			case history.breaks == "":
			case len(found) != 1 || found[0].Promise != history.breaks || !strings.Contains(found[0].Evidence, history.because):
				t.Errorf("it finds %q, and should find that %q is broken, since %s", found, history.breaks, history.because)
			}
		})
	}
}

// TestLoadtestCheckIsBounded: it forgets old places, and counts what it doesn't keep the evidence of.
func TestLoadtestCheckIsBounded(t *testing.T) {
	c := newCheck()
	for i := range 3 * placesKept {
		c.place(askView{Number: int64(i), Position: 1, Revision: int64(i)})
	}
	for i := range 100 * evidenceKept {
		c.breaks(promiseRise, "%d", i)
	}
	if n := len(c.places[0]) + len(c.places[1]); n > 2*placesKept {
		t.Errorf("it remembers %d places", n)
	}
	if len(c.found) != evidenceKept || c.count() != 100*evidenceKept {
		t.Errorf("it keeps the evidence of %d and counts %d", len(c.found), c.count())
	}
}
