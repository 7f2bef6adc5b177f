package web

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue"
)

// pageRunOf makes a visitor's query run and gives the address of its page.
func pageRunOf(t *testing.T, v *pageVisitor, text string) string {
	t.Helper()
	answer := v.post("/query", "query", text)
	v.goes(answer, "/runs/").shows(t, http.StatusOK)
	return answer.location
}

func TestWholeWayWithoutScript(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		first, second := site.visitor(), site.visitor()

		first.get("/").shows(t, 200, "Ask the test", "Nobody", "Starts at once", `action="/query"`, "/?example=2")
		address := pageRunOf(t, first, "hold one")
		first.get(address).shows(t, 200, "Running your query", "hold one", `action="`+address+`/cancel"`, `http-equiv="refresh"`)

		second.get("/").shows(t, 200, "Running", "Ticket 1", "Run when it’s my turn", "You would get place 1")
		waiting := second.goes(second.post("/query", "query", "two\r\nlines"), "/wait")
		waiting.shows(t, 200, "Your place in line", "You are next", "Ticket <b>2</b>", "two\nlines", `content="10"`, `action="/leave"`)
		time.Sleep(20 * time.Second)
		second.get("/wait").shows(t, 200, "You are next")

		site.runner.release("hold one")
		synctest.Wait()
		first.get(address).shows(t, 200, "Your result", "1", "hold one", "/?again=")
		second.get("/wait").shows(t, 200, "your turn", "Run my query", `action="/claim"`, "two\nlines")
		result := second.goes(second.post("/claim", "query", "two\r\nchanged lines"), "/runs/")
		result.shows(t, 200, "two\nchanged lines")

		if got, want := site.runner.texts(), []string{"hold one", "two\nchanged lines"}; !slices.Equal(got, want) {
			t.Errorf("ran %q, want %q", got, want)
		}
		second.goes(second.get("/wait"), "/runs/").shows(t, 200, "Your result")
		again := regexp.MustCompile(`/\?again=[A-Za-z0-9_-]+`).FindString(result.body)
		second.get(again).shows(t, 200, "two\nchanged lines</textarea>")
		first.get(again).shows(t, 200, "</textarea>")
		if strings.Contains(first.get(again).body, "changed lines") {
			t.Error("a stranger reads the text of a run")
		}
	})
}

// look-first: visits, link previews and crawlers see the line and make no ticket.
func TestLookFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		pageRunOf(t, site.visitor(), "hold")
		site.visitor().post("/query", "query", "waiting")
		visitor := site.visitor()
		for range 2 { // without and with a session
			visitor.get("/").shows(t, 200, "In line", "1 person", "If you join now", "You would get place 2")
			visitor.get("/kiosk").shows(t, 200, "Now running", "If you join now", "1 in line")
			for _, path := range []string{"/wait", "/claim", "/query", "/leave", "/runs/r_1", "/problems/busy", "/?example=1", "/live"} {
				visitor.get(path)
				visitor.send(visitor.request(http.MethodHead, path, nil))
			}
		}
		picture, err := site.line.Picture(t.Context())
		if err != nil || picture.Length != 1 || len(picture.Serving) != 1 {
			t.Errorf("after looking there are %d in line and %d running (%v)", picture.Length, len(picture.Serving), err)
		}
		visitor.get("/?example=2").shows(t, 200, "example two</textarea>")
	})
}

