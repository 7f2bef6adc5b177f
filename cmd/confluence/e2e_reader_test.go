package main

import (
	"strings"
	"testing"
	"time"
)

// keepSaid keeps, in window.said, what each live region of the page has said and when by its clock, in seconds.
const keepSaid = `window.said = [];
new MutationObserver((changes) => {
	for (const region of new Set(changes.map((c) => (c.target instanceof Element ? c.target : c.target.parentElement)?.closest("[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]")))) {
		if (region) said.push({at: performance.now() / 1000, how: region.getAttribute("role") ?? region.getAttribute("aria-live"), words: region.textContent});
	}
}).observe(document, {subtree: true, childList: true, characterData: true});`

type spoken struct {
	At         float64
	How, Words string
}

func (v *visitor) said() []spoken {
	v.t.Helper()
	return eval[[]spoken](v, `said`)
}

// TestLiveRegion is the case live-region: what a screen reader is told. Nothing that ticks; the place at most every 30 s, and the latest one;
// "your turn" once, assertively; the countdown at 60, 30 and 10 s; of a run that goes on nothing.
func TestLiveRegion(t *testing.T) {
	server := serving(t, "--queue-heartbeat-seconds=120", "--queue-reservation-seconds=75")
	release := holdTheSlot(t.Context(), t, server)
	ahead := joining(t, server, 6)
	v := newVisitor(t, server.url)
	v.beforeScripts(fastClock(10) + keepSaid)
	v.asksAndWaits(streamingQuery)
	v.unticks(byItself)
	v.sees(soonEnough, "Your place in line 7")
	for _, c := range ahead {
		c.leaves(t)
		at := eval[float64](v, `performance.now()`)
		v.until(soonEnough, "eight fast seconds", func() bool { return eval[float64](v, `performance.now()`) > at+8_000 })
	}
	v.until(soonEnough, "the last place to be told", func() bool {
		said := v.said()
		return len(said) > 0 && strings.Contains(said[len(said)-1].Words, "1")
	})
	said := v.said()
	if len(said) > 4 {
		t.Errorf("six changes within a minute are told %d times: %+v", len(said), said)
	}
	for i, s := range said {
		if i > 0 && s.At < said[i-1].At+29.5 {
			t.Errorf("%.0f s after %q came %q", s.At-said[i-1].At, said[i-1].Words, s.Words)
		}
		if s.How != "status" {
			t.Errorf("%q interrupts", s.Words)
		}
	}

	release()
	v.sees(soonEnough, "It’s your turn")
	v.until(30*time.Second, "the countdown to be told", func() bool { return len(v.said()) >= 4 })
	var countdown, turns []string
	for _, s := range v.said() {
		if !strings.HasPrefix(s.Words, "It’s your turn") {
			countdown = append(countdown, s.Words)
		} else {
			turns = append(turns, s.Words)
		}
	}
	if len(countdown) != 3 || !strings.Contains(countdown[1], "30") || !strings.Contains(countdown[2], "10") || len(turns) != 1 {
		t.Errorf("the turn is told as %+v", v.said())
	}
	if how := eval[string](v, `document.querySelector("#said").getAttribute("role")`); how != "alert" {
		t.Errorf("the turn is told as %q", how)
	}

	v.sees(soonEnough, "It’s your turn")
	v.press("Run my query")
	v.sees(soonEnough, "Running your query", "the answer comes row by row")
	at := eval[float64](v, `performance.now()`)
	v.until(soonEnough, "a fast half minute", func() bool { return eval[float64](v, `performance.now()`) > at+30_000 })
	if said := v.said(); len(said) > 1 {
		t.Errorf("a run that goes on talks: %+v", said)
	}
	v.press("Cancel this run")
	v.sees(soonEnough, "Cancelled")
}
