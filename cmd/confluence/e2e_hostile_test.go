package main

import (
	"strings"
	"testing"
)

// hostile is what somebody writes who wants to run a script in another's page, or break a page. It is fine SQL.
const hostile = "SELECT '</script><script>window.broken=1</script>' AS \"<img src=x onerror=window.broken=1>\", '<!--' AS c, " +
	"'\u2028' AS ls, '\"''>&amp;' AS q, 'javascript:window.broken=1' AS link -- </textarea></pre><script>window.broken=1</script>"

// TestBrowserScriptInQuery: the text and what comes of it stand literally on every page, and nothing of it runs. (The visitor's own end
// checks that no page violated its policy.)
func TestBrowserScriptInQuery(t *testing.T) {
	server := serving(t)
	v := newVisitor(t, server.url)
	wantKept := func(page string) {
		t.Helper()
		v.until(soonEnough, "the text on "+page, func() bool {
			return strings.TrimPrefix(eval[string](v, `document.querySelector("pre.kept")?.textContent ?? ""`), "\n") == hostile
		})
	}
	whole := func(page string) {
		t.Helper()
		if eval[bool](v, `window.broken === 1`) {
			t.Errorf("%s: a script ran", page)
		}
	}

	v.open("")
	v.writes("#query", strings.Replace(hostile, " -- ", " FROM \"<script>window.broken=1</script>\" -- ", 1))
	v.press("Run")
	v.sees(soonEnough, "no such table: <script>window.broken=1</script>")
	whole("the form with a fault")

	release := holdTheSlot(t.Context(), t, server)
	v.asksAndWaits(hostile)
	wantKept("the waiting room")
	whole("the waiting room")
	v.unticks(byItself)
	release()
	v.sees(soonEnough, "It’s your turn")
	v.holds(hostile)
	whole("the turn")
	v.press("Run my query")
	v.sees(soonEnough, "Your result", "</script><script>window.broken=1</script>", "<img src=x onerror=window.broken=1>", "<!--", `"'>&amp;`, "javascript:window.broken=1")
	wantKept("the result")
	whole("the result")
	v.click(`//a[normalize-space()="Ask again with this text"]`)
	v.holds(hostile)
	whole("the form, again")
}