// script-in-query: what a visitor writes is shown as it was written, on every page.
func TestScriptInQuery(t *testing.T) {
	evil := "</script><script>alert(1)</script>\n<!-- \u2028 \" ' javascript:alert(2) &amp; </textarea></pre><img src=x onerror=alert(3)>"
	literal := regexp.MustCompile(`(?i)<script[^>]*>[^<]+|<img src=x|onerror=alert\(3\)>|href="javascript:|</textarea></pre>`)
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, func(c *queue.Config, _ *Options) { c.MaxLength = 1 })
		visitor, other := site.visitor(), site.visitor()
		check := func(name string, page pageAnswer, status int) {
			t.Helper()
			if page.status != status {
				t.Fatalf("%s: status %d, want %d", name, page.status, status)
			}
			if found := literal.FindString(page.body); found != "" {
				t.Errorf("%s: %q came through", name, found)
			}
			if !strings.Contains(html.UnescapeString(page.body), evil) {
				t.Errorf("%s does not show the text as it was written\n%s", name, page.body)
			}
			if policy := page.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
				t.Errorf("%s: policy %q", name, policy)
			}
			if regexp.MustCompile(`<style|\sstyle="|\son[a-z]+="`).MatchString(page.body) {
				t.Errorf("%s: something inline", name)
			}
		}
		check("rejected", visitor.post("/query", "query", "bad "+evil), 422)
		holding := pageRunOf(t, visitor, "hold "+evil)
		check("running", visitor.get(holding), 200)
		check("again", visitor.get("/?again="+url.QueryEscape(strings.TrimPrefix(holding, "/runs/"))), 200)
		check("waiting", other.goes(other.post("/query", "query", evil), "/wait"), 200)
		check("full", site.visitor().post("/query", "query", evil), 503)
		site.runner.release("hold " + evil)
		synctest.Wait()
		check("result table", visitor.get(holding), 200)
		check("turn", other.get("/wait"), 200)
		check("rejected at the turn", other.post("/claim", "query", "bad "+evil), 422)
		check("too long", site.visitor().post("/query", "query", evil+strings.Repeat("x", pageQueryBytes)), 413)
		time.Sleep(time.Minute)
		check("expired", other.get("/wait"), 200)
		check("late claim", other.post("/claim", "query", evil+" changed"), 409)
		check("result text", other.goes(other.post("/query", "query", "say "+evil), "/runs/"), 200)
		check("failed", other.goes(other.post("/query", "query", "fail "+evil), "/runs/"), 200)

		pageRunOf(t, visitor, "hold again")
		check("waiting again", other.goes(other.post("/query", "query", evil), "/wait"), 200)
		time.Sleep(31 * time.Second)
		visitor.get("/")
		check("lost", other.get("/wait"), 200)
	})
}

func TestMistakeMovesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		visitor := site.visitor()
		visitor.post("/query", "query", "bad one").shows(t, 422, "Your query did not run", "no such thing: bad one", "bad one</textarea>", `id="fault"`)
		visitor.post("/query", "query", " \n ").shows(t, 422, "There is no query yet")
		visitor.post("/query").shows(t, 422, "There is no query yet")
		long := strings.Repeat("é", pageQueryBytes/2) + "x"
		visitor.post("/query", "query", long).shows(t, 413, "Your query is too long", "16 KiB at most", long+"</textarea>")
		longer := strings.Repeat("\n%", 2*pageQueryBytes)
		page := visitor.post("/query", "query", longer)
		page.shows(t, 413, "only its beginning is kept", longer[:pageQueryBytes]+"</textarea>")
		r := visitor.request(http.MethodPost, "/query", url.Values{"query": {"x"}})
		r.Header.Set("Content-Type", "text/plain")
		visitor.send(r).shows(t, 415)

		if texts := site.runner.texts(); len(texts) > 0 {
			t.Errorf("ran %q", texts)
		}
		if picture, _ := site.line.Picture(t.Context()); !picture.Free || picture.Length != 0 {
			t.Errorf("the line is %+v", picture)
		}
		// Nor does a mistake cost a place or a turn.
		pageRunOf(t, site.visitor(), "hold")
		visitor.goes(visitor.post("/query", "query", "good"), "/wait").shows(t, 200, "good")
		visitor.post("/query", "query", "bad two").shows(t, 422, "You are in line already: ticket 2, place 1")
		site.runner.release("hold")
		synctest.Wait()
		visitor.post("/claim", "query", "bad three").shows(t, 422, "no such thing: bad three", "bad three</textarea>", "your turn")
		visitor.post("/claim", "query", "  ").shows(t, 422, "There is no query yet")
		visitor.post("/claim", "query", long).shows(t, 413, "Your query is too long", "your turn")
		visitor.goes(visitor.post("/claim"), "/runs/").shows(t, 200, "good")
	})
}

