package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"confluence/views/i18n"
)

// TestBrowserWallScreen is the case wall-screen: the server goes away and comes back, then with another build. The screen says at once since
// when it is offline, shows no old numbers, heals by itself, and loads the new build.
func TestBrowserWallScreen(t *testing.T) {
	address := freeAddress(t)
	data := dataWithDemo(t)
	args := []string{"serve", "--addr=" + address, "--data-dir=" + data, "--public-url=http://" + address}
	p := launch(t, args...)
	p.untilHealthy(t)
	joining(t, p, 3)
	wall := newVisitor(t, p.url)
	wall.lonely = true
	wall.open("kiosk")
	wall.sees(soonEnough, "Your turn 1", "2 in line", "Scan, or open "+address)
	wall.settled()
	if width := eval[int](wall, `document.querySelector(".ask img")?.naturalWidth ?? 0`); width == 0 {
		t.Error("the code that leads to the form is no picture")
	}

	p.signal(t, syscall.SIGKILL)
	wall.sees(3*time.Second, "Offline since "+time.Now().Format("15:04")[:3], "so it shows no numbers")
	for _, old := range []string{"Your turn", "in line", "Next"} {
		if strings.Contains(wall.text(), old) {
			t.Errorf("%q is still shown:\n%s", old, wall.text())
		}
	}
	wall.mark()
	<-p.exited
	again := launch(t, args...)
	again.untilHealthy(t)
	wall.sees(30*time.Second, "2 in line")
	wall.wantMarked("for the same build")

	eval[bool](wall, `(document.body.dataset.build = "older", true)`)
	wall.until(soonEnough, "the new build to be loaded", func() bool {
		return !eval[bool](wall, `window.marked === true`) && strings.Contains(wall.text(), "2 in line")
	})
}

// TestBrowserKioskContrast: every word on the wall has a contrast of 7:1 or more, in either theme, and none is smaller than can be read from
// five metres.
func TestBrowserKioskContrast(t *testing.T) {
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			server := serving(t)
			wall := newVisitor(t, server.url)
			wall.lonely = true
			wall.viewport(1920, 1080)
			wall.open("kiosk?chime=1&theme=" + theme)
			wall.dark(theme == "light") // the address has the last word
			wall.sees(soonEnough, "Starts at once")
			wall.readableFromAfar(theme + ", idle")
			release := holdTheSlot(t.Context(), t, server)
			joining(t, server, 9)
			wall.sees(soonEnough, "Now running", "9 in line")
			wall.readableFromAfar(theme + ", running")
			release()
			wall.sees(soonEnough, "Your turn")
			wall.readableFromAfar(theme + ", called")
			server.signal(t, syscall.SIGTERM)
			wall.sees(soonEnough, "Offline since")
			wall.readableFromAfar(theme + ", offline")
			server.exitCode(t, soonEnough) // a second signal would stop it at once
		})
	}
}

// readableFromAfar: on a screen of 1920 by 1080 letters have 38 pixels or more, which is 2 cm on a wall screen of a metre's width.
func (v *visitor) readableFromAfar(name string) {
	v.t.Helper()
	v.settled()
	contrasts := eval[map[string]float64](v, contrasts)
	if len(contrasts) < 4 {
		v.t.Errorf("%s: contrasts of %v alone were measured", name, contrasts)
	}
	for words, contrast := range contrasts {
		if contrast < 7 {
			v.t.Errorf("%s: the contrast of %q is %.2f:1", name, words, contrast)
		}
	}
	if small := eval[[]string](v, smallWords); len(small) > 0 {
		v.t.Errorf("%s: too small: %q", name, small)
	}
}

