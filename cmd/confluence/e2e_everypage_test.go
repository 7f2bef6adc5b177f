package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// streamingQuery sends a row now and then, and runs until somebody stops it.
const streamingQuery = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
SELECT i / 100000 AS row, 'the answer comes row by row' AS words FROM n WHERE i % 100000 = 0`

// branchesQuery is a table of several columns and kinds.
const branchesQuery = `SELECT branch_id, branch, opened, seats, NULL AS closed FROM branches ORDER BY branch`

// TestEveryPage looks at each page in each of the ways below, and leaves a picture of each in .cache/screenshots, with an index.html that shows
// them all.
func TestEveryPage(t *testing.T) {
	t.Run("asking and waiting", askingAndWaiting)
	t.Run("running and reading", runningAndReading)
	t.Run("endings", endings)
	t.Run("the operator's desk", operatorsDesk)
	t.Run("without script", pagesWithoutScript)
	contactSheet(t)
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

func operatorsDesk(t *testing.T) {
	server := serving(t, "--admin-token="+adminToken)
	release := holdTheSlot(t.Context(), t, server)
	defer release()
	for range 12 {
		if _, err := newClient(server.url, nil).join(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
	}
	v := newVisitor(t, server.url)
	v.open("admin/sign-in")
	v.sees(soonEnough, "The operator’s desk")
	v.looksWell("admin-sign-in")
	v.writes("#token", "not the token")
	v.press("Sign in")
	v.sees(soonEnough, "That is not the token")
	v.looksWell("admin-sign-in-wrong")
	v.signsIn()
	v.sees(soonEnough, "The first 10 of 12.")
	v.looksWell("admin")
	v.writes("#words", "Back at noon, with more memory.")
	v.press("Post notice")
	v.sees(soonEnough, "Shown now")
	v.press("Pause calling")
	v.sees(soonEnough, "The line is paused")
	v.looksWell("admin-paused")
}

// pagesWithoutScript takes pictures of what is there with JavaScript off.
func pagesWithoutScript(t *testing.T) {
	server := serving(t)
	release := holdTheSlot(t.Context(), t, server)
	defer release()
	v := newVisitor(t, server.url)
	v.withoutScript()
	v.asksAndWaits(branchesQuery)
	for path, name := range map[string]string{"": "form-holder", "wait": "wait", "kiosk": "kiosk"} {
		v.open(path)
		v.photograph(name + "-noscript")
	}
}

// contactSheet writes a page that shows every picture, one row a page.
func contactSheet(t *testing.T) {
	t.Helper()
	folder := filepath.Join(root, ".cache", "screenshots")
	pictures, err := filepath.Glob(filepath.Join(folder, "*.png"))
	if err != nil {
		t.Fatal(err)
	}
	var sheet strings.Builder
	sheet.WriteString("<!doctype html><meta charset=utf-8><title>Every page</title><style>figure{display:inline-block;margin:.5rem;vertical-align:top}img{max-width:18rem;border:1px solid}</style>\n")
	for _, picture := range pictures {
		file := filepath.Base(picture)
		fmt.Fprintf(&sheet, "<figure><figcaption>%s</figcaption><a href=%[1]q><img loading=lazy src=%[1]q></a></figure>\n", file)
	}
	if err := os.WriteFile(filepath.Join(folder, "index.html"), []byte(sheet.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// pressMain presses the page's main button, whatever its words.
func (v *visitor) pressMain() {
	v.t.Helper()
	v.click("main form button.main")
}

// looksWell checks a page in each way of looking at it, and takes a picture of each: axe-core finds no fault, and nothing sticks out, at a
// width of 320 CSS pixels neither, which is what 1280 are at a zoom of 400 %.
func (v *visitor) looksWell(name string) {
	v.t.Helper()
	for _, way := range ways {
		v.viewport(way.width, 800)
		v.prefers(way.scheme, way.colours)
		v.settled()
		if way.leftwards {
			eval[bool](v, `(document.documentElement.dir = "rtl", true)`)
		}
		if way.colours == "none" { // axe-core measures the stylesheet's colours, not those that the system puts in their place
			v.accessible(name + ", " + way.name)
		}
		if sticksOut := eval[int](v, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); sticksOut > 0 {
			v.t.Errorf("%s, %s: the page is %d pixels wider than the window", name, way.name, sticksOut)
		}
		if small := eval[[]string](v, smallTargets); len(small) > 0 {
			v.t.Errorf("%s, %s: targets of less than 24 pixels: %q", name, way.name, small)
		}
		v.photograph(name + "-" + way.name)
		if way.leftwards {
			eval[bool](v, `(document.documentElement.dir = "ltr", true)`)
		}
	}
	v.viewport(1280, 900)
	v.prefers("light", "none")
}

// ways are the ways of looking at a page; the contact sheet has a column for each.
var ways = []struct {
	name            string
	width           int64
	scheme, colours string
	leftwards       bool // as in Arabic
}{
	{"1280-light", 1280, "light", "none", false},
	{"768-light", 768, "light", "none", false},
	{"360-light", 360, "light", "none", false},
	{"1280-dark", 1280, "dark", "none", false},
	{"360-dark", 360, "dark", "none", false},
	{"forced", 1280, "light", "active", false},
	{"zoom400", 320, "light", "none", false},
	{"rtl", 1280, "light", "none", true},
}

// smallTargets are what one presses and is smaller than WCAG 2.2 wants; links inside a sentence may be.
const smallTargets = `[...document.querySelectorAll("a, button, input, summary, textarea")].filter(e => {
	const {width, height} = e.getBoundingClientRect();
	return e.checkVisibility() && !e.matches(".skip, p a") && width > 0 && (width < 24 || height < 24);
}).map(e => e.outerHTML.slice(0, 80))`

// settled waits until the page has loaded and its pictures and styles are there.
func (v *visitor) settled() {
	v.t.Helper()
	v.until(soonEnough, "the page to be loaded", func() bool {
		return eval[bool](v, `document.readyState === "complete" && document.fonts.status === "loaded" && [...document.images].every(i => i.complete)`)
	})
}
