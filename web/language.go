package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"confluence/views/i18n"
)

const (
	languageCookie = "confluence_language"
	languageKey    = "language" // in echo's context
	hereAtMost     = 1 << 10    // bytes
	languageMaxAge = 365 * 24 * 60 * 60
)

// language is what the request is answered in: a page in the language that its reader has chosen, else in the one that the browser asks for;
// the wall screen, whose reader has no keys, also in the one of its address (?lang=). The API, whose cookie nobody sees, goes by the browser's.
func (s *Server) language(c echo.Context) *i18n.Language {
	if l, known := c.Get(languageKey).(*i18n.Language); known {
		return l
	}
	l := s.chosen(c)
	if l == nil {
		l = i18n.Accepted(c.Request().Header.Get("Accept-Language"))
	}
	c.Set(languageKey, l)
	return l
}

// chosen is nil where nobody has chosen.
func (s *Server) chosen(c echo.Context) *i18n.Language {
	path := c.Request().URL.Path
	if isAPI(path) {
		return nil
	}
	if path == "/kiosk" {
		if l := i18n.ByCode(c.QueryParam("lang")); l != nil {
			return l
		}
	}
	cookie, err := c.Cookie(s.languageCookie())
	if err != nil {
		return nil
	}
	return i18n.ByCode(cookie.Value)
}

// languageCookie is named after the base path, as the session's is: two of us on one host don't take each other's.
func (s *Server) languageCookie() string {
	return languageCookie + strings.ReplaceAll(s.door.BasePath, "/", "-")
}

// speaks says in the header which language the answer is in, and that it would be in another one for somebody else.
func speaks(c echo.Context, l *i18n.Language) {
	header := c.Response().Header()
	header.Set("Content-Language", l.Code)
	header.Add(echo.HeaderVary, "Accept-Language")
}

// here is the path, with its question, at which the reader of this answer finds the same again.
func here(c echo.Context) string {
	address := c.Request().URL.RequestURI()
	if m := c.Request().Method; m != http.MethodGet && m != http.MethodHead || len(address) > hereAtMost {
		return "/wait" // which leads to whatever is true
	}
	return address
}

// postLanguage is POST /language: keeps the choice, and leads back to where it was made.
func (s *Server) postLanguage(c echo.Context) error {
	fields, whole, err := readForm(c, formRest)
	if err != nil {
		return err
	}
	l := i18n.ByCode(fields.Get("lang"))
	if !whole || l == nil {
		return errUnsupportedMediaType
	}
	path := "/"
	if s.door.BasePath != "" {
		path = s.door.BasePath
	}
	c.SetCookie(&http.Cookie{
		Name: s.languageCookie(), Value: l.Code, Path: path, MaxAge: languageMaxAge,
		HttpOnly: true, Secure: s.door.secure || c.IsTLS(), SameSite: http.SameSiteLaxMode,
	})
	return see(c, ownPath(fields.Get("to")))
}

// ownPath is a path of ours; the form for what would lead elsewhere.
func ownPath(to string) string {
	if !strings.HasPrefix(to, "/") || len(to) > 1 && strings.ContainsAny(to[1:2], `/\`) || strings.ContainsFunc(to, isControl) {
		return "/"
	}
	return to
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
