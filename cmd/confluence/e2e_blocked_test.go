package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestSocketsBlocked: something on the way lets no websocket through, and doesn't say so either. The page asks over HTTP: place and turn are
// kept for longer than the heartbeat, and nobody is told of a lost connection.
func TestSocketsBlocked(t *testing.T) {
	server := serving(t, "--queue-heartbeat-seconds=9")
	release := holdTheSlot(t.Context(), t, server)
	through := proxyTo(t, server)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/live") {
			<-r.Context().Done()
			return
		}
		through.ServeHTTP(w, r)
	}))
	defer front.Close()
	ahead := newClient(server.url, nil)
	if _, err := ahead.join(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	stay, leave := context.WithCancel(t.Context())
	defer leave()
	go func() { _ = ahead.follow(stay, func(standing) bool { return false }) }()

	v := newVisitor(t, front.URL+"/")
	v.lonely = true
	v.beforeScripts(watchWords)
	v.asksAndWaits("SELECT 'all the same' AS said")
	number := v.number()
	v.mark()
	v.sees(soonEnough, "Your place in line 2")
	opened := time.Now()
	v.until(40*time.Second, "two heartbeats and the first socket's end", func() bool {
		return time.Since(opened) > 20*time.Second && strings.Contains(v.text(), "Your place in line 2")
	})
	leave()
	ahead.leaves(t)
	v.sees(30*time.Second, "Your place in line 1", "You are next", number)
	v.wantMarked("while it had no socket")
	if worries := eval[[]string](v, `worries`); len(worries) > 0 {
		t.Errorf("the page spoke of %q", worries)
	}
	release()
	v.sees(40*time.Second, "Your result", "all the same")
}

// TestPhoneWakes: a page is frozen, as by a phone in a pocket, while its turn comes and passes. Awake it tells what became of it within seconds.
func TestPhoneWakes(t *testing.T) {
	server := serving(t, "--queue-reservation-seconds=3")
	release := holdTheSlot(t.Context(), t, server)
	v := newVisitor(t, server.url)
	v.lonely = true
	v.asksAndWaits("SELECT 1")
	v.unticks(byItself)
	v.sleeps(page.SetWebLifecycleStateStateFrozen)
	release()
	onlooker := newClient(server.url, nil)
	eventually(t, soonEnough, "the turn to pass", func() bool {
		p, err := onlooker.picture(t.Context())
		return err == nil && p.Runner == "idle" && p.Length == 0
	})
	v.sleeps(page.SetWebLifecycleStateStateActive)
	v.sees(10*time.Second, "Your turn has passed", "Your query did not run")
	v.forgives() // the browser tells of the socket that froze with the page
}

// sleeps freezes or wakes the page.
func (v *visitor) sleeps(state page.SetWebLifecycleStateState) {
	v.t.Helper()
	v.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state})
		return err
	}))
}
