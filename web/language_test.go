package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"confluence/views/i18n"
)

func TestLanguageOfAPage(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.visitor()
	for _, test := range []struct{ path, accept, want string }{
		{"/", "", "en"}, {"/", "zh", "en"}, {"/", "en-GB,en;q=0.5", "en"}, {"/kiosk?lang=en", "zh", "en"}, {"/kiosk?lang=xx", "", "en"}, {"/problems/busy", "*", "en"},
	} {
		answer := v.get(test.path, "Accept-Language", test.accept)
		l := i18n.ByCode(test.want)
		if got := answer.header.Get("Content-Language"); got != test.want || !strings.Contains(answer.body, `<html lang="`+l.Code+`" dir="`+l.Dir+`"`) {
			t.Errorf("%s, %q: %s, want %s", test.path, test.accept, got, test.want)
		}
		vary := answer.header.Values("Vary")
		if !slices.Contains(vary, "Accept-Language") || !slices.Contains(vary, "Cookie") {
			t.Errorf("%s varies by %q", test.path, vary)
		}
	}
}

// TestLanguageSwitch: the choice is kept, and leads back to where it was made, which is never another site.
func TestLanguageSwitch(t *testing.T) {
	st := open(t, siteOptions{})
	for to, want := range map[string]string{
		"/runs/r_1?x=1": "/runs/r_1?x=1", "": "/", "//evil.test/": "/", `/\evil.test`: "/", "https://evil.test/": "/", "/a\r\nX: y": "/",
	} {
		v := st.visitor()
		form := url.Values{"lang": {"en"}, "to": {to}}.Encode()
		answer := v.do(http.MethodPost, "/language", form, "Content-Type", "application/x-www-form-urlencoded")
		if got := answer.header.Get("Location"); answer.status != http.StatusSeeOther || got != want {
			t.Errorf("%q: %d to %q, want %q", to, answer.status, got, want)
		}
		cookie := answer.header.Get("Set-Cookie")
		for _, part := range []string{"confluence_language=en", "Path=/", "HttpOnly", "SameSite=Lax"} {
			if !strings.Contains(cookie, part) {
				t.Errorf("the cookie %q lacks %s", cookie, part)
			}
		}
	}
	for _, form := range []string{"", "lang=xx", "to=/"} {
		answer := st.visitor().do(http.MethodPost, "/language", form, "Content-Type", "application/x-www-form-urlencoded")
		if answer.status != http.StatusUnsupportedMediaType || answer.header.Get("Set-Cookie") != "" {
			t.Errorf("%q: %d", form, answer.status)
		}
	}
}

// TestAcceptedLanguages: what a browser asks for, unless its owner has chosen; a dialect gets its language.
func TestAcceptedLanguages(t *testing.T) {
	st := open(t, siteOptions{})
	for _, test := range []struct{ path, accept, cookie, want string }{
		{"/", "de-AT,de;q=0.9,en;q=0.5", "", "de"}, {"/", "es-419", "", "es"}, {"/wait", "ar-EG", "", "ar"}, {"/nowhere", "ru", "", "ru"},
		{"/", "de", "fr", "fr"}, {"/", "de", "xx", "de"}, {"/kiosk?lang=ja", "de", "fr", "ja"}, {"/?lang=ja", "de", "", "de"},
	} {
		answer := st.visitor().get(test.path, "Accept-Language", test.accept, "Cookie", "confluence_language="+test.cookie)
		if answer.status == http.StatusSeeOther {
			continue
		}
		if l := i18n.ByCode(test.want); answer.header.Get("Content-Language") != test.want || !strings.Contains(answer.body, `<html lang="`+l.Code+`" dir="`+l.Dir+`"`) {
			t.Errorf("%+v: %q", test, answer.header.Get("Content-Language"))
		}
	}
}

// TestProblemsSpeak: title and detail by Accept-Language alone; the code is the same everywhere.
func TestProblemsSpeak(t *testing.T) {
	st := open(t, siteOptions{})
	for _, l := range i18n.All() {
		answer := st.visitor().get("/api/v1/queue/status", "Accept-Language", l.Code, "Cookie", "confluence_language=fr")
		p := answer.json(t)
		if p["code"] != "ticket_not_found" || p["title"] != l.Say("problem.ticket_not_found") || p["detail"] != l.Say("problem.ticket_not_found.none") {
			t.Errorf("%s: %v", l.Code, p)
		}
		if answer.header.Get("Content-Language") != l.Code || !slices.Contains(answer.header.Values("Vary"), "Accept-Language") {
			t.Errorf("%s: %v", l.Code, answer.header)
		}
	}
}

// TestRunsSpeak: what the server says of a run is said in its reader's language, whoever reads it later; a runner's own words stay.
func TestRunsSpeak(t *testing.T) {
	german := i18n.ByCode("de")
	st := runState{Detail: i18n.Msg("problem.run_timed_out.limit", "time", 5*time.Minute), TruncatedWhy: i18n.Verbatim("own words")}
	got := resultOf(st, german)
	if got.Detail != "Die Abfrage erreichte die Grenze von 5 Minuten und wurde beendet. Fragen Sie weniger auf einmal." || got.TruncatedWhy != "own words" {
		t.Errorf("%+v", got)
	}
}

// TestLanguageBelowAPath: two on one host, each below a path, keep two choices.
func TestLanguageBelowAPath(t *testing.T) {
	st := open(t, siteOptions{options: Options{Door: Door{BasePath: "/ask"}}})
	answer := st.visitor().do(http.MethodPost, "/ask/language", "lang=ar&to=/runs", "Content-Type", "application/x-www-form-urlencoded")
	cookie := answer.header.Get("Set-Cookie")
	if answer.header.Get("Location") != "/ask/runs" || !strings.Contains(cookie, "confluence_language-ask=ar; Path=/ask;") {
		t.Errorf("to %q with %q", answer.header.Get("Location"), cookie)
	}
	page := st.visitor().get("/ask/runs", "Cookie", "confluence_language-ask=ar")
	if !strings.Contains(page.body, `<html lang="ar" dir="rtl">`) || !strings.Contains(page.body, `action="/ask/language"`) || !strings.Contains(page.body, `name="to" value="/runs"`) {
		t.Errorf("the page: %.300s", page.body)
	}
}
