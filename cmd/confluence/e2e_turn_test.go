package main

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

const byItself = "#auto"

// TestBrowserManualTurn: without "start by itself" the page counts the reservation down, shows the same after a reload and in a second
// tab, lets the text be changed, and runs it at the press of Run.
func TestBrowserManualTurn(t *testing.T) {
	server := serving(t)
	release := holdTheSlot(t.Context(), t, server)
	v := newVisitor(t, server.url)
	v.asksAndWaits("SELECT 'before' AS said")
	v.unticks(byItself)
	release()
	v.sees(soonEnough, "It’s your turn", "Press Run within", "Pass my turn on")
	left := v.secondsLeft()
	v.until(soonEnough, "the countdown to fall", func() bool { return v.secondsLeft() < left })

	v.reload()
	v.sees(soonEnough, "It’s your turn", "Press Run within")
	if now := v.secondsLeft(); now > left {
		t.Errorf("after a reload %d seconds are left, before it were %d", now, left)
	}
	other := v.tab()
	other.open("wait")
	other.sees(soonEnough, "It’s your turn")

	v.writes("#query", "SELECT 'after' AS said")
	v.press("Run my query")
	v.sees(soonEnough, "Your result", "after")
	other.sees(soonEnough, "Your result", "after")
}

// TestBrowserPassesTheTurnOn: who passes on leaves, and the next is called at once.
func TestBrowserPassesTheTurnOn(t *testing.T) {
	server := serving(t)
	release := holdTheSlot(t.Context(), t, server)
	first, second := newVisitor(t, server.url), newVisitor(t, server.url)
	first.asksAndWaits("SELECT 1 AS one")
	first.unticks(byItself)
	second.asksAndWaits("SELECT 2 AS two")
	release()
	first.sees(soonEnough, "It’s your turn")
	first.press("Pass my turn on")
	second.sees(soonEnough, "Your result", "two")
	first.until(soonEnough, "the form", func() bool { return first.path() == "/" })
}

// TestBrowserLapse: a turn that nobody takes passes, with a page that says so, keeps the text, and leads back into the line.
func TestBrowserLapse(t *testing.T) {
	server := serving(t, "--queue-reservation-seconds=2")
	release := holdTheSlot(t.Context(), t, server)
	v := newVisitor(t, server.url)
	v.asksAndWaits("SELECT 'kept' AS said")
	v.unticks(byItself)
	release()
	v.sees(soonEnough, "It’s your turn")
	v.sees(soonEnough, "Your turn has passed", "Your query did not run")
	v.holds("SELECT 'kept' AS said")
	v.reload()
	v.sees(soonEnough, "Your turn has passed")
	v.press("Join the line again")
	v.sees(soonEnough, "Your result", "kept")
}

// asksAndWaits sends a query from the form and is in the line.
func (v *visitor) asksAndWaits(query string) {
	v.t.Helper()
	v.open("")
	v.writes("#query", query)
	v.press("Run when it’s my turn")
	v.sees(soonEnough, "Your place in line", "While you wait")
}

// unticks takes a tick away, and waits until the server has heard of it.
func (v *visitor) unticks(box string) {
	v.t.Helper()
	v.sees(soonEnough, "Start my query by itself")
	v.click(box)
	v.wantUnticked(box)
}

// wantUnticked waits until the tick is gone and the server has heard of it.
func (v *visitor) wantUnticked(box string) {
	v.t.Helper()
	v.until(soonEnough, "the tick to be gone", func() bool { return !eval[bool](v, `document.querySelector("`+box+`")?.checked ?? true`) })
	v.until(soonEnough, "the ticket to be kept without it", func() bool {
		return eval[bool](v, `performance.getEntriesByType("resource").some(r => r.name.endsWith("/wait") && r.initiatorType === "fetch" && r.responseEnd > 0)`)
	})
}

// secondsLeft reads the countdown.
func (v *visitor) secondsLeft() int {
	minutes, seconds, _ := strings.Cut(eval[string](v, `document.querySelector("#left")?.textContent.trim() ?? ""`), ":")
	m, err := strconv.Atoi(minutes)
	if err != nil {
		return int(time.Hour.Seconds())
	}
	s, err := strconv.Atoi(seconds)
	if err != nil {
		return int(time.Hour.Seconds())
	}
	return m*60 + s
}
