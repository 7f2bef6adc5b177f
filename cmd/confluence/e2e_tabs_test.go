package main

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserClosedTabs is the case closed-tabs: of five waiters the first and the third close their pages, and the fourth's client dies.
// Each is gone within the heartbeat; the second is first then, the fifth second, and both saw it without a reload.
func TestBrowserClosedTabs(t *testing.T) {
	server := serving(t, "--queue-heartbeat-seconds=4")
	release := holdTheSlot(t.Context(), t, server)
	defer release()
	waiter := func() *visitor {
		v := newVisitor(t, server.url)
		v.asksAndWaits("SELECT 1 AS one")
		return v
	}
	first, second, third := waiter(), waiter(), waiter()
	life, die := context.WithCancel(t.Context())
	defer die()
	fourth := newClient(server.url, nil)
	if _, err := fourth.join(life, ""); err != nil {
		t.Fatal(err)
	}
	dead := make(chan error, 1)
	go func() { dead <- fourth.follow(life, func(standing) bool { return false }) }()
	fifth := waiter()
	second.sees(soonEnough, "Your place in line 2")
	fifth.sees(soonEnough, "Your place in line 5")
	second.mark()
	fifth.mark()

	first.closes()
	third.closes()
	die()
	<-dead
	second.sees(soonEnough, "Your place in line 1", "You are next")
	fifth.sees(soonEnough, "Your place in line 2")
	second.wantMarked("while others left")
	fifth.wantMarked("while others left")
}

// closes closes the tab.
func (v *visitor) closes() {
	v.t.Helper()
	if err := chromedp.Cancel(v.ctx); err != nil {
		v.t.Fatal(err)
	}
}
