package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue"
)

const deskToken = "the-operator-alone-knows-it"

// deskOpen serves a site with a desk.
func deskOpen(t *testing.T, change ...func(*queue.Config, *Options)) *pageSite {
	t.Helper()
	return pageOpen(t, append(change, func(_ *queue.Config, o *Options) { o.AdminToken = deskToken })...)
}

// operator is a browser that has signed in.
func (site *pageSite) operator() *pageVisitor {
	site.t.Helper()
	v := site.visitor()
	v.goes(v.post("/admin/sign-in", "token", deskToken), "/admin").shows(site.t, http.StatusOK, "Signed in as the operator")
	return v
}

// cookie is a cookie that an answer sets.
func (a pageAnswer) cookie(name string) *http.Cookie {
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// TestNoTokenNoDesk: nothing tells that there could be one.
func TestNoTokenNoDesk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		v := site.visitor()
		for _, path := range []string{"/admin", "/admin/sign-in", "/api/v1/admin"} {
			v.get(path).shows(t, http.StatusNotFound)
		}
		for _, path := range []string{"/admin/sign-in", "/admin/pause", "/admin/notice", "/api/v1/admin/pause"} {
			v.post(path, "token", "").shows(t, http.StatusNotFound)
		}
		r := v.request(http.MethodGet, "/api/v1/admin", nil)
		r.Header.Set("Authorization", "Bearer "+deskToken)
		v.send(r).shows(t, http.StatusNotFound, `"code":"not_found"`)
	})
}

func TestAShortTokenIsRefused(t *testing.T) {
	_, err := newDeskDoor("fifteen-letters", [][]byte{testKey}, &door{}, time.Now)
	if err == nil || !strings.Contains(err.Error(), "15 characters") {
		t.Errorf("%v", err)
	}
}

// TestSignIn: the token opens the desk, for this browser, for twelve hours, until it signs out.
func TestSignIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := deskOpen(t)
		v := site.visitor()
		v.goes(v.send(v.request(http.MethodGet, "/admin", nil)), "/admin/sign-in").shows(t, http.StatusOK, `type="password"`)
		v.post("/admin/sign-in", "token", "the-operator-alone-knows-is").shows(t, http.StatusForbidden, "That is not the token.")
		v.post("/admin/sign-in").shows(t, http.StatusForbidden)
		v.goes(v.post("/admin/pause"), "/admin/sign-in")
		if p, err := site.line.Picture(t.Context()); err != nil || p.Paused {
			t.Errorf("a stranger has paused the line: %v, %v", p.Paused, err)
		}

		in := v.post("/admin/sign-in", "token", " "+deskToken+"\n")
		cookie := in.cookie("confluence_desk")
		if cookie == nil || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.MaxAge != 12*60*60 || cookie.Secure || cookie.Path != "/" {
			t.Fatalf("the cookie is %v", cookie)
		}
		if strings.Contains(cookie.Value, deskToken) {
			t.Error("the token is in the cookie")
		}
		v.goes(in, "/admin").shows(t, http.StatusOK, "The line is open")
		v.goes(v.get("/admin/sign-in"), "/admin")

		copied := func(to string, c *http.Cookie) pageAnswer {
			r := site.visitor().request(http.MethodGet, to, nil)
			r.Header.Set("Cookie", c.Name+"="+c.Value)
			return site.visitor().send(r)
		}
		copied("/admin", cookie).shows(t, http.StatusOK)
		copied("/admin", &http.Cookie{Name: "confluence_session", Value: cookie.Value}).shows(t, http.StatusSeeOther)
		visitor := v.get("/").cookie("confluence_session")
		copied("/admin", &http.Cookie{Name: "confluence_desk", Value: visitor.Value}).shows(t, http.StatusSeeOther)

		v.goes(v.post("/admin/sign-out"), "/admin/sign-in")
		v.get("/admin").shows(t, http.StatusSeeOther)
		copied("/admin", cookie).shows(t, http.StatusSeeOther)

		old := v.post("/admin/sign-in", "token", deskToken).cookie("confluence_desk")
		time.Sleep(12*time.Hour - time.Minute)
		copied("/admin", old).shows(t, http.StatusOK)
		time.Sleep(2 * time.Minute)
		copied("/admin", old).shows(t, http.StatusSeeOther)
	})
}

