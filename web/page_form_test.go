package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"confluence/queue"
)

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

// case: full-house (the page's part)
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

// TestNoCookie: a browser that has not sent back the cookie of the form is told so, its text is kept, and nobody's ticket is made; once it
// keeps cookies the same press counts. Who writes a client needs no form.
func TestNoCookie(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		blocked := site.visitor()
		blocked.post("/query", "query", "hold", "page", "1").shows(t, 403, "Your browser keeps no cookie of ours", "hold</textarea>", "no ticket yet")
		if picture, _ := site.line.Picture(t.Context()); !picture.Free || len(site.runner.texts()) > 0 {
			t.Errorf("somebody without a cookie has moved the line: %+v", picture)
		}
		blocked.goes(blocked.post("/query", "query", "good", "page", "1"), "/runs/").shows(t, 200, "good")
		site.visitor().goes(site.visitor().post("/query", "query", "good"), "/runs/")
	})
}
