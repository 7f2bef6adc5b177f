package main

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestBackNeverResubmits: Back and Reload, wherever one is, make no second ticket and no second run, and lead to what is true; with scripts
// and without.
func TestBackNeverResubmits(t *testing.T) {
	for _, way := range []struct {
		name   string
		script bool
	}{{"with scripts", true}, {"without", false}} {
		t.Run(way.name, func(t *testing.T) { backAndReload(t, way.script) })
	}
}

func backAndReload(t *testing.T, script bool) {
	const query = "SELECT 'once' AS times"
	server := serving(t)
	release := holdTheSlot(t.Context(), t, server)
	onlooker := newClient(server.url, nil)
	waiting := func(want int) {
		t.Helper()
		p, err := onlooker.picture(t.Context())
		if err != nil || p.Length != want {
			t.Fatalf("%d in line, %v; want %d", p.Length, err, want)
		}
	}
	v := newVisitor(t, server.url)
	if !script {
		v.withoutScript()
	}
	v.asksAndWaits(query)
	number := v.number()
	v.back()
	v.holds(query)
	waiting(1)
	v.reload()
	v.sees(soonEnough, "You are in line already", number)
	v.open("wait")
	v.reload()
	v.sees(soonEnough, "Your place in line 1")
	if got := v.number(); got != number {
		t.Errorf("ticket %s became %s", number, got)
	}
	waiting(1)

	release()
	if !script {
		v.sees(soonEnough, "It’s your turn")
		v.press("Run my query")
	}
	v.sees(soonEnough, "Your result", "once")
	result := v.path()
	v.back()
	v.until(soonEnough, "the page before", func() bool { return v.path() != result })
	v.settled()
	v.reload()
	v.hasRun(1)
	v.open(result[1:])
	v.reload()
	v.sees(soonEnough, "Your result", "once")
	waiting(0)
}

// back goes one page back.
func (v *visitor) back() {
	v.t.Helper()
	v.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		history, err := cdp.Call(ctx, t, page.GetNavigationHistory, cdp.Empty{})
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, t, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: history.Entries[history.CurrentIndex-1].ID})
		return err
	}))
	v.settled()
}
