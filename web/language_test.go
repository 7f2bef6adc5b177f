package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

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