// double-click: the same form sent many times at once is one ticket and one run.
func TestDoubleSubmit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		visitor := site.visitor()
		visitor.get("/")
		sendAll := func(path, text string) (locations []string) {
			var all sync.WaitGroup
			var mu sync.Mutex
			for range 10 {
				all.Go(func() {
					answer := visitor.post(path, "query", text)
					mu.Lock()
					defer mu.Unlock()
					if answer.status != http.StatusSeeOther {
						t.Errorf("status %d", answer.status)
					}
					locations = append(locations, answer.location)
				})
			}
			all.Wait()
			slices.Sort(locations)
			return slices.Compact(locations)
		}
		if got := sendAll("/query", "hold one"); len(got) != 1 || !strings.HasPrefix(got[0], "/runs/") {
			t.Errorf("led to %q", got)
		}
		other := visitor
		visitor = site.visitor()
		visitor.get("/")
		if got := sendAll("/query", "hold two"); !slices.Equal(got, []string{"/wait"}) {
			t.Errorf("led to %q", got)
		}
		if picture, _ := site.line.Picture(t.Context()); picture.Length != 1 {
			t.Errorf("%d in line", picture.Length)
		}
		site.runner.release("hold one")
		synctest.Wait()
		for _, location := range sendAll("/claim", "hold two") {
			if location != "/wait" && !strings.HasPrefix(location, "/runs/") {
				t.Errorf("led to %q", location)
			}
		}
		visitor.goes(visitor.get("/wait"), "/runs/").shows(t, 200, "hold two")
		if got := site.runner.texts(); !slices.Equal(got, []string{"hold one", "hold two"}) {
			t.Errorf("ran %q", got)
		}
		other.goes(other.get("/wait"), "/runs/").shows(t, 200, "hold one")
	})
}

func TestReloadBackAndSecondTabShowTheTruth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		visitor := site.visitor()
		visitor.goes(visitor.get("/wait"), "/") // nothing yet
		running := pageRunOf(t, visitor, "hold one")
		for range 3 {
			visitor.get("/").shows(t, 200, "A query of yours is running: ticket 1.", `href="`+running+`"`)
			visitor.goes(visitor.get("/wait"), running).shows(t, 200, "Running your query")
			visitor.goes(visitor.post("/query", "query", "other"), running)
			visitor.goes(visitor.post("/claim", "query", "other"), running)
		}
		waiter := site.visitor()
		waiter.goes(waiter.post("/query", "query", "mine"), "/wait")
		for range 3 {
			waiter.get("/").shows(t, 200, "You are in line already: ticket 2, place 1.", `href="/wait"`)
			waiter.get("/wait").shows(t, 200, "Ticket <b>2</b>", "mine")
			waiter.goes(waiter.post("/claim"), "/wait") // an old turn page
		}
		waiter.goes(waiter.post("/query", "query", "mine, changed"), "/wait").shows(t, 200, "Ticket <b>2</b>", "mine, changed")
		waiter.goes(waiter.post("/claim", "query", "mine, again"), "/wait").shows(t, 200, "mine, again")
		waiter.goes(waiter.post("/claim", "query", "bad"), "/wait").shows(t, 200, "mine, again")

		site.runner.release("hold one")
		synctest.Wait()
		for range 2 {
			visitor.get(running).shows(t, 200, "Your result")
			waiter.get("/").shows(t, 200, "It is your turn: ticket 2 was called.")
			waiter.get("/wait").shows(t, 200, "your turn", "mine, again")
		}
		// The form with another text uses the turn.
		waiter.goes(waiter.post("/query", "query", "mine, at last"), "/runs/").shows(t, 200, "mine, at last")
		if got := waiter.get("/").body; strings.Contains(got, "You are in line") || strings.Contains(got, "is running") {
			t.Error("a ticket that ended is still shown")
		}
	})
}

func TestPostsTwiceAreHarmless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		visitor := site.visitor()
		for range 2 { // without a session and a ticket
			visitor.goes(visitor.post("/leave"), "/")
			visitor.goes(visitor.post("/claim"), "/")
			visitor.goes(visitor.post("/wait", "auto", "on"), "/wait")
			visitor.post("/runs/r_none/cancel").shows(t, 404)
		}
		running := pageRunOf(t, visitor, "hold")
		waiter := site.visitor()
		waiter.goes(waiter.post("/query", "query", "mine"), "/wait").shows(t, 200, "checked")
		for range 2 {
			if page := waiter.goes(waiter.post("/wait", "auto", "off"), "/wait"); strings.Contains(page.body, " checked") {
				t.Error("still starts by itself")
			}
		}
		waiter.goes(waiter.post("/query", "query", "mine too"), "/wait")
		if page := waiter.get("/wait"); strings.Contains(page.body, " checked") || !strings.Contains(page.body, "mine too") {
			t.Error("a new text changed how it starts")
		}
		waiter.post("/wait", "auto", "maybe").shows(t, 415)
		script := waiter.request(http.MethodPost, "/wait", url.Values{"auto": {"on"}})
		script.Header.Set("Accept", "*/*")
		waiter.send(script).shows(t, 204)
		waiter.get("/wait").shows(t, 200, " checked")
		for range 2 {
			waiter.goes(waiter.post("/leave"), "/")
			waiter.goes(waiter.get("/wait"), "/")
			visitor.goes(visitor.post(running+"/cancel"), running).shows(t, 200, "You cancelled this run", "Ask again with this text")
		}
		site.visitor().post(running+"/cancel").shows(t, 404)
		waiter.post("/claim", "query", "my long text").shows(t, 409, "You have left the line", "my long text</textarea>")
	})
}

