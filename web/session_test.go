package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/securecookie"
	"github.com/labstack/echo/v4"
)

func TestSessionCookieAttributes(t *testing.T) {
	st := open(t, siteOptions{})
	answer := st.visitor().post("/api/v1/queue/join", "")
	cookies := (&http.Response{Header: answer.header}).Cookies()
	if len(cookies) != 1 {
		t.Fatalf("cookies %v", cookies)
	}
	c := cookies[0]
	if c.Name != "confluence_session" || !c.HttpOnly || c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" ||
		c.MaxAge != 30*24*3600 {
		t.Errorf("cookie %+v", c)
	}
	if len(c.Value) > 200 {
		t.Errorf("the value has %d characters", len(c.Value))
	}

	e := echo.New()
	r := httptest.NewRequest(http.MethodGet, "https://confluence.test/", nil)
	w := httptest.NewRecorder()
	if _, err := st.server.ensureSession(e.NewContext(r, w)); err != nil || !w.Result().Cookies()[0].Secure {
		t.Errorf("over https: %v %v", w.Result().Cookies(), err)
	}
}

// case: key-change (the API's part)
func TestCaseKeyChange(t *testing.T) {
	newKey := []byte(strings.Repeat("n", 32))
	old := open(t, siteOptions{})
	rotated := open(t, siteOptions{options: Options{SessionKeys: [][]byte{newKey, testKey}}})
	other := open(t, siteOptions{options: Options{SessionKeys: [][]byte{newKey}}})

	v := old.visitor()
	v.post("/api/v1/queue/join", "")
	session := old.sessionOf(v)
	value := ""
	for _, cookie := range v.http.Jar.Cookies(mustURL(t, old.network.base)) {
		value = cookie.Value
	}
	ask := func(st *site, value string) (string, int) {
		answer := st.stranger().post("/api/v1/queue/join", "", "Cookie", sessionCookie+"="+value)
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		for _, cookie := range (&http.Response{Header: answer.header}).Cookies() {
			r.AddCookie(cookie)
		}
		session, err := st.server.sessions.cookies.New(r, sessionCookie)
		must(t, err)
		return session.Values[sessionValue].(string), answer.status
	}
	if got, status := ask(rotated, value); got != session || status != http.StatusOK {
		t.Errorf("with the old key behind the new: %d, session %q, want %q", status, got, session)
	}
	foreign, err := securecookie.EncodeMulti(sessionCookie, map[string]string{"user": "x"}, securecookie.CodecsFromPairs([]byte(strings.Repeat("f", 32)))...)
	must(t, err)
	for name, junk := range map[string]string{
		"old key": value, "half": value[:len(value)/2], "another app": foreign, "junk": strings.Repeat("x", 5000), "empty": "", "quotes": `"%00;`,
	} {
		if got, status := ask(other, junk); got == "" || got == session || status != http.StatusOK {
			t.Errorf("%s: %d, session %q", name, status, got)
		}
		answer := other.stranger().get("/api/v1/queue/status", "Cookie", sessionCookie+"="+junk)
		wantProblem(t, answer, http.StatusNotFound, "ticket_not_found")
	}
}

// A cookie of the same name that another app set, for a wider path or domain, may come first. It hides nobody's own.
func TestJunkCookieHidesNoGoodOne(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.visitor()
	v.post("/api/v1/queue/join", "")
	good := ""
	for _, cookie := range v.http.Jar.Cookies(mustURL(t, st.network.base)) {
		good = cookie.Name + "=" + cookie.Value
	}
	junk := sessionCookie + "=junk"
	for _, cookies := range []string{good, junk + "; " + good, good + "; " + junk, junk + "; other=1; " + sessionCookie + "=; " + good} {
		if got := st.stranger().get("/api/v1/queue/status", "Cookie", cookies); got.status != http.StatusOK {
			t.Errorf("%s: %d", cookies, got.status)
		}
	}
	wantProblem(t, st.stranger().get("/api/v1/queue/status", "Cookie", junk+"; "+junk), http.StatusNotFound, "ticket_not_found")
}

func TestBearerToken(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.stranger()
	made := v.post("/api/v1/session", "")
	if made.status != http.StatusCreated || made.header.Get("Set-Cookie") != "" {
		t.Fatalf("%d %v %s", made.status, made.header, made.body)
	}
	token := made.json(t)["token"].(string)
	joined := v.post("/api/v1/queue/join", "", "Authorization", "Bearer "+token)
	if joined.header.Get("Set-Cookie") != "" {
		t.Error("a cookie beside the token")
	}
	id := joined.json(t)["ticket_id"]
	if got := v.get("/api/v1/queue/status", "Authorization", "bearer  "+token).json(t)["ticket_id"]; got != id {
		t.Errorf("ticket %v, want %v", got, id)
	}
	renewed := v.post("/api/v1/session", "{}", "Authorization", "Bearer "+token).json(t)["token"].(string)
	if got := v.get("/api/v1/queue/status", "Authorization", "Bearer "+renewed).json(t)["ticket_id"]; got != id {
		t.Errorf("ticket with the renewed token %v, want %v", got, id)
	}
	if other := v.post("/api/v1/session", "").json(t)["token"].(string); v.get("/api/v1/queue/status", "Authorization", "Bearer "+other).status != 404 {
		t.Error("two clients share a session")
	}

	cookie := ""
	keeper := st.visitor()
	keeper.post("/api/v1/queue/join", "")
	for _, c := range keeper.http.Jar.Cookies(mustURL(t, st.network.base)) {
		cookie = c.Value
	}
	for _, junk := range []string{"", "junk", token[:len(token)-3], token + "x", cookie, strings.Repeat("y", 5000)} {
		for _, call := range []string{"/api/v1/queue/join", "/api/v1/query", "/api/v1/session"} {
			answer := v.post(call, "", "Authorization", "Bearer "+junk)
			wantProblem(t, answer, http.StatusUnauthorized, "invalid_token")
			if !strings.HasPrefix(answer.header.Get("WWW-Authenticate"), "Bearer") {
				t.Errorf("WWW-Authenticate %q", answer.header.Get("WWW-Authenticate"))
			}
		}
	}
	if got := v.get("/api/v1/queue", "Authorization", "Basic dXNlcjpwYXNz"); got.status != http.StatusOK {
		t.Errorf("a proxy's own authorization: %d", got.status)
	}
}

func TestParallelFirstRequests(t *testing.T) {
	st := open(t, siteOptions{tcp: true})
	v := st.visitor()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if answer := v.get("/"); answer.status != http.StatusOK {
				t.Errorf("%d %s", answer.status, answer.body)
			}
		})
	}
	all.Wait()
	v.post("/api/v1/queue/join", "")
	if answer := v.get("/api/v1/queue/status"); answer.status != http.StatusOK {
		t.Errorf("afterwards: %d %s", answer.status, answer.body)
	}
}

func TestSessionKeysAreChecked(t *testing.T) {
	for _, keys := range [][][]byte{nil, {}, {[]byte("short")}, {testKey, []byte("short")}} {
		if _, err := newSessionStores(keys); err == nil {
			t.Errorf("%q is taken", keys)
		}
	}
}
