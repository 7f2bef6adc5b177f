package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserReloadKeepsTheRun: a reload, the way back and a second tab show the run and don't stop it; cancel does.
func TestBrowserReloadKeepsTheRun(t *testing.T) {
	server := serving(t)
	v := newVisitor(t, server.url)
	v.runs(endlessQuery)
	run := v.path()
	for range 3 {
		v.reload()
		v.sees(soonEnough, "Running your query")
	}
	other := v.tab()
	other.open("wait")
	other.until(soonEnough, "the run in the second tab", func() bool { return other.path() == run })
	v.do(chromedp.NavigateBack())
	v.open(strings.TrimPrefix(run, "/"))
	v.sees(soonEnough, "Running your query")
	if v.path() != run {
		t.Errorf("the run was at %s, and is at %s", run, v.path())
	}
	v.press("Cancel this run")
	v.sees(soonEnough, "Cancelled")
	other.sees(soonEnough, "Cancelled")
}

// TestBrowserRunThatNobodyWatchesEnds: with its last page gone the run ends as disconnected, and the slot is free.
func TestBrowserRunThatNobodyWatchesEnds(t *testing.T) {
	server := serving(t, "--run-unwatched-seconds=1")
	v := newVisitor(t, server.url)
	v.runs(endlessQuery)
	onlooker := newClient(server.url, nil)
	if p, err := onlooker.picture(t.Context()); err != nil || p.Runner != "running" {
		t.Fatalf("the picture is %+v, %v", p, err)
	}
	run := v.path()
	v.open("healthz") // leaves the page, in the same tab
	eventually(t, soonEnough, "the slot to be free", func() bool {
		p, err := onlooker.picture(t.Context())
		return err == nil && p.Runner == "idle"
	})
	v.open(strings.TrimPrefix(run, "/"))
	v.sees(soonEnough, "Nobody watched this run for 1 second")
}

// TestBrowserFaultyQueryCostsNoTurn: a mistake is told in the database's words, with the text kept, and makes no ticket.
func TestBrowserFaultyQueryCostsNoTurn(t *testing.T) {
	server := serving(t)
	v := newVisitor(t, server.url)
	v.open("")
	v.writes("#query", "SELECT nmae FROM branches")
	v.press("Run")
	v.sees(soonEnough, "no such column: nmae", "Your text is kept as you wrote it")
	v.holds("SELECT nmae FROM branches")
	if p, err := newClient(server.url, nil).picture(t.Context()); err != nil || p.Runner != "idle" || p.Length != 0 {
		t.Errorf("the picture is %+v, %v", p, err)
	}
}

// runs sends a query from the form while the runner is free, and is on its page.
func (v *visitor) runs(query string) {
	v.t.Helper()
	v.open("")
	v.writes("#query", query)
	v.press("Run")
	v.until(soonEnough, "the page of the run", func() bool { return strings.HasPrefix(v.path(), "/runs/") })
	v.sees(soonEnough, "Running your query")
}

// TestBrowserFollowsALongLine: a waiter behind others sees each step, and the position never rises.
func TestBrowserFollowsALongLine(t *testing.T) {
	server := serving(t, "--polls-per-second=1000")
	release := holdTheSlot(t.Context(), t, server)
	ahead := joining(t, server, 4)
	v := newVisitor(t, server.url)
	v.asksAndWaits("SELECT 1 AS one")
	v.sees(soonEnough, "Your place in line 5")
	v.mark()
	for _, c := range []*client{ahead[1], ahead[3]} {
		c.leaves(t)
	}
	v.sees(soonEnough, "Your place in line 3", "Joined at place 5")
	v.wantMarked("while the line moved")
	release()
	for _, c := range []*client{ahead[0], ahead[2]} {
		eventually(t, soonEnough, "the turn of who is ahead", func() bool {
			now, err := c.status(t.Context())
			return err == nil && now.Status == "ready"
		})
		if _, err := c.query(t.Context(), "SELECT 1"); err != nil {
			t.Fatal(err)
		}
	}
	v.sees(soonEnough, "Your result")
}

// hasRun checks how many runs the visitor's own list has.
func (v *visitor) hasRun(times int) {
	v.t.Helper()
	v.open("runs")
	if n := eval[int](v, `document.querySelectorAll("main a[href*='/runs/']").length`); n != times {
		v.t.Errorf("%d runs, want %d:\n%s", n, times, v.text())
	}
}