// A run of a page is watched by looking: a reload never stops it, and being away for too long does.
func TestRunWithoutWatcherEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		visitor := site.visitor()
		running := pageRunOf(t, visitor, "hold")
		for range 5 {
			time.Sleep(29 * time.Second)
			visitor.get(running).shows(t, 200, "Running your query")
		}
		site.visitor().get(running).shows(t, 404)
		time.Sleep(31 * time.Second)
		visitor.get(running).shows(t, 200, "nobody was watching", "Nobody watched this run for 30 seconds")
		if picture, _ := site.line.Picture(t.Context()); !picture.Free {
			t.Errorf("the slot is not free: %+v", picture)
		}
	})
}

// late-claim: refused, with the text kept and a way to rejoin, and the runner is not called.
func TestTurnThatPassed(t *testing.T) {
	for _, late := range []time.Duration{0, time.Millisecond, 10 * time.Second, 5 * time.Minute} {
		t.Run(late.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := pageOpen(t)
				pageRunOf(t, site.visitor(), "hold")
				waiter := site.visitor()
				waiter.goes(waiter.post("/query", "query", "mine"), "/wait")
				site.runner.release("hold")
				synctest.Wait()
				time.Sleep(time.Minute + late)
				waiter.post("/claim", "query", "mine, changed").shows(t, 409, "Your turn has passed", "Ticket 2 was called",
					"not started within 1 minute", "mine, changed</textarea>", "Join the line again", "The runner is free")
				waiter.get("/wait").shows(t, 200, "Your turn has passed", "mine</textarea>")
				if got := site.runner.texts(); !slices.Equal(got, []string{"hold"}) {
					t.Errorf("ran %q", got)
				}
				waiter.goes(waiter.post("/query", "query", "mine, changed"), "/runs/").shows(t, 200, "Your result")
			})
		})
	}
}

func TestPlaceThatWasLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		runner, waiter := site.visitor(), site.visitor()
		running := pageRunOf(t, runner, "hold")
		waiter.goes(waiter.post("/query", "query", "mine"), "/wait")
		for range 2 {
			time.Sleep(20 * time.Second)
			runner.get(running)
		}
		waiter.get("/wait").shows(t, 200, "Your place was given up", "more than 30 seconds", "ticket 2 left the line", "mine</textarea>")
		waiter.post("/claim", "query", "mine, changed").shows(t, 409, "Your place was given up", "mine, changed</textarea>")
		waiter.goes(waiter.post("/query", "query", "mine"), "/wait").shows(t, 200, "Ticket <b>3</b>")
	})
}

// full-house, by page.
func TestFullHouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, func(c *queue.Config, _ *Options) { c.MaxLength = 2 })
		pageRunOf(t, site.visitor(), "hold")
		waiters := []*pageVisitor{site.visitor(), site.visitor()}
		for _, waiter := range waiters {
			waiter.goes(waiter.post("/query", "query", "mine"), "/wait")
		}
		late := site.visitor()
		late.get("/").shows(t, 200, "No room")
		page := late.post("/query", "query", "too late")
		page.shows(t, 503, "The line is full", "2 people are waiting", "You have no ticket yet", "too late</textarea>", "Try again")
		if page.header.Get("Retry-After") == "" || !strings.Contains(page.body, fmt.Sprintf(`data-retry-seconds="%s"`, page.header.Get("Retry-After"))) {
			t.Errorf("retry after %q\n%s", page.header.Get("Retry-After"), page.body)
		}
		late.goes(late.get("/wait"), "/")
		waiters[0].goes(waiters[0].post("/leave"), "/")
		late.goes(late.post("/query", "query", "too late"), "/wait").shows(t, 200, "too late")
	})
}

func TestRunnerAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		away := func(is bool) {
			t.Helper()
			if err := site.line.SetRunner(t.Context(), !is); err != nil {
				t.Fatal(err)
			}
		}
		away(true)
		visitor := site.visitor()
		visitor.get("/").shows(t, 200, "the runner is not answering; places are kept")
		visitor.goes(visitor.post("/query", "query", "mine"), "/wait").shows(t, 200, "Not answering", "every place is kept")
		away(false)
		visitor.get("/wait").shows(t, 200, "your turn")
		away(true)
		time.Sleep(2 * time.Minute) // nobody loses a turn meanwhile
		visitor.goes(visitor.post("/claim", "query", "mine, changed"), "/wait").shows(t, 200, "mine, changed", "not answering")
		away(false)
		time.Sleep(59 * time.Second)
		visitor.goes(visitor.post("/claim"), "/runs/").shows(t, 200, "mine, changed")
	})
}

