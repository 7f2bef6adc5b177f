package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium is one browser process for all tests; each visitor has a profile of its own in it.
var chromium struct {
	sync.Once
	ctx   context.Context
	close func()
	err   error
}

// closeChromium ends the browser, if one was started.
func closeChromium() {
	if chromium.close != nil {
		chromium.close()
	}
}

func startChromium() error {
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		return errors.New("these tests need Chromium: make tools installs it, or apt-get install chromium")
	}
	profile, err := os.MkdirTemp("", "confluence-chromium-")
	if err != nil {
		return err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.UserDataDir(profile), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("lang", "en-US"),
		chromedp.WSURLReadTimeout(time.Minute))
	allocator, release := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	chromium.ctx = ctx
	chromium.close = func() {
		cancel()
		release()
		os.RemoveAll(profile)
	}
	return chromedp.Do(ctx) // starts it
}

// visitor is one person with a browser of their own: a profile, so a session, and one tab.
type visitor struct {
	t    *testing.T
	ctx  context.Context
	base string

	lonely bool // the server goes away meanwhile: a refused connection is no trouble

	mu       sync.Mutex
	troubles []string // violations of the policy, exceptions, errors in the console
}

// newVisitor opens a tab in a new profile. At the end of the test nothing may have gone wrong in it: no violation of the
// Content-Security-Policy, no exception, no error in the console.
func newVisitor(t *testing.T, base string) *visitor {
	t.Helper()
	chromium.Do(func() { chromium.err = startChromium() })
	if chromium.err != nil {
		t.Fatal(chromium.err)
	}
	return visitorIn(t, base, chromium.ctx, chromedp.WithNewBrowserContext())
}

// tab opens a second tab of the same visitor.
func (v *visitor) tab() *visitor {
	v.t.Helper()
	return visitorIn(v.t, v.base, v.ctx)
}

func visitorIn(t *testing.T, base string, parent context.Context, options ...chromedp.ContextOption) *visitor {
	t.Helper()
	ctx, cancel := chromedp.NewContext(parent, options...)
	v := &visitor{t: t, ctx: ctx, base: base}
	t.Cleanup(func() {
		cancel()
		v.mu.Lock()
		defer v.mu.Unlock()
		for _, trouble := range v.troubles {
			t.Errorf("in the browser: %s", trouble)
		}
	})
	v.watch()
	v.viewport(1280, 900)
	return v
}

func (v *visitor) watch() {
	v.t.Helper()
	err := chromedp.Listen(v.ctx, func(event any) {
		switch event := event.(type) {
		case *runtime.EventExceptionThrown:
			v.trouble("exception: %s %s", event.ExceptionDetails.Text, event.ExceptionDetails.URL)
		case *cdplog.EventEntryAdded:
			if event.Entry.Level == cdplog.EntryLevelError && !expected(event.Entry) && !(v.lonely && unreachable(event.Entry)) {
				v.trouble("%s: %s %s", event.Entry.Source, event.Entry.Text, event.Entry.URL)
			}
		}
	})
	if err != nil {
		v.t.Fatal(err)
	}
	v.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, cdplog.Enable, cdp.Empty{})
		return err
	}))
}

// expected are entries that tell of an answer with a status that the page is about: a full line, a faulty query, an end.
func expected(entry *cdplog.Entry) bool {
	return entry.Source == cdplog.EntrySourceNetwork && strings.HasPrefix(entry.Text, "Failed to load resource: the server responded with a status of")
}

// unreachable are entries that tell of a server that isn't there.
// noServer are the browser's words for a server that isn't there, or went away in the middle.
var noServer = regexp.MustCompile(`net::ERR_(CONNECTION_\w+|SOCKET_NOT_CONNECTED|EMPTY_RESPONSE)`)

func unreachable(entry *cdplog.Entry) bool {
	return entry.Source == cdplog.EntrySourceNetwork && noServer.MatchString(entry.Text)
}

// forgives forgets what the browser has told so far, where the test is about just that.
func (v *visitor) forgives() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.troubles = nil
}

func (v *visitor) trouble(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.troubles = append(v.troubles, fmt.Sprintf(format, args...))
}

// do does one thing in the browser, within half a minute.
func (v *visitor) do(steps ...chromedp.Action[chromedp.Void]) {
	v.t.Helper()
	ctx, cancel := v.soon()
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		v.t.Fatalf("in the browser: %v\n%s", err, v.page())
	}
}

func (v *visitor) soon() (context.Context, context.CancelFunc) {
	return context.WithTimeout(v.ctx, 30*time.Second)
}

// open goes to a page.
func (v *visitor) open(path string) {
	v.t.Helper()
	v.do(chromedp.Navigate(v.base + path))
}