// TestANewTokenSignsEverybodyOut, though the session keys are the same.
func TestANewTokenSignsEverybodyOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cookie := deskOpen(t).operatorsCookie()
		site := pageOpen(t, func(_ *queue.Config, o *Options) { o.AdminToken = deskToken + "!" })
		r := site.visitor().request(http.MethodGet, "/admin", nil)
		r.Header.Set("Cookie", cookie.Name+"="+cookie.Value)
		site.visitor().send(r).shows(t, http.StatusSeeOther)
	})
}

func (site *pageSite) operatorsCookie() *http.Cookie {
	site.t.Helper()
	return site.visitor().post("/admin/sign-in", "token", deskToken).cookie("confluence_desk")
}

// TestTheDeskOverHTTPS: its cookie is for https and this very host alone.
func TestTheDeskOverHTTPS(t *testing.T) {
	st := open(t, siteOptions{options: Options{AdminToken: deskToken, Door: Door{PublicURL: "https://ask.example.org", BasePath: "/ask"}}})
	answer := st.visitor().post("/ask/admin/sign-in", "", "Content-Type", "application/x-www-form-urlencoded", "Origin", "https://ask.example.org")
	if answer.status != http.StatusForbidden {
		t.Fatalf("%d %s", answer.status, answer.body)
	}
	answer = st.visitor().do(http.MethodPost, "/ask/admin/sign-in", "token="+deskToken, "Content-Type", "application/x-www-form-urlencoded", "Origin", "https://ask.example.org")
	cookie := answer.header.Get("Set-Cookie")
	for _, part := range []string{"__Host-confluence_desk-ask=", "Path=/;", "Secure", "HttpOnly", "SameSite=Strict"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("%q is not in %q", part, cookie)
		}
	}
	if answer.header.Get("Location") != "/ask/admin" {
		t.Errorf("it leads to %q", answer.header.Get("Location"))
	}
}

// TestGuessesAreFew: after five wrong tokens an address learns nothing for ten seconds, not even of the right one. Who is signed in isn't bothered.
func TestGuessesAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := deskOpen(t)
		signedIn, v := site.operator(), site.visitor()
		for range triesAtOnce {
			v.post("/admin/sign-in", "token", "not-the-operators-token").shows(t, http.StatusForbidden)
		}
		for _, token := range []string{"not-the-operators-token", deskToken} {
			answer := v.post("/admin/sign-in", "token", token)
			answer.shows(t, http.StatusTooManyRequests, "Try again after 10 seconds.")
			if answer.header.Get("Retry-After") != "10" || answer.cookie("confluence_desk") != nil {
				t.Errorf("%s: %v", token, answer.header)
			}
			v.script(http.MethodGet, "/api/v1/admin", token, "").shows(t, http.StatusTooManyRequests, `"code":"rate_limited"`, `"retry_after_seconds":10`)
		}
		signedIn.get("/admin").shows(t, http.StatusOK)
		time.Sleep(10 * time.Second)
		v.script(http.MethodGet, "/api/v1/admin", "not-the-operators-token", "").shows(t, http.StatusUnauthorized)
		time.Sleep(10 * time.Second)
		for range 3 * triesAtOnce { // the right one is no guess
			v.script(http.MethodGet, "/api/v1/admin", deskToken, "").shows(t, http.StatusOK)
			v.goes(v.post("/admin/sign-in", "token", deskToken), "/admin").shows(t, http.StatusOK)
		}
	})
}