// cross-site: a page of another site gets nothing done in a visitor's name.
func TestCrossSitePost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		running := pageRunOf(t, site.visitor(), "hold")
		visitor := site.visitor()
		visitor.goes(visitor.post("/query", "query", "mine"), "/wait")
		origins := map[string]string{
			"http://evil.test": "cross-site", "null": "cross-site", "http://confluence.test:8080": "same-site", "https://other.confluence.test": "same-site",
		}
		for origin, fetchSite := range origins {
			for _, path := range []string{"/query", "/claim", "/leave", "/wait", running + "/cancel"} {
				for _, modern := range []bool{true, false} {
					r := visitor.request(http.MethodPost, path, url.Values{"query": {"theirs"}, "auto": {"off"}})
					r.Header.Set("Origin", origin)
					r.Header.Del("Sec-Fetch-Site")
					if modern {
						r.Header.Set("Sec-Fetch-Site", fetchSite)
					}
					visitor.send(r).shows(t, 403, "This came from another site", "Ticket 2 is safe")
				}
			}
		}
		visitor.get("/wait").shows(t, 200, "Ticket <b>2</b>", "mine", " checked")
	})
}

// other-peoples-run, by page: somebody else's run is not there.
func TestForeignRunIsNotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		owner, stranger := site.visitor(), site.visitor()
		running := pageRunOf(t, owner, "hold")
		stranger.get("/")
		theirs, unknown := stranger.get(running), stranger.get("/runs/r_0123456789abcdef")
		theirs.shows(t, 404, "There is no such page")
		id := regexp.MustCompile(`req_[A-Z0-9]+`)
		if a, b := id.ReplaceAllString(theirs.body, ""), id.ReplaceAllString(unknown.body, ""); a != b || unknown.status != 404 {
			t.Errorf("a foreign and an unknown run differ:\n%s\n%s", a, b)
		}
		stranger.post(running+"/cancel").shows(t, 404)
		owner.get(running).shows(t, 200, "Running your query")
	})
}

func TestErrorPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		visitor := site.visitor()
		visitor.get("/nowhere").shows(t, 404, "There is no such page", "req_", "Back to the form")
		visitor.get("/problems/nothing").shows(t, 404)
		refused := visitor.get("/query")
		refused.shows(t, 405, "This can’t be done here")
		if refused.header.Get("Allow") == "" {
			t.Error("405 without Allow")
		}
		for _, row := range problemCodes {
			visitor.get("/problems/"+row.code).shows(t, 200, row.code, html.EscapeString(row.title))
		}
		visitor.goes(visitor.post("/query", "query", "fail"), "/runs/").shows(t, 200, "Your query failed", "it did not work: fail")

		if err := site.line.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		page := visitor.post("/query", "query", "mine")
		page.shows(t, 503, "Confluence is restarting", `content="`+page.header.Get("Retry-After")+`; url=/wait"`)
	})
}

// A panic in a handler is our fault, said so, with what became of the ticket.
func TestOurFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		pageRunOf(t, site.visitor(), "hold")
		visitor := site.visitor()
		visitor.goes(visitor.post("/query", "query", "mine"), "/wait")
		site.runner.broken = true
		for range 2 {
			page := visitor.get("/wait")
			page.shows(t, 500, "Something broke on our side", "Ticket 2 is safe: you are still in line, at place 1.", page.header.Get("X-Request-Id"))
			if strings.Contains(page.body, "in pieces") {
				t.Error("internals reach a visitor")
			}
		}
	})
}

func TestKioskPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		visitor := site.visitor()
		visitor.get("/kiosk").shows(t, 200, "Ask the test", "confluence.test", "Starts at once")
		pageRunOf(t, visitor, "hold")
		for i := range 12 {
			site.visitor().post("/query", "query", fmt.Sprint("mine ", i))
		}
		page := visitor.get("/kiosk")
		page.shows(t, 200, "Now running", "12 in line", "<b>2</b>", "<b>11</b>")
		if strings.Contains(page.body, "mine") || page.header.Get("Set-Cookie") != "" {
			t.Error("the screen on the wall tells too much, or makes a session")
		}
	})
}
