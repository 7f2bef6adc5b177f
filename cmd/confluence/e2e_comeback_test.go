package main

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPageComesBackAfterARestart: a waiting room in a browser says that Confluence restarts, and what becomes of the place; it comes back by itself,
// without being loaded again: with a data folder at the same place, without one to an offer to join again, with the text.
func TestPageComesBackAfterARestart(t *testing.T) {
	for _, c := range []struct {
		name, says string
		lasting    bool
	}{{"with a data folder", "Your place is kept.", true}, {"in memory", "you may have to join again.", false}} {
		t.Run(c.name, func(t *testing.T) {
			data := ""
			if c.lasting {
				data = dataWithDemo(t)
			}
			settings := []string{"--data-dir=" + data, "--runner=command", `--command=["/bin/sleep","600"]`, "--session-keys=" + strings.Repeat("k", 32)}
			p := launch(t, append(settings, "--addr=127.0.0.1:0", "--drain-seconds=4")...)
			p.untilHealthy(t)
			runs := newClient(p.url, nil)
			go runs.query(t.Context(), "first")
			eventually(t, soonEnough, "the run to go", func() bool {
				now, err := runs.picture(t.Context())
				return err == nil && now.Runner == "running"
			})
			if _, err := newClient(p.url, nil).join(t.Context(), "second"); err != nil {
				t.Fatal(err)
			}
			v := newVisitor(t, p.url)
			v.open("")
			v.writes("#query", "mine")
			v.press("Run when it’s my turn")
			v.until(soonEnough, "the waiting room, live", func() bool {
				return v.path() == "/wait" && eval[bool](v, `document.querySelector("#signal.live") !== null`)
			})
			place := eval[string](v, `document.querySelector("main").dataset.place + " of ticket " + document.querySelector("main").dataset.number`)
			eval[int](v, `window.mark = 1`)

			p.signal(t, syscall.SIGTERM)
			v.sees(soonEnough, "Confluence is restarting, and this page comes back by itself", c.says)
			p.exitCode(t, 20*time.Second)
			address := strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/")
			p = launch(t, append(settings, "--addr="+address)...)
			p.untilHealthy(t)
			defer func() {
				v.mu.Lock()
				defer v.mu.Unlock()
				v.troubles = slices.DeleteFunc(v.troubles, func(s string) bool { return strings.Contains(s, "WebSocket connection") }) // while nobody was there
			}()
			if !c.lasting {
				v.sees(40*time.Second, "join again")
				v.until(soonEnough, "the text, not lost", func() bool { return strings.Contains(eval[string](v, `document.body.innerHTML`), "mine") })
				return
			}
			// The run was interrupted, and who was next is called.
			v.until(40*time.Second, "the waiting room, live again", func() bool {
				return eval[bool](v, `document.querySelector("#signal.live") !== null`)
			})
			if mark := eval[int](v, `window.mark`); mark != 1 {
				t.Error("the page was loaded again")
			}
			if now := eval[string](v, `document.querySelector("main").dataset.place + " of ticket " + document.querySelector("main").dataset.number`); now != place {
				t.Errorf("%s, and then %s", place, now)
			}
			v.sees(soonEnough, "Ticket 3")
		})
	}
}
