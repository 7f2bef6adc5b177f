package main

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// watchWords keeps, in window.worries, the words of the page that tell of a bad connection or of a failure, each once.
const watchWords = `window.worries = [];
setInterval(() => {
	const found = document.body?.innerText.match(/reconnecting|offline|last known|failed|went wrong|given up/i)?.[0].toLowerCase();
	if (found && !worries.includes(found)) worries.push(found);
}, 100);`

// TestIdleProxy is the case idle-proxy: a proxy cuts what is silent for longer than 18 s. Who waits keeps place and page, a run that writes
// nothing for longer is whole, and neither page ever speaks of a lost connection.
func TestIdleProxy(t *testing.T) {
	server := serving(t, "--runner=command", `--command=["/bin/sh","-c","sleep 24; echo done"]`, "--queue-heartbeat-seconds=30")
	way := cuttingWay(t, server, 18*time.Second)
	runs, waits := newVisitor(t, way), newVisitor(t, way)
	runs.beforeScripts(watchWords)
	waits.beforeScripts(watchWords)
	runs.runs("sleep")
	runs.sees(soonEnough, "Running your query")
	waits.asksAndWaits("sleep")
	number := waits.number()
	waits.mark()
	waits.sees(soonEnough, "You are next")
	runs.sees(40*time.Second, "Your answer", "done")
	waits.sees(soonEnough, "Running your query", number)
	for name, v := range map[string]*visitor{"who runs": runs, "who waits": waits} {
		if worries := eval[[]string](v, `worries`); len(worries) > 0 {
			t.Errorf("%s was told of %q", name, worries)
		}
	}
	waits.press("Cancel this run")
	waits.sees(soonEnough, "Cancelled")
}

// cuttingWay is the address of a way to the server on which a connection is cut that is silent, both ways, for so long.
func cuttingWay(t *testing.T, server *process, idle time.Duration) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	target := strings.TrimSuffix(strings.TrimPrefix(server.url, "http://"), "/")
	var open sync.WaitGroup
	carry := func(to, from net.Conn) {
		defer to.Close()
		defer from.Close()
		b := make([]byte, 32<<10)
		for {
			n, err := from.Read(b)
			if err != nil {
				return
			}
			for _, c := range []net.Conn{to, from} { // a word either way counts for both
				if err := c.SetReadDeadline(time.Now().Add(idle)); err != nil {
					return
				}
			}
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
	}
	open.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", target)
			if err != nil {
				near.Close()
				continue
			}
			t.Cleanup(func() { near.Close(); far.Close() })
			open.Go(func() { carry(far, near) })
			open.Go(func() { carry(near, far) })
		}
	})
	t.Cleanup(func() { listener.Close() })
	return "http://" + listener.Addr().String() + "/"
}

// TestLostIsNotFailed is the case lost-is-not-failed: the network goes while one has the turn, and while one runs. Both pages say that they
// reconnect, never that something failed; then they show the truth, and what was watched ran once.
func TestLostIsNotFailed(t *testing.T) {
	server := serving(t, "--queue-reservation-seconds=120", "--run-unwatched-seconds=120")
	release := holdTheSlot(t.Context(), t, server)
	way := newFrailWay(t, server)
	v := newVisitor(t, way.url)
	v.lonely = true
	v.beforeScripts(watchWords)
	v.asksAndWaits(streamingQuery)
	v.unticks(byItself)
	release()
	v.sees(soonEnough, "It’s your turn", "Live, updated at")
	v.lost(way, "Live, updated at")
	v.press("Run my query")
	rows := func() int { return eval[int](v, `document.querySelectorAll("tbody tr").length`) }
	v.until(soonEnough, "rows", func() bool { return rows() > 0 })
	before := rows()
	v.lost(way, "Running your query")
	v.until(soonEnough, "more rows", func() bool { return rows() > before })
	v.reload()
	v.sees(soonEnough, "Running your query", "the answer comes row by row")
	v.press("Cancel this run")
	v.sees(soonEnough, "Cancelled")
	v.hasRun(1)
}

// lost has the network go until the page says so, and come back until the page is as it was.
func (v *visitor) lost(way *frailWay, before string) {
	v.t.Helper()
	v.mark()
	way.freeze(true)
	v.sees(40*time.Second, "Reconnecting")
	way.freeze(false)
	v.until(soonEnough, "the connection", func() bool { return !strings.Contains(v.text(), "Reconnecting") })
	v.sees(soonEnough, before)
	v.wantMarked("when the network came back")
	for _, worry := range eval[[]string](v, `worries`) {
		if worry != "reconnecting" {
			v.t.Errorf("the page spoke of %q", worry)
		}
	}
}

// TestTenTabs: one visitor's tabs share the ticket. Each shows the truth as soon as it is looked at; the query runs once; then each shows the
// result.
func TestTenTabs(t *testing.T) {
	server := serving(t, "--queue-heartbeat-seconds=60")
	release := holdTheSlot(t.Context(), t, server)
	first := newVisitor(t, server.url)
	first.asksAndWaits("SELECT 'one for all' AS answer")
	tabs := []*visitor{first}
	for range 9 {
		tab := first.tab()
		tab.open("wait")
		tabs = append(tabs, tab)
	}
	number := first.number()
	for i, tab := range tabs {
		tab.toFront()
		tab.sees(soonEnough, "Live, updated at", "Your place in line 1", number)
		if i == 0 {
			tab.mark()
		}
	}
	release()
	for _, tab := range tabs {
		tab.toFront()
		tab.sees(soonEnough, "Your result", "one for all")
	}
	first.hasRun(1)
}

// TestCookiesBlocked: whose browser keeps no cookies is told so in one sentence, with the text kept, and makes no ticket.
func TestCookiesBlocked(t *testing.T) {
	server := serving(t)
	proxy := proxyTo(t, server)
	proxy.ModifyResponse = func(r *http.Response) error { r.Header.Del("Set-Cookie"); return nil }
	front := httptest.NewServer(proxy)
	defer front.Close()
	for _, script := range []bool{true, false} {
		v := newVisitor(t, front.URL+"/")
		v.lonely = true
		if !script {
			v.withoutScript()
		}
		v.open("")
		v.writes("#query", "SELECT 'mine'")
		v.press("Run")
		v.sees(soonEnough, "Your browser keeps no cookie of ours", "Allow cookies for this address")
		v.holds("SELECT 'mine'")
		v.forgives() // the browser logs the answer's status
	}
	if p, err := newClient(server.url, nil).picture(t.Context()); err != nil || p.Runner != "idle" || p.Length != 0 {
		t.Errorf("somebody without a cookie moved the line: %+v, %v", p, err)
	}
}

// proxyTo is a proxy that passes everything on to the server.
func proxyTo(t *testing.T, server *process) *httputil.ReverseProxy {
	t.Helper()
	target, err := url.Parse(server.url)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Host = r.In.Host }}
}

// TestFramedPage: no other page can frame ours and have its visitor press what they don't see. The browser says so in the frame's place.
func TestFramedPage(t *testing.T) {
	server := serving(t)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, err := w.Write([]byte(`<!doctype html><html lang="en"><title>Other</title><iframe src="` + server.url + `"></iframe>`))
		if err != nil && !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	}))
	defer other.Close()
	v := newVisitor(t, other.URL+"/")
	v.open("")
	v.until(soonEnough, "the browser to refuse the frame", func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		return strings.Contains(strings.Join(v.troubles, "\n"), "frame")
	})
	v.forgives()
}
