package main

import (
	"strings"
	"testing"
)

// TestBrowserWithoutScript is the whole way with JavaScript off: plain forms, redirects, and pages that refresh themselves.
func TestBrowserWithoutScript(t *testing.T) {
	server := serving(t, "--queue-heartbeat-seconds=6")
	release := holdTheSlot(t.Context(), t, server)
	v := newVisitor(t, server.url)
	v.withoutScript()
	v.open("")
	v.sees(soonEnough, "Running Ticket")
	v.writes("#query", "SELECT nmae FROM branches")
	v.press("Run when it’s my turn")
	v.sees(soonEnough, "no such column: nmae")
	v.writes("#query", "SELECT 'no script' AS said")
	v.press("Run when it’s my turn")
	v.sees(soonEnough, "Your place in line 1", "While you wait")
	if text := v.text(); strings.Contains(text, "Start my query by itself") {
		t.Errorf("a box that needs script is shown:\n%s", text)
	}

	wall := newVisitor(t, server.url)
	wall.withoutScript()
	wall.open("kiosk")
	wall.sees(soonEnough, "1 in line")

	release()
	v.sees(soonEnough, "It’s your turn")
	wall.sees(soonEnough, "Your turn "+v.number())
	v.press("Run my query")
	v.sees(soonEnough, "Your result", "no script")

	v.open("")
	v.writes("#query", endlessQuery)
	v.press("Run")
	v.sees(soonEnough, "Running your query")
	v.press("Cancel this run")
	v.sees(soonEnough, "Cancelled")
}

// TestBrowserWithoutScriptLeaves: the way out of the line is a plain form too.
func TestBrowserWithoutScriptLeaves(t *testing.T) {
	server := serving(t)
	release := holdTheSlot(t.Context(), t, server)
	defer release()
	v := newVisitor(t, server.url)
	v.withoutScript()
	v.asksAndWaits("SELECT 1")
	v.press("Leave the line")
	v.until(soonEnough, "the form", func() bool { return v.path() == "/" })
	if p, err := newClient(server.url, nil).picture(t.Context()); err != nil || p.Length != 0 {
		t.Errorf("the picture is %+v, %v", p, err)
	}
}
