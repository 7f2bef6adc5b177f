package web

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

func TestParseBasePath(t *testing.T) {
	for text, want := range map[string]string{"": "", "/": "", "/ask": "/ask", "/ask/": "/ask", "/tools/ask-2_b.c~": "/tools/ask-2_b.c~"} {
		if got, err := ParseBasePath(text); err != nil || got != want {
			t.Errorf("%q: %q %v", text, got, err)
		}
	}
	for _, text := range []string{"ask", "/a//b", "/../b", "/a b", "/a%2fb", `/a"b`, "/a?b", "//evil.test", "/ä"} {
		if got, err := ParseBasePath(text); err == nil {
			t.Errorf("%q is taken as %q", text, got)
		}
	}
}

var ownAddress = regexp.MustCompile(`(?:href|src|action|content)="([^"]*;\s*url=)?(/[^"]*)"`)

// Pages, forms, files, cookies, redirects, problems and sockets work below a path, whether the proxy takes the path away or leaves it.
func TestBelowAPathOfTheHost(t *testing.T) {
	for _, strips := range []bool{false, true} {
		st := open(t, siteOptions{tcp: true, options: Options{Door: Door{BasePath: "/tools/ask"}}})
		st.runner.on("long", untilStopped)
		backend, err := url.Parse(st.network.base)
		must(t, err)
		var proxied http.Handler = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(backend); r.Out.Host = r.In.Host }}
		if strips {
			proxied = http.StripPrefix("/tools/ask", proxied)
		}
		host := http.NewServeMux()
		host.Handle("/tools/ask/", proxied)
		proxy := httptest.NewServer(host) // and nothing else is there
		t.Cleanup(proxy.Close)

		v := st.visitor()
		v.http.Transport = proxy.Client().Transport
		front := *st
		n := *st.network
		front.network, n.base = &n, proxy.URL
		v.site = &front
		post := func(path, form string) reply {
			return v.do(http.MethodPost, path, form, "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html", "Origin", proxy.URL)
		}
		known := map[string]bool{}
		var follow func(path string)
		follow = func(path string) {
			if known[path] {
				return
			}
			known[path] = true
			page := v.get(path)
			if page.status != http.StatusOK {
				t.Errorf("strips %v: %s: %d", strips, path, page.status)
			}
			if !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") {
				return
			}
			for _, found := range ownAddress.FindAllStringSubmatch(page.body, -1) {
				at := strings.ReplaceAll(found[2], "&amp;", "&")
				if !strings.HasPrefix(at, "/tools/ask/") {
					t.Errorf("strips %v: %s leads to %s", strips, path, at)
				} else if !strings.Contains(found[0], "action=") {
					follow(at)
				}
			}
		}
		follow("/tools/ask/")
		if !known["/tools/ask/runs"] || len(known) < 5 {
			t.Errorf("only %v was found", known)
		}
		started := post("/tools/ask/query", "query=long")
		run := started.header.Get("Location")
		if started.status != http.StatusSeeOther || !strings.HasPrefix(run, "/tools/ask/runs/") {
			t.Fatalf("strips %v: %d to %q", strips, started.status, run)
		}
		follow(run)
		if got := v.get("/tools/ask/wait"); got.status != http.StatusSeeOther || got.header.Get("Location") != run {
			t.Errorf("strips %v: the waiting room: %d to %q", strips, got.status, got.header.Get("Location"))
		}
		jar := http.Header{"Origin": {proxy.URL}}
		for _, c := range v.http.Jar.Cookies(mustURL(t, proxy.URL+"/tools/ask/")) {
			jar.Add("Cookie", c.String())
		}
		if others := v.http.Jar.Cookies(mustURL(t, proxy.URL+"/other/")); len(others) != 0 || !strings.Contains(jar.Get("Cookie"), "confluence_session-tools-ask=") {
			t.Errorf("cookies %v, and elsewhere on the host %v", jar, others)
		}
		conn, _, err := websocket.Dial(t.Context(), strings.Replace(proxy.URL, "http", "ws", 1)+"/tools/ask/live", &websocket.DialOptions{
			HTTPClient: proxy.Client(), HTTPHeader: jar, Subprotocols: []string{subprotocol}})
		must(t, err)
		if _, message, err := conn.Read(t.Context()); err != nil || !strings.Contains(string(message), `"running"`) {
			t.Errorf("strips %v: the socket: %s %v", strips, message, err)
		}
		_ = conn.CloseNow()
		if cancelled := post(run+"/cancel", ""); cancelled.header.Get("Location") != run {
			t.Errorf("strips %v: cancel leads to %q", strips, cancelled.header.Get("Location"))
		}
		missing := v.get("/tools/ask/api/v1/runs/none")
		if missing.status != http.StatusNotFound || missing.json(t)["type"] != "/tools/ask/problems/not_found" {
			t.Errorf("strips %v: %d %s", strips, missing.status, missing.body)
		}
		follow("/tools/ask/problems/not_found")
		follow("/tools/ask/kiosk")
	}
}

func TestBelowAPathOverHTTPS(t *testing.T) {
	st := open(t, siteOptions{options: Options{Door: Door{PublicURL: "https://host.test", BasePath: "/ask"}}})
	cookie := (&http.Response{Header: st.stranger().get("/ask").header}).Cookies()[0]
	if cookie.Name != "__Host-confluence_session-ask" || cookie.Path != "/" || !cookie.Secure {
		t.Errorf("%+v", cookie)
	}
	if page := st.stranger().get("/ask/kiosk"); !strings.Contains(page.body, "host.test/ask") {
		t.Error("the kiosk doesn't say where to ask")
	}
	if got := st.stranger().get("/asking"); got.status != http.StatusNotFound {
		t.Errorf("/asking: %d", got.status)
	}
}