// script is a call of the API with a token.
func (v *pageVisitor) script(method, path, token, body string) pageAnswer {
	v.site.t.Helper()
	r, err := http.NewRequestWithContext(v.site.t.Context(), method, pageAddress+path, strings.NewReader(body))
	if err != nil {
		v.site.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return v.send(r)
}

// TestTheDeskSteersTheLine: a pause, a notice and their ends are seen at once by who waits, on the wall and on the desk, and stand in the log.
func TestTheDeskSteersTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &syncBuffer{}
		site := deskOpen(t, logTo(log))
		runs, waits, wall, operator := site.visitor(), site.visitor(), site.visitor(), site.operator()
		runs.post("/query", "query", "hold it")
		waits.post("/query", "query", "quick")
		synctest.Wait()
		operator.get("/admin").shows(t, http.StatusOK, "The line is open", "Pause calling", "Running</td>", ">1</td>", `<b>2</b>`, "1 in line · Desk")

		operator.goes(operator.post("/admin/pause"), "/admin").shows(t, http.StatusOK, "The line is paused", "Resume calling")
		operator.goes(operator.post("/admin/notice", "notice", "Back at\r\n noon <b>"), "/admin").shows(t, http.StatusOK, "Back at noon &lt;b&gt;", "Take it back")
		for _, page := range []pageAnswer{waits.get("/wait"), wall.get("/kiosk")} {
			page.shows(t, http.StatusOK, "Paused", "Back at noon &lt;b&gt;")
		}
		site.runner.release("hold it")
		synctest.Wait()
		waits.get("/wait").shows(t, http.StatusOK, "You are next")

		operator.goes(operator.post("/admin/notice/remove"), "/admin").shows(t, http.StatusOK, "The line is paused")
		operator.goes(operator.post("/admin/resume"), "/admin").shows(t, http.StatusOK, "The line is open", "Called</td>")
		if body := waits.get("/wait").body; !strings.Contains(body, "It’s your turn") || strings.Contains(body, "noon") {
			t.Errorf("who is next sees\n%s", body)
		}
		operator.post("/admin/sign-out")
		for _, line := range []string{
			`msg="the operator has signed in" address=`, `msg="the operator has paused the line" address=`, `msg="the operator has the line go on" address=`,
			`path=/admin/notice request_id=req_`, `notice="Back at noon <b>"`, `msg="the operator has taken the notice back"`, `msg="the operator has signed out"`,
		} {
			if strings.Count(log.String(), line) != 1 {
				t.Errorf("%s is not one line of the log\n%s", line, log)
			}
		}
	})
}

// TestANoticeIsShort: what is refused stays in the field, and the notice before stays up.
func TestANoticeIsShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := deskOpen(t)
		operator := site.operator()
		longest := strings.Repeat("é", longestNotice)
		operator.goes(operator.post("/admin/notice", "notice", longest), "/admin").shows(t, http.StatusOK, longest)
		operator.post("/admin/notice", "notice", longest+"!").shows(t, http.StatusUnprocessableEntity,
			"281 characters, where 280 are the most", longest+"!</textarea>", `aria-invalid="true"`, `name="to" value="/admin"`)
		operator.post("/admin/notice", "notice", strings.Repeat("x", 10_000)).shows(t, http.StatusUnprocessableEntity)
		operator.post("/admin/notice", "notice", " \x00\n").shows(t, http.StatusUnprocessableEntity, "The notice has no words")
		operator.post("/admin/notice", "notice", "\u200b\u2060").shows(t, http.StatusUnprocessableEntity, "The notice has no words")
		if p, err := site.line.Picture(t.Context()); err != nil || p.Notice != longest {
			t.Errorf("the notice is %q, %v", p.Notice, err)
		}
	})
}

// TestTheDeskIsForThisSiteAlone: pages of other sites can't act for the operator, those that may act for a visitor neither.
func TestTheDeskIsForThisSiteAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const friend, caller = "https://intranet.example.org", "https://tool.example.org"
		site := deskOpen(t, func(_ *queue.Config, o *Options) {
			o.Door.TrustedOrigins, o.Door.BearerOrigins = []string{friend}, []string{caller}
		})
		operator := site.operator()
		for _, origin := range []string{"https://evil.test", "null", friend, caller, "http://confluence.test:81"} {
			for _, path := range []string{"/admin/pause", "/admin/notice", "/admin/sign-out"} {
				r := operator.request(http.MethodPost, path, url.Values{"notice": {"hello"}})
				r.Header.Set("Origin", origin)
				r.Header.Set("Sec-Fetch-Site", "cross-site")
				operator.send(r).shows(t, http.StatusForbidden)
			}
		}
		r := operator.request(http.MethodGet, "/admin", nil)
		r.Header.Set("Origin", caller)
		operator.send(r).shows(t, http.StatusSeeOther) // its pages can't have the operator's cookie
		if p, err := site.line.Picture(t.Context()); err != nil || p.Paused || p.Notice != "" {
			t.Errorf("%v %q %v", p.Paused, p.Notice, err)
		}
	})
}

