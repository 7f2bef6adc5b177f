package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestKeyboardAlone goes the whole way with keys: each stop is seen, the way to it is short, and where the state changes the focus moves once,
// to what comes next.
func TestKeyboardAlone(t *testing.T) {
	server := serving(t, "--queue-heartbeat-seconds=60")
	release := holdTheSlot(t.Context(), t, server)
	v := newVisitor(t, server.url)
	v.beforeScripts(`window.focused = 0; document.addEventListener("focusin", (e) => e.isTrusted && focused++, true);`)
	v.open("")
	v.settled()
	v.tabsTo("Skip to content", 1)
	v.keys(kb.Enter)
	v.tabsTo("#query", 8)
	v.keys("SELECT branch FROM branches ORDER BY branch")
	v.tabsTo("Run when it’s my turn", 3)
	v.keys(kb.Enter)
	v.sees(soonEnough, "Your place in line 1", "Live, updated at")
	v.tabsTo("Leave the line", 16)
	v.keys(kb.Enter)
	v.sees(soonEnough, "Ask the library")

	v.tabsTo("#query", 12)
	v.keys("SELECT branch, seats FROM branches ORDER BY branch")
	v.tabsTo("Run when it’s my turn", 3)
	v.keys(kb.Enter)
	v.sees(soonEnough, "Your place in line 1", "Live, updated at", "Start my query by itself")
	v.tabsTo(byItself, 16)
	v.keys(" ")
	v.wantUnticked(byItself)
	release()
	v.sees(soonEnough, "It’s your turn", "Live, updated at")
	v.focusIsOn("Run my query")
	if n := eval[int](v, `focused`); n != 1 {
		t.Errorf("at the turn the focus moved %d times", n)
	}
	v.keys(kb.Enter)
	v.sees(soonEnough, "Your result")
	v.focusIsOn("Your result")
	v.tabsTo("branch", 12)
	v.keys(kb.Enter)
	v.until(soonEnough, "the table to be sorted", func() bool {
		return eval[int](v, `document.querySelectorAll("th[aria-sort=ascending], th[aria-sort=descending]").length`) == 1
	})
	v.tabsTo("Deutsch", 24)
	v.keys(kb.Enter)
	v.until(soonEnough, "the page in German", func() bool { return eval[string](v, `document.documentElement.lang`) == "de" })
}

// keys presses keys, wherever the focus is.
func (v *visitor) keys(keys string) {
	v.t.Helper()
	v.do(chromedp.KeyEvent(keys))
}

// focused names what has the focus: its id, or its words.
const focusedName = `(e => (e?.id ? "#" + e.id : "") + " " + (e?.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 60))(document.activeElement)`

func (v *visitor) isFocused(what string) bool {
	if what[0] == '#' {
		return eval[bool](v, fmt.Sprintf(`document.activeElement?.matches(%q) ?? false`, what))
	}
	return eval[bool](v, fmt.Sprintf(`(document.activeElement?.textContent ?? "").trim().replace(/\s+/g, " ") === %q`, what))
}

func (v *visitor) focusIsOn(what string) {
	v.t.Helper()
	v.until(soonEnough, "the focus on "+what, func() bool { return v.isFocused(what) })
}

// tabsTo presses Tab until something has the focus, at most so often. Each stop on the way is to be seen.
func (v *visitor) tabsTo(what string, most int) {
	v.t.Helper()
	for range most {
		v.keys(kb.Tab)
		if seen := eval[bool](v, `(e => e.matches(":focus-visible") && (getComputedStyle(e).outlineStyle !== "none" || getComputedStyle(e).boxShadow !== "none"))(document.activeElement)`); !seen && !eval[bool](v, `document.activeElement === document.body`) {
			v.t.Errorf("the focus can't be seen on %s", eval[string](v, focusedName))
		}
		if v.isFocused(what) {
			return
		}
	}
	v.t.Fatalf("%s is more than %d steps away; the focus is on %s", what, most, eval[string](v, focusedName))
}
