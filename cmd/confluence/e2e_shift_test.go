package main

import (
	"testing"
	"time"
)

// watchShifts keeps, in window.shifts, what of the top of a page has moved by itself, and from where to where. The words that say whether the
// page is live may push the time that follows them.
const watchShifts = `window.shifts = [];
new PerformanceObserver((list) => {
	for (const entry of list.getEntries()) {
		if (entry.hadRecentInput) continue;
		for (const {node, previousRect: from, currentRect: to} of entry.sources) {
			const element = node instanceof Element ? node : node?.parentElement;
			if (element?.closest(".band, .kiosk") && !element.closest(".signal")) shifts.push([element.outerHTML.slice(0, 90), from.x, from.y, from.width, to.x, to.y, to.width].join(" "));
		}
	}
}).observe({type: "layout-shift", buffered: true});`

// TestNothingShifts: numbers that change keep their boxes. The place falls from two digits to one, the wait runs down, the turn and the run
// count; on a phone, at a desk, and on the wall.
func TestNothingShifts(t *testing.T) {
	server := serving(t, "--queue-heartbeat-seconds=60", "--queue-initial-run-seconds=30")
	release := holdTheSlot(t.Context(), t, server)
	ahead := joining(t, server, 11)
	phone, desk, wall := newVisitor(t, server.url), newVisitor(t, server.url), newVisitor(t, server.url)
	phone.viewport(360, 740)
	wall.viewport(1920, 1080)
	for _, v := range []*visitor{phone, desk, wall} {
		v.beforeScripts(watchShifts)
	}
	wall.open("kiosk")
	wall.sees(soonEnough, "11 in line")
	phone.asksAndWaits("SELECT 1")
	phone.unticks(byItself)
	desk.asksAndWaits("SELECT 1")
	desk.sees(soonEnough, "Your place in line 13", "Live, updated at")
	for _, v := range []*visitor{phone, desk, wall} {
		v.settled()
		eval[bool](v, `(shifts.length = 0, true)`) // what came before was the page's making
	}
	for i, c := range ahead {
		c.leaves(t)
		if i == 3 || i == 7 {
			phone.sees(soonEnough, "Your place in line "+map[int]string{3: "8", 7: "4"}[i])
		}
	}
	phone.sees(soonEnough, "You are next")
	wall.sees(soonEnough, "2 in line")
	for name, v := range map[string]*visitor{"phone": phone, "desk": desk, "wall": wall} {
		v.wantNoShifts(name + ", waiting")
	}

	release()
	phone.sees(soonEnough, "It’s your turn")
	phone.counts("#left", "0:56")
	phone.wantNoShifts("the turn")
	phone.press("Pass my turn on")
	desk.sees(soonEnough, "Your result")

	desk.runs(endlessQuery)
	desk.sees(soonEnough, "Running your query")
	desk.counts("#elapsed", "0:11")
	desk.wantNoShifts("a run")
}

// counts waits until a clock on the page has come to a time.
func (v *visitor) counts(clock, to string) {
	v.t.Helper()
	v.until(30*time.Second, clock+" to come to "+to, func() bool {
		return eval[string](v, `document.querySelector("`+clock+`")?.textContent.trim() ?? ""`) == to
	})
}

func (v *visitor) wantNoShifts(where string) {
	v.t.Helper()
	for _, shift := range eval[[]string](v, `shifts`) {
		v.t.Errorf("%s: moved by itself: %s", where, shift)
	}
}
