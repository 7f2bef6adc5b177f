package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestFormManners: a mistake takes the focus and keeps the text, what one writes is counted, and two presses are one ticket.
func TestFormManners(t *testing.T) {
	server := serving(t, "--max-query-bytes=120")
	v := newVisitor(t, server.url)
	v.open("")
	v.writes("#query", "SELECT nmae FROM branches")
	v.press("Run")
	v.sees(soonEnough, "no such column")
	v.focusIsOn("#fault")
	v.holds("SELECT nmae FROM branches")

	v.open("")
	v.settled()
	v.do(typed("#query", strings.Repeat("SELECT 1 -- ", 9)))
	v.sees(soonEnough, "108 of 120 bytes")
	v.do(typed("#query", strings.Repeat("x", 20)))
	v.sees(soonEnough, "128 of 120 bytes")
	if said := eval[string](v, `document.querySelector("#query").validationMessage`); said != "This text is too long: 128 bytes, where 120 are the most." {
		t.Errorf("of a text that is too long the field says %q", said)
	}

	release := holdTheSlot(t.Context(), t, server)
	defer release()
	v.open("")
	v.settled()
	v.writes("#query", "SELECT 1")
	v.do(chromedp.DoubleClick(chromedp.CSS("main form button.main"), chromedp.NodeVisible))
	v.sees(soonEnough, "Your place in line 1")
	if p, err := newClient(server.url, nil).picture(t.Context()); err != nil || p.Length != 1 {
		t.Errorf("two presses: %d in line, %v", p.Length, err)
	}
}

// TestStillAndPrinted: for who asked for less motion nothing moves; on paper a result is its rows, without what one presses.
func TestStillAndPrinted(t *testing.T) {
	server := serving(t)
	v := newVisitor(t, server.url)
	v.media("", "prefers-reduced-motion", "reduce")
	v.runs(endlessQuery)
	v.sees(soonEnough, "Running your query")
	if n := eval[int](v, `document.getAnimations().length`); n != 0 {
		t.Errorf("%d things move", n)
	}
	v.media("", "prefers-reduced-motion", "no-preference")
	v.until(soonEnough, "the waterline to flow", func() bool { return eval[int](v, `document.getAnimations().length`) > 0 })
	v.press("Cancel this run")
	v.sees(soonEnough, "Cancelled")

	v.runs(branchesQuery)
	v.sees(soonEnough, "Your result", "Download CSV")
	v.media("print", "prefers-color-scheme", "dark")
	text := v.text()
	if strings.Contains(text, "Download CSV") || strings.Contains(text, "My runs") || !strings.Contains(text, "Harbour") {
		t.Errorf("on paper stands:\n%s", text)
	}
}