// TestTheDeskOfScripts: the same by the API, for who sends the token.
func TestTheDeskOfScripts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := deskOpen(t, func(c *queue.Config, _ *Options) { c.Slots = 2 })
		v := site.visitor()
		for i := range 3 {
			site.visitor().post("/query", "query", fmt.Sprint("hold ", i))
		}
		time.Sleep(90 * time.Second)
		var desk struct {
			Queue livePicture
			Slots []struct {
				Number int64
				State  string
				For    float64 `json:"for_seconds"`
			}
			LastHour struct {
				Use            float64 `json:"slot_use"`
				Called, Lapsed int
			} `json:"last_hour"`
		}
		look := func() {
			t.Helper()
			answer := v.script(http.MethodGet, "/api/v1/admin", deskToken, "")
			answer.shows(t, http.StatusOK)
			if err := json.Unmarshal([]byte(answer.body), &desk); err != nil {
				t.Fatal(err)
			}
		}
		look()
		if len(desk.Slots) != 0 || desk.LastHour.Called != 3 || desk.LastHour.Lapsed != 1 { // nobody watched the runs, or claimed the turn
			t.Errorf("%+v", desk)
		}
		site.visitor().post("/query", "query", "hold it")
		time.Sleep(10 * time.Second)
		look()
		if len(desk.Slots) != 1 || desk.Slots[0].State != "running" || desk.Slots[0].For != 10 || desk.LastHour.Use <= 0 {
			t.Errorf("%+v", desk)
		}

		v.script(http.MethodPost, "/api/v1/admin/pause", deskToken, "").shows(t, http.StatusNoContent)
		v.script(http.MethodPost, "/api/v1/admin/pause", deskToken, "").shows(t, http.StatusNoContent)
		v.script(http.MethodPut, "/api/v1/admin/notice", deskToken, `{"notice":"Back  at noon"}`).shows(t, http.StatusNoContent)
		if p, err := site.line.Picture(t.Context()); err != nil || !p.Paused || p.Notice != "Back at noon" {
			t.Errorf("%v %q %v", p.Paused, p.Notice, err)
		}
		for body, code := range map[string]string{
			"": "invalid_json", "{}": "invalid_json", `{"notice":7}`: "invalid_json", "[": "invalid_json", `{"notice":" "}`: "invalid_notice",
			`{"notice":"` + strings.Repeat("x", longestNotice+1) + `"}`: "invalid_notice",
		} {
			answer := v.script(http.MethodPut, "/api/v1/admin/notice", deskToken, body)
			if !strings.Contains(answer.body, `"code":"`+code+`"`) {
				t.Errorf("%s: %d %s", body, answer.status, answer.body)
			}
		}
		v.script(http.MethodDelete, "/api/v1/admin/pause", deskToken, "").shows(t, http.StatusNoContent)
		v.script(http.MethodDelete, "/api/v1/admin/notice", deskToken, "").shows(t, http.StatusNoContent)
		if p, err := site.line.Picture(t.Context()); err != nil || p.Paused || p.Notice != "" {
			t.Errorf("%v %q %v", p.Paused, p.Notice, err)
		}
	})
}

// TestTokensAreNotMixedUp: a visitor's is not the operator's, the operator's is no visitor's, and the cookie of the desk is none for scripts.
func TestTokensAreNotMixedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := deskOpen(t)
		v, operator := site.visitor(), site.operator()
		var given struct{ Token string }
		if err := json.Unmarshal([]byte(v.send(v.request(http.MethodPost, "/api/v1/session", nil)).body), &given); err != nil {
			t.Fatal(err)
		}
		v.script(http.MethodGet, "/api/v1/admin", given.Token, "").shows(t, http.StatusUnauthorized, "CONFLUENCE_WEB_ADMIN_TOKEN")
		v.script(http.MethodPost, "/api/v1/admin/pause", "", "").shows(t, http.StatusUnauthorized)
		v.script(http.MethodGet, "/api/v1/queue/status", deskToken, "").shows(t, http.StatusUnauthorized)
		operator.get("/api/v1/admin").shows(t, http.StatusUnauthorized)
		operator.post("/api/v1/admin/pause").shows(t, http.StatusUnauthorized)
	})
}