// reload loads the page again.
func (v *visitor) reload() {
	v.t.Helper()
	v.do(chromedp.Reload())
}

// eval is the value of an expression in the page; the zero value while the page is changing.
func eval[T any](v *visitor, expression string) T {
	ctx, cancel := v.soon()
	defer cancel()
	value, _ := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	return value
}

// text is what the visitor reads.
func (v *visitor) text() string {
	return strings.Join(strings.Fields(eval[string](v, `document.body ? document.body.innerText : ""`)), " ")
}

// path is where the visitor is.
func (v *visitor) path() string { return eval[string](v, `location.pathname`) }

// page describes the page for a failure.
func (v *visitor) page() string {
	return fmt.Sprintf("%s (%s)\n%s", eval[string](v, `location.href`), eval[string](v, `document.title`), v.text())
}

// sees waits until all the words are on the page.
func (v *visitor) sees(within time.Duration, words ...string) {
	v.t.Helper()
	v.until(within, fmt.Sprintf("%q on the page", words), func() bool {
		text := v.text()
		for _, part := range words {
			if !strings.Contains(text, part) {
				return false
			}
		}
		return true
	})
}

// until waits for something about the page, and shows the page if it doesn't come.
func (v *visitor) until(within time.Duration, what string, holds func() bool) {
	v.t.Helper()
	deadline, cancel := context.WithTimeout(v.ctx, within)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline.Done():
			v.t.Fatalf("waited %v in vain for %s; this is the page:\n%s", within, what, v.page())
		}
	}
}

// press clicks the button with these words.
func (v *visitor) press(words string) {
	v.t.Helper()
	v.click(fmt.Sprintf(`//button[normalize-space()=%q]`, words))
}

// click clicks what a CSS selector or an XPath finds.
func (v *visitor) click(what string) {
	v.t.Helper()
	v.do(chromedp.Click(chromedp.Search(what), chromedp.NodeVisible))
}

// writes puts a text into a field, in place of what was there.
func (v *visitor) writes(field, text string) {
	v.t.Helper()
	v.do(chromedp.SetValue(chromedp.CSS(field), text, chromedp.NodeVisible))
}

// holds waits until the field of the query has this text in it. A page that still loads shows its head first.
func (v *visitor) holds(text string) {
	v.t.Helper()
	v.until(soonEnough, fmt.Sprintf("the text %q in the field", text), func() bool {
		return eval[string](v, `document.querySelector("#query")?.value ?? ""`) == text
	})
}

func (v *visitor) viewport(width, height int64) {
	v.t.Helper()
	v.do(chromedp.EmulateViewport(width, height))
}

// dark sets whether the visitor prefers dark pages.
func (v *visitor) dark(dark bool) {
	v.t.Helper()
	v.prefers(map[bool]string{false: "light", true: "dark"}[dark], "none")
}

// prefers sets the visitor's colour scheme ("light", "dark"), and whether the system's own colours are forced on pages ("none", "active").
func (v *visitor) prefers(scheme, forced string) {
	v.t.Helper()
	v.media("", "prefers-color-scheme", scheme, "forced-colors", forced)
}

// media sets the medium ("print"; empty: the screen), and the visitor's preferences: name, value, and so on.
func (v *visitor) media(medium string, preferences ...string) {
	v.t.Helper()
	set := emulation.SetEmulatedMediaParams{Media: medium}
	for i := 0; i+1 < len(preferences); i += 2 {
		set.Features = append(set.Features, &emulation.MediaFeature{Name: preferences[i], Value: preferences[i+1]})
	}
	v.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, set)
		return err
	}))
}

// withoutScript turns JavaScript off in the pages that are opened from now on.
func (v *visitor) withoutScript() {
	v.t.Helper()
	v.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
}

// typed writes a text into a field key by key.
func typed(field, text string) chromedp.Action[chromedp.Void] {
	return chromedp.SendKeys(chromedp.CSS(field), text)
}

// fastClock has a page's clock and timers run so many times as fast as ours, until the test calls slowly() in it.
func fastClock(times int) string {
	return fmt.Sprintf(`{
	let fast = %d, base = 0, since = 0;
	const now = performance.now.bind(performance), wait = setTimeout, every = setInterval;
	performance.now = () => base + (now() - since) * fast;
	window.setTimeout = (f, ms, ...rest) => wait(f, Math.max(ms / fast, 20), ...rest);
	window.setInterval = (f, ms, ...rest) => every(f, Math.max(ms / fast, 20), ...rest);
	window.slowly = () => { base = performance.now(); since = now(); fast = 1; return true; };
}
`, times)
}