const (
	// contrasts measures each word against the nearest colour behind it: a ticket's own, and in the band the water with a stream across it.
	contrasts = `(() => {
	const paint = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
	const mixed = (...colours) => {
		paint.clearRect(0, 0, 1, 1);
		for (const colour of colours) { paint.fillStyle = colour; paint.fillRect(0, 0, 1, 1); }
		return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3).map(c => c / 255);
	};
	const luminance = (colour) => colour.map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
	const behind = (at) => {
		if (at.matches(".ticket")) return [getComputedStyle(at).getPropertyValue("--fill")];
		const colour = getComputedStyle(at).backgroundColor;
		if (colour === "rgba(0, 0, 0, 0)") return behind(at.parentElement);
		return at.matches(".band") ? [colour, "#ffffff1a"] : [colour];
	};
	const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	const found = {};
	while (words.nextNode()) {
		const at = words.currentNode.parentElement;
		if (words.currentNode.data.trim() === "" || !at.checkVisibility() || at.closest(".spoken")) continue;
		const [text, ground] = [luminance(mixed(getComputedStyle(at).color)), luminance(mixed(...behind(at)))];
		found[words.currentNode.data] = (Math.max(text, ground) + .05) / (Math.min(text, ground) + .05);
	}
	return found;
	})()`
	smallWords = `(() => {
	const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	const small = [];
	while (words.nextNode()) {
		const at = words.currentNode.parentElement;
		if (words.currentNode.data.trim() === "" || !at.checkVisibility() || at.closest(".spoken, button")) continue;
		if (parseFloat(getComputedStyle(at).fontSize) < 38) small.push(words.currentNode.data);
	}
	return small;
	})()`
)

// TestBrowserKioskChime: a screen whose address asks for it sounds at a call, once, and asks for a press where the browser wants one.
func TestBrowserKioskChime(t *testing.T) {
	server := serving(t)
	release := holdTheSlot(t.Context(), t, server)
	joining(t, server, 2)
	wall, silent := newVisitor(t, server.url), newVisitor(t, server.url)
	for _, v := range []*visitor{wall, silent} {
		v.beforeScripts(countNotes)
	}
	silent.open("kiosk")
	wall.open("kiosk?chime=1")
	wall.sees(soonEnough, "Let the chime sound", "2 in line")
	silent.sees(soonEnough, "2 in line")
	if strings.Contains(silent.text(), "chime") {
		t.Error("a chime is offered where nobody asked for one")
	}
	wall.press("Let the chime sound")
	wall.until(soonEnough, "the button to go", func() bool { return !strings.Contains(wall.text(), "chime") })
	release()
	wall.sees(soonEnough, "Your turn")
	silent.sees(soonEnough, "Your turn")
	if n, none := eval[int](wall, `window.notes`), eval[int](silent, `window.notes`); n != 2 || none != 0 {
		t.Errorf("%d notes were played, want the two of one chime; and %d where nobody asked", n, none)
	}
}

// countNotes counts what is played.
const countNotes = `window.notes = 0;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...at) { window.notes++; return start.apply(this, at); };`

// TestBrowserKioskSoak is a day of a screen on the wall in fast time: thousands of pictures, every state among them. Its memory and its
// document stay as they were.
func TestBrowserKioskSoak(t *testing.T) {
	server := serving(t)
	wall := newVisitor(t, server.url)
	wall.beforeScripts(fastDay)
	wall.open("kiosk?chime=1")
	wall.until(soonEnough, "the screen to listen", func() bool { return eval[bool](wall, `window.sockets?.length > 0`) })
	pictures := func(n int) {
		t.Helper()
		wall.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("pictures(%d)", n)))
	}
	pictures(2_000)
	nodes, listeners, heap := wall.weight()
	pictures(20_000) // every 15 seconds makes 5,760 a day; the rest are changes
	nodesAfter, listenersAfter, heapAfter := wall.weight()
	t.Logf("before: %d nodes, %d listeners, %.0f bytes; after 20,000 pictures: %d, %d, %.0f", nodes, listeners, heap, nodesAfter, listenersAfter, heapAfter)
	if nodesAfter > nodes+50 || listenersAfter > listeners || heapAfter > heap+256<<10 {
		t.Error("the screen grows")
	}
}

