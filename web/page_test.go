package web

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue"
	"confluence/views/i18n"
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
	messages := regexp.MustCompile(`<script id="messages" type="application/json">[^<]*</script>`)
	literal := regexp.MustCompile(`(?i)<script[^>]*>[^<]+|<img src=x|onerror=alert\(3\)>|href="javascript:|</textarea></pre>`)
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, func(c *queue.Config, _ *Options) { c.MaxLength = 1 })
		visitor, other := site.visitor(), site.visitor()
		check := func(name string, page pageAnswer, status int) {
			t.Helper()
			if page.status != status {
				t.Fatalf("%s: status %d, want %d", name, page.status, status)
			}
			if found := literal.FindString(messages.ReplaceAllString(page.body, "")); found != "" {
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
			visitor.get("/problems/"+row.code).shows(t, 200, row.code, html.EscapeString(i18n.English.Say("problem."+row.code)))
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
