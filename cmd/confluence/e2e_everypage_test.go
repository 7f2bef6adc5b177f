package main

import (
	"testing"
)

// streamingQuery sends a row now and then, and runs until somebody stops it.
const streamingQuery = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
SELECT i / 100000 AS row, 'the answer comes row by row' AS words FROM n WHERE i % 100000 = 0`

// branchesQuery is a table of several columns and kinds.
const branchesQuery = `SELECT branch_id, branch, opened, seats, NULL AS closed FROM branches ORDER BY branch`

// TestEveryPage looks at each page wide, narrow and dark: axe-core finds no fault, nothing sticks out at 360 pixels, and a picture of it is
// left in .cache/screenshots.
func TestEveryPage(t *testing.T) {
	t.Run("asking and waiting", askingAndWaiting)
	t.Run("running and reading", runningAndReading)
	t.Run("endings", endings)
}

func askingAndWaiting(t *testing.T) {
	server := serving(t, "--queue-max-length=3", "--queue-heartbeat-seconds=60")
	for range 4 { // so that there is something to estimate from
		if _, err := newClient(server.url, nil).query(t.Context(), "SELECT count(*) FROM loans"); err != nil {
			t.Fatal(err)
		}
	}
	v, wall := newVisitor(t, server.url), newVisitor(t, server.url)
	v.open("")
	v.sees(soonEnough, "In line Nobody")
	v.looksWell("form-idle")
	v.writes("#query", "SELECT nmae FROM branches")
	v.press("Run")
	v.sees(soonEnough, "no such column")
	v.looksWell("form-invalid")
	wall.open("kiosk")
	wall.sees(soonEnough, "Starts at once")
	wall.looksWell("kiosk-idle")

	release := holdTheSlot(t.Context(), t, server)
	defer release()
	for range 2 {
		if _, err := newClient(server.url, nil).join(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
	}
	v.open("")
	v.sees(soonEnough, "In line 2 people")
	v.looksWell("form-line")
	v.asksAndWaits(branchesQuery)
	v.sees(soonEnough, "Your place in line 3")
	v.looksWell("wait")
	wall.sees(soonEnough, "3 in line")
	wall.looksWell("kiosk-line")

	late := newVisitor(t, server.url)
	late.open("")
	late.writes("#query", "SELECT 1")
	late.pressMain()
	late.sees(soonEnough, "The line is full")
	late.looksWell("full")
	late.open("problems/queue_full")
	late.sees(soonEnough, "queue_full")
	late.looksWell("problem")
	late.open("no/such/page")
	late.looksWell("not-found")
}

func runningAndReading(t *testing.T) {
	server := serving(t)
	release := holdTheSlot(t.Context(), t, server)
	v, wall := newVisitor(t, server.url), newVisitor(t, server.url)
	v.asksAndWaits(branchesQuery)
	v.sees(soonEnough, "You are next")
	v.looksWell("wait-next")
	v.unticks(byItself)
	release()
	v.sees(soonEnough, "It’s your turn")
	v.looksWell("turn")
	wall.open("kiosk")
	wall.sees(soonEnough, "Your turn")
	wall.looksWell("kiosk-called")
	v.press("Run my query")
	v.sees(soonEnough, "Your result", "closed")
	v.looksWell("result")

	v.runs(streamingQuery)
	v.sees(soonEnough, "the answer comes row by row")
	v.looksWell("run")
	wall.sees(soonEnough, "Now running")
	wall.looksWell("kiosk-running")
	v.press("Cancel this run")
	v.sees(soonEnough, "Cancelled")
	v.looksWell("result-cancelled")
	v.click(`//nav//a[normalize-space()="My runs"]`)
	v.sees(soonEnough, "Cancelled by you after")
	v.looksWell("runs")
}

func endings(t *testing.T) {
	server := serving(t, "--queue-reservation-seconds=2", "--queue-heartbeat-seconds=2")
	release := holdTheSlot(t.Context(), t, server)
	v := newVisitor(t, server.url)
	v.asksAndWaits(branchesQuery)
	v.open("healthz") // goes away for longer than the heartbeat
	onlooker := newClient(server.url, nil)
	eventually(t, soonEnough, "the ticket to be dropped", func() bool {
		p, err := onlooker.picture(t.Context())
		return err == nil && p.Length == 0
	})
	v.open("wait")
	v.sees(soonEnough, "Your place was given up")
	v.looksWell("lost")

	v.press("Join the line again")
	v.sees(soonEnough, "Your place in line 1")
	v.unticks(byItself)
	release()
	v.sees(soonEnough, "Your turn has passed")
	v.looksWell("expired")
}

// pressMain presses the page's main button, whatever its words.
func (v *visitor) pressMain() {
	v.t.Helper()
	v.click("main form button.main")
}

// looksWell checks a page in three ways of looking at it, and takes a picture of each.
func (v *visitor) looksWell(name string) {
	v.t.Helper()
	for _, way := range []struct {
		name  string
		width int64
		dark  bool
	}{{"wide", 1280, false}, {"dark", 1280, true}, {"narrow", 360, false}} {
		v.viewport(way.width, 800)
		v.dark(way.dark)
		v.settled()
		v.accessible(name + ", " + way.name)
		if sticksOut := eval[int](v, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); sticksOut > 0 {
			v.t.Errorf("%s, %s: the page is %d pixels wider than the window", name, way.name, sticksOut)
		}
		v.photograph(name + "-" + way.name)
	}
	v.viewport(1280, 900)
	v.dark(false)
}

// settled waits until the page has loaded and its pictures and styles are there.
func (v *visitor) settled() {
	v.t.Helper()
	v.until(soonEnough, "the page to be loaded", func() bool {
		return eval[bool](v, `document.readyState === "complete" && document.fonts.status === "loaded" && [...document.images].every(i => i.complete)`)
	})
}
