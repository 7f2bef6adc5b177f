package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// soonEnough is how long a page may take to show what has just become so; the machine that tests run on may be busy.
const soonEnough = 20 * time.Second

// TestBrowserTheWholeWay: one person runs the slow example; another asks meanwhile, sees the place change without a reload, is called,
// runs by themself, and reads the result. The wall screen beside them shows the same.
func TestBrowserTheWholeWay(t *testing.T) {
	server := serving(t)
	wall := newVisitor(t, server.url)
	wall.open("kiosk")
	first := newVisitor(t, server.url)
	first.open("")
	first.sees(soonEnough, "In line Nobody", "Starts at once")
	first.clickExample("slow")
	first.press("Run")
	first.sees(soonEnough, "Running your query", "Cancel this run")
	number := first.number()
	wall.sees(soonEnough, "Now running "+number)

	between := newClient(server.url, nil)
	if _, err := between.join(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	second := newVisitor(t, server.url)
	second.open("")
	second.sees(soonEnough, "In line 1 person", "Running Ticket "+number)
	second.writes("#query", "SELECT 'hello from ' || 'the second' AS greeting")
	second.press("Run when it’s my turn")
	second.sees(soonEnough, "Your place in line 2", "1 person ahead of you", "Ticket "+plus(number, 2))
	second.mark()
	wall.sees(soonEnough, "2 in line", plus(number, 1), plus(number, 2))

	between.leaves(t)
	second.sees(soonEnough, "Your place in line 1", "You are next")
	second.wantMarked("when the place changed")
	wall.sees(soonEnough, "1 in line")

	first.sees(2*time.Minute, "Your result")
	second.sees(soonEnough, "Your result", "greeting", "hello from the second")
	if !strings.HasPrefix(second.path(), "/runs/") {
		t.Errorf("the result is at %s", second.path())
	}
	wall.until(soonEnough, "an empty wall screen", func() bool {
		text := wall.text()
		return !strings.Contains(text, "Now running "+number) && !strings.Contains(text, "in line")
	})
}

// clickExample follows the link to the example whose title has the word in it; the text is then in the form.
func (v *visitor) clickExample(word string) {
	v.t.Helper()
	v.click(fmt.Sprintf(`//a[contains(., %q)]`, word))
	v.until(soonEnough, "the example in the form", func() bool { return eval[string](v, `document.querySelector("#query")?.value.trim() ?? ""`) != "" })
}

// number is the number of the visitor's ticket, as the page shows it.
func (v *visitor) number() string {
	return eval[string](v, `document.querySelector(".ticket.mine b")?.textContent ?? ""`)
}

// plus is the number of a later ticket.
func plus(number string, more int) string {
	n := 0
	fmt.Sscan(number, &n)
	return fmt.Sprint(n + more)
}

// mark leaves a mark in the page, which a reload would wipe out.
func (v *visitor) mark() {
	v.t.Helper()
	if eval[bool](v, `window.marked = true`) != true {
		v.t.Fatal("the page could not be marked")
	}
}

func (v *visitor) wantMarked(when string) {
	v.t.Helper()
	if !eval[bool](v, `window.marked === true`) {
		v.t.Errorf("the page was loaded again %s", when)
	}
}
