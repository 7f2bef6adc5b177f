package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

func TestParseOrigin(t *testing.T) {
	for text, want := range map[string]string{
		"https://ask.example": "https://ask.example", "HTTPS://Ask.Example:443/": "https://ask.example", "http://ask.example:80": "http://ask.example",
		"http://ask.example:8080": "http://ask.example:8080", "https://[2001:DB8::1]:443": "https://[2001:db8::1]",
	} {
		if got, err := ParseOrigin(text); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", text, got, err, want)
		}
	}
	for text, reason := range map[string]string{
		"": "must begin", "ask.example": "must begin", "ftp://ask.example": "must begin", "https://": "no host", "https://ask.example/page": "behind the host",
		"https://ask.example?x": "behind the host", "https://ask.example#x": "behind the host", "https://me@ask.example": "user", "*": "wildcards",
		"https://*.example": "wildcards", "null": "null", "https://ask.example:": "port", "http://a b": "can't be read",
	} {
		if _, err := ParseOrigin(text); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v, want %q", text, err, reason)
		}
	}
}

func TestADoorThatCannotBe(t *testing.T) {
	for name, o := range map[string]Door{
		"public URL": {PublicURL: "ask.example"}, "path": {PublicURL: "https://ask.example/a"}, "trusted": {TrustedOrigins: []string{"https://*.example"}},
		"bearer": {BearerOrigins: []string{"null"}}, "identity": {IdentityHeader: "X-User"}, "limit": {SocketsPerAddress: -1},
	} {
		if _, err := newDoor(o); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
}

// case: host-rewrite (a proxy that sends another Host works when the public URL is set, else page and log name the setting)
func TestCaseHostRewrite(t *testing.T) {
	for _, configured := range []bool{false, true} {
		proxy := httptest.NewUnstartedServer(nil)
		public := "http://" + proxy.Listener.Addr().String()
		o := siteOptions{tcp: true}
		if configured {
			o.options.Door.PublicURL = public
		}
		st := open(t, o)
		backend, err := url.Parse(st.network.base)
		must(t, err)
		proxy.Config.Handler = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(backend) }} // and its Host
		proxy.Start()
		t.Cleanup(proxy.Close)
		ask := func(path, accept string) reply {
			v := st.stranger()
			r, err := http.NewRequest(http.MethodPost, public+path, strings.NewReader("query=x"))
			must(t, err)
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", public)
			r.Header.Set("Accept", accept)
			response, err := v.http.Do(r)
			must(t, err)
			defer response.Body.Close()
			b := new(strings.Builder)
			_ = response.Write(b)
			return reply{status: response.StatusCode, body: b.String()}
		}
		socket := func() int {
			conn, response, err := websocket.Dial(context.Background(), strings.Replace(public, "http", "ws", 1)+"/live",
				&websocket.DialOptions{HTTPHeader: http.Header{"Origin": {public}}, Subprotocols: []string{subprotocol}})
			if err == nil {
				_ = conn.CloseNow()
			}
			return response.StatusCode
		}
		form, upgrade := ask("/query", "text/html"), socket()
		if configured {
			if form.status != http.StatusSeeOther || upgrade != http.StatusSwitchingProtocols {
				t.Errorf("configured: form %d, socket %d", form.status, upgrade)
			}
			continue
		}
		if form.status != http.StatusForbidden || upgrade != http.StatusForbidden {
			t.Errorf("not configured: form %d, socket %d", form.status, upgrade)
		}
		for where, text := range map[string]string{"page": form.body, "log": st.log.String()} {
			if !strings.Contains(text, "CONFLUENCE_WEB_PUBLIC_URL") {
				t.Errorf("the %s doesn't name the setting:\n%s", where, text)
			}
		}
		if lines := strings.Count(st.log.String(), "CONFLUENCE_WEB_PUBLIC_URL"); lines != 1 {
			t.Errorf("%d lines about two refusals of one minute", lines)
		}
	}
}

