package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

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
