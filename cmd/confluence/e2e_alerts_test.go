package main

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// fakeNotifications stands for the operating system's: it counts how often the page asked for leave, and what it has shown.
const fakeNotifications = `window.asked = 0;
window.Notification = class {
	static get permission() { return localStorage.allowed ?? "default"; }
	static async requestPermission() { window.asked++; return localStorage.allowed = "granted"; }
	constructor(words, options) { localStorage.shown = (localStorage.shown ?? "") + words + "|" + options.tag + ";"; }
	close() {}
};` + countNotes + `
addEventListener("pagehide", () => localStorage.notes = Number(localStorage.notes ?? 0) + window.notes);`

// TestBrowserTurnInHiddenTab is the case turn-in-hidden-tab: nobody is asked for leave before a press; then the turn comes while another tab
// is in front: title and icon say so, the sound is heard, the notification shown; whoever comes back is at the button; and after the lapse
// there is a clear page.
func TestBrowserTurnInHiddenTab(t *testing.T) {
	server := serving(t, "--queue-reservation-seconds=15")
	release := holdTheSlot(t.Context(), t, server)
	v := newVisitor(t, server.url)
	v.beforeScripts(fakeNotifications)
	v.asksAndWaits("SELECT 'kept' AS said")
	v.unticks(byItself)
	v.wantPressed("sound", false)
	v.wantPressed("notify", false)
	if n := eval[int](v, `window.asked + window.notes`); n != 0 {
		t.Errorf("asked or played %d times before anybody pressed", n)
	}
	v.press("Play a sound")
	v.wantPressed("sound", true)
	v.press("Notify me")
	v.wantPressed("notify", true)
	v.reload()
	v.sees(soonEnough, "Your place in line 1")
	v.wantPressed("notify", true)
	v.click("#place") // any press will do for a sound that was asked for before
	v.wantPressed("sound", true)

	front := visitorIn(t, v.base, v.ctx, chromedp.WithNewWindow(false)) // in the same window
	front.open("problems/busy")
	front.toFront()
	v.until(soonEnough, "the tab to be hidden", func() bool { return eval[string](v, `document.visibilityState`) == "hidden" })
	eval[bool](v, `(localStorage.notes = -window.notes, true)`)
	release()
	v.until(soonEnough, "title and icon of the turn", func() bool {
		return strings.HasPrefix(eval[string](v, `document.title`), "Your turn:") && strings.HasSuffix(eval[string](v, `document.querySelector("#icon").href`), "icon-turn.svg")
	})
	if notes := eval[string](v, `localStorage.notes`); notes != "2" {
		t.Errorf("%s notes were heard, want the two of one chime", notes)
	}
	shown := eval[string](v, `localStorage.shown`)
	if !strings.HasPrefix(shown, "It’s your turn.|confluence-turn;") || strings.Count(shown, "|confluence-turn;") != strings.Count(shown, "|") {
		t.Errorf("the notifications are %q", shown)
	}
	v.toFront()
	v.until(soonEnough, "the button to have the focus", func() bool { return eval[string](v, `document.activeElement.id`) == "run" })
	v.sees(soonEnough, "Your turn has passed", "Your query did not run")
	v.holds("SELECT 'kept' AS said")
}

// TestBrowserAlertsAreRefused: a browser that doesn't allow notifications is believed, and the button says so.
func TestBrowserAlertsAreRefused(t *testing.T) {
	server := serving(t)
	release := holdTheSlot(t.Context(), t, server)
	defer release()
	v := newVisitor(t, server.url)
	v.beforeScripts(strings.Replace(fakeNotifications, `return localStorage.allowed = "granted"`, `return localStorage.allowed = "denied"`, 1))
	v.asksAndWaits("SELECT 1")
	v.press("Notify me")
	v.sees(soonEnough, "Notifications are blocked")
	v.wantPressed("notify", false)
}

func (v *visitor) wantPressed(button string, pressed bool) {
	v.t.Helper()
	want := map[bool]string{true: "true", false: "false"}[pressed]
	v.until(soonEnough, "the button "+button+" with aria-pressed "+want, func() bool {
		return eval[string](v, `document.getElementById("`+button+`")?.getAttribute("aria-pressed")`) == want
	})
}

// toFront has this tab shown, and the others hidden.
func (v *visitor) toFront() {
	v.t.Helper()
	v.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.BringToFront, cdp.Empty{})
		return err
	}))
}