// case: cross-site (forms and calls; the socket's part is TestLiveRefusesOtherOrigins)
func TestCaseCrossSite(t *testing.T) {
	st := open(t, siteOptions{options: Options{Door: Door{PublicURL: "https://confluence.test", TrustedOrigins: []string{"https://intranet.test"}}}})
	v := st.visitor()
	token := v.post("/api/v1/session", "").json(t)["token"].(string)
	signed := []string{"Authorization", "Bearer " + token}
	id := v.post("/api/v1/queue/join", "", signed...).json(t)["ticket_id"]
	for _, headers := range [][]string{
		{"Origin", "https://evil.test"}, {"Origin", "null"}, {"Origin", "https://confluence.test:8443"}, {"Origin", "http://confluence.test"},
		{"Origin", "https://confluence.test.evil.test"}, {"Origin", "http://intranet.test"},
		{"Origin", "https://evil.test", "Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "cross-site"}, {"Origin", "file://"}, {"Origin", "%zz"},
	} {
		for _, path := range []string{"/api/v1/queue/join", "/api/v1/query", "/query", "/claim", "/leave"} {
			if got := v.post(path, "", append(headers, signed...)...); got.status != http.StatusForbidden {
				t.Errorf("%q %s: %d", headers, path, got.status)
			}
		}
		if got := v.do(http.MethodDelete, "/api/v1/queue/ticket", "", append(headers, signed...)...); got.status != http.StatusForbidden {
			t.Errorf("%q leaving: %d", headers, got.status)
		}
	}
	if got := v.get("/api/v1/queue/status", signed...).json(t)["ticket_id"]; got != id {
		t.Errorf("the ticket is %v, want %v", got, id)
	}
	for _, origin := range []string{"https://confluence.test", "https://intranet.test"} {
		for _, site := range []string{"", "same-site", "cross-site"} {
			headers := append([]string{"Origin", origin, "Sec-Fetch-Site", site}, signed...)
			if got := v.post("/api/v1/queue/join", "", headers...); got.status != http.StatusOK {
				t.Errorf("%s: %d", origin, got.status)
			}
		}
	}
}

// case: lan-http (the cookie sticks on plain http of a LAN name, and on https behind a proxy)
func TestCaseLanHTTP(t *testing.T) {
	for _, of := range []struct {
		door   Door
		name   string
		secure bool
	}{
		{Door{}, "confluence_session", false},
		{Door{PublicURL: "http://reports.lan:8080"}, "confluence_session", false},
		{Door{PublicURL: "https://ask.example"}, "__Host-confluence_session", true},
		{Door{TLS: true}, "__Host-confluence_session", true},
		{Door{PublicURL: "http://reports.lan", TLS: true}, "confluence_session", false},
	} {
		st := open(t, siteOptions{options: Options{Door: of.door}})
		v := st.stranger()
		answer := v.get("/")
		cookies := (&http.Response{Header: answer.header}).Cookies()
		if len(cookies) != 1 {
			t.Fatalf("%+v: %v", of.door, answer.header)
		}
		c := cookies[0]
		if c.Name != of.name || c.Secure != of.secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || c.MaxAge <= 0 {
			t.Errorf("%+v: %+v", of.door, c)
		}
		pair := c.Name + "=" + c.Value
		id := v.post("/api/v1/queue/join", "", "Cookie", pair).json(t)["ticket_id"]
		if got := v.get("/api/v1/queue/status", "Cookie", pair).json(t)["ticket_id"]; got != id {
			t.Errorf("%+v: ticket %v, want %v", of.door, got, id)
		}
		if of.secure { // one that a page of plain http could have set is nobody's
			wantProblem(t, v.get("/api/v1/queue/status", "Cookie", "confluence_session="+c.Value), http.StatusNotFound, "ticket_not_found")
		}
	}
}
