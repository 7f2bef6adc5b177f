package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// streamingQuery sends a row now and then, and runs until somebody stops it.
const streamingQuery = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
SELECT i / 100000 AS row, 'the answer comes row by row' AS words FROM n WHERE i % 100000 = 0`

// branchesQuery is a table of several columns and kinds.
const branchesQuery = `SELECT branch_id, branch, opened, seats, NULL AS closed FROM branches ORDER BY branch`

// TestEveryPage looks at each page, as the program serves it and its scripts make it, in each of the ways below.
func TestEveryPage(t *testing.T) {
	t.Run("asking and waiting", askingAndWaiting)
	t.Run("running and reading", runningAndReading)
	t.Run("endings", endings)
	t.Run("the operator's desk", operatorsDesk)
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
	joining(t, server, 2)
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
	joining(t, server, 12)
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

// pressMain presses the page's main button, whatever its words.
func (v *visitor) pressMain() {
	v.t.Helper()
	v.click("main form button.main")
}

// looksWell checks a page in each way of looking at it, in the visitor's language and in Arabic, which is mirrored.
func (v *visitor) looksWell(name string) {
	v.t.Helper()
	v.looks(name, allLooks)
	const own = "en"
	if eval[string](v, `document.documentElement.lang`) != own { // TestEveryLanguage looks at those
		return
	}
	v.reads("ar")
	v.looks(name+"-ar", looksNamed("1280-light"))
	v.reads(own)
}

// looks checks a page in those looks: axe-core finds no fault, and the page fits.
func (v *visitor) looks(name string, looks []look) {
	v.t.Helper()
	v.fits(name, looks, func(look look) {
		if look.colours == "none" { // axe-core measures the stylesheet's colours, not those that the system puts in their place
			v.accessible(name + ", " + look.name)
		}
	})
}

// fits checks that nothing sticks out of a page in those looks, at a width of 320 CSS pixels neither, which is what 1280 are at a zoom of
// 400 %, and that all one presses is large enough. It takes a picture of each, and does what else is to be done.
func (v *visitor) fits(name string, looks []look, also func(look)) {
	v.t.Helper()
	for _, look := range looks {
		v.viewport(look.width, 800)
		v.prefers(look.scheme, look.colours)
		v.settled()
		if sticksOut := eval[int](v, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); sticksOut > 0 {
			v.t.Errorf("%s, %s: the page is %d pixels wider than the window", name, look.name, sticksOut)
		}
		if small := eval[[]string](v, smallTargets); len(small) > 0 {
			v.t.Errorf("%s, %s: targets of less than 24 pixels: %q", name, look.name, small)
		}
		v.photograph(name + "-" + look.name)
		also(look)
	}
	v.viewport(1280, 900)
	v.prefers("light", "none")
}

// reads has the page in another language from now on.
func (v *visitor) reads(code string) {
	v.t.Helper()
	v.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.SetCookie, network.SetCookieParams{Name: "confluence_language", Value: code, URL: v.base})
		return err
	}))
	v.reload()
	v.until(soonEnough, "the page in "+code, func() bool { return eval[string](v, `document.documentElement.lang`) == code })
}

// look is a way of looking at a page.
type look struct {
	name            string
	width           int64
	scheme, colours string
}

// allLooks are the columns of the contact sheet.
var allLooks = []look{
	{"1280-light", 1280, "light", "none"},
	{"768-light", 768, "light", "none"},
	{"360-light", 360, "light", "none"},
	{"1280-dark", 1280, "dark", "none"},
	{"360-dark", 360, "dark", "none"},
	{"forced", 1280, "light", "active"},
	{"zoom400", 320, "light", "none"},
}

// looksNamed are those with these names, which spaces part.
func looksNamed(names string) (named []look) {
	for _, w := range allLooks {
		if slices.Contains(strings.Fields(names), w.name) {
			named = append(named, w)
		}
	}
	return named
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