// fastDay puts a socket in place of the real one, and makes the pictures that the test sends through it. What ticks every second ticks with
// each picture.
const fastDay = `window.sockets = [];
window.WebSocket = class { static OPEN = 1; constructor() { this.readyState = 1; sockets.push(this); } close() {} };
const ticking = [];
window.setInterval = (tick) => ticking.push(tick);
window.pictures = (n) => {
	for (let i = 0; i < n; i++) {
		const many = (from, length) => Array.from({length}, (_, k) => from + k);
		const socket = sockets.at(-1);
		socket.onmessage?.({data: JSON.stringify({type: "queue", slots: 1 + i % 4, runner: i % 97 ? "running" : "unavailable", length: i % 300,
			serving: many(i, i % 4), called: many(i + 4, i % 3), next: many(i + 7, i % 11), paused: i % 89 === 0, notice: i % 50 ? null : "Notice " + i,
			wait: {low_seconds: i % 500, likely_seconds: i % 500 + 60, high_seconds: i % 500 + 200, basis: "history"}, revision: i,
			free: false, full: i % 101 === 0, run_elapsed_seconds: i % 200, usual_low_seconds: 20, usual_high_seconds: 90, build: document.body.dataset.build})});
		if (i % 500 === 499) socket.onclose?.({code: 1006});
		if (i % 500 === 499) window.dispatchEvent(new Event("online"));
		for (const tick of ticking) tick();
	}
	sockets.splice(0, sockets.length - 1);
};`

// weight is what the page weighs after everything that can go has gone.
func (v *visitor) weight() (nodes, listeners int64, heap float64) {
	v.t.Helper()
	v.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for range 3 {
			if _, err := cdp.Call(ctx, t, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
				return err
			}
		}
		counts, err := cdp.Call(ctx, t, memory.GetDOMCounters, cdp.Empty{})
		if err != nil {
			return err
		}
		usage, err := cdp.Call(ctx, t, runtime.GetHeapUsage, cdp.Empty{})
		if err != nil {
			return err
		}
		nodes, listeners, heap = counts.Nodes, counts.JsEventListeners, usage.UsedSize
		return nil
	}))
	return nodes, listeners, heap
}

// beforeScripts runs a script in each page that is opened from now on, before the page's own.
func (v *visitor) beforeScripts(script string) {
	v.t.Helper()
	v.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	}))
}

// freeAddress is one on which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// TestBrowserWallAwayForLong: ten minutes without a server, by the screen's clock, which runs sixty times as fast as ours. All that time it says
// since when, and no number; then it heals by itself, in the language that its address asks for.
func TestBrowserWallAwayForLong(t *testing.T) {
	address := freeAddress(t)
	args := []string{"serve", "--addr=" + address, "--data-dir=" + dataWithDemo(t)}
	p := launch(t, args...)
	p.untilHealthy(t)
	joining(t, p, 3)
	german := i18n.ByCode("de")
	wall := newVisitor(t, p.url)
	wall.lonely = true
	wall.beforeScripts(fastClock(60))
	wall.open("kiosk?lang=de&theme=dark")
	wall.sees(soonEnough, german.Say("kiosk.inLine", "n", 2))
	p.signal(t, syscall.SIGKILL)
	<-p.exited
	offline := german.Say("kiosk.offline.words")
	wall.sees(soonEnough, offline)
	left := eval[float64](wall, `performance.now()`)
	wall.until(soonEnough, "ten minutes of the screen's clock", func() bool {
		if text := wall.text(); strings.Contains(text, german.Say("kiosk.inLine", "n", 2)) || !strings.Contains(text, offline) {
			t.Fatalf("while the server is away the screen shows:\n%s", text)
		}
		return eval[float64](wall, `performance.now()`) > left+600_000
	})
	eval[bool](wall, `slowly()`) // the server's clock doesn't run so fast either
	again := launch(t, args...)
	again.untilHealthy(t)
	wall.sees(30*time.Second, german.Say("kiosk.inLine", "n", 2))
	if theme := eval[string](wall, `document.body.dataset.theme ?? document.documentElement.dataset.theme ?? ""`); theme != "dark" {
		t.Errorf("the theme is %q", theme)
	}
}
