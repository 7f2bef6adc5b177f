package web

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/securecookie"
	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"

	"confluence/views/i18n"
)

const (
	sessionCookie = "confluence_session"
	tokenName     = "confluence_token" // signed under another name, so that a cookie is no token
	sessionMaxAge = 30 * 24 * time.Hour
	sessionValue  = "id"      // the cookie's only value
	sessionKey    = "session" // in echo's context
	bearerKey     = "bearer"  // in echo's context: the session needs no cookie
	sessionBytes  = 16        // of randomness
)

// sessionStores signs and reads the two forms of a session.
type sessionStores struct {
	cookies *sessions.CookieStore
	tokens  []securecookie.Codec
	known   *cookieCache
}

// newSessionStores takes the keys: the first signs, all verify.
func newSessionStores(keys [][]byte) (*sessionStores, error) {
	if len(keys) == 0 {
		return nil, errors.New("there is no session key: one of at least 32 bytes is needed")
	}
	var pairs [][]byte
	for i, key := range keys {
		if len(key) < 32 {
			return nil, fmt.Errorf("session key %d has %d bytes: it must have 32 or more", i+1, len(key))
		}
		pairs = append(pairs, key, nil) // signed, not encrypted: the id tells nothing
	}
	seconds := int(sessionMaxAge / time.Second)
	st := &sessionStores{cookies: sessions.NewCookieStore(pairs...), tokens: securecookie.CodecsFromPairs(pairs...), known: newCookieCache(time.Now)}
	st.cookies.Options = &sessions.Options{Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode}
	st.cookies.MaxAge(seconds)
	for _, codec := range st.cookies.Codecs {
		codec.(*securecookie.SecureCookie).SetSerializer(idSerializer{})
	}
	for _, codec := range st.tokens {
		codec.(*securecookie.SecureCookie).SetSerializer(securecookie.NopEncoder{}).MaxAge(seconds)
	}
	return st, nil
}

// idSerializer writes a session as its id alone.
type idSerializer struct{}

// Serialize takes the Values of a sessions.Session.
func (idSerializer) Serialize(src any) ([]byte, error) {
	values, _ := src.(map[any]any)
	id, _ := values[sessionValue].(string)
	if id == "" {
		return nil, errors.New("a session without an id")
	}
	return []byte(id), nil
}

// Deserialize fills the Values of a sessions.Session.
func (idSerializer) Deserialize(src []byte, dst any) error {
	values, ok := dst.(*map[any]any)
	if !ok || len(src) == 0 {
		return errors.New("no session")
	}
	*values = map[any]any{sessionValue: string(src)}
	return nil
}

func newSessionID() string {
	id := make([]byte, sessionBytes)
	_, _ = rand.Read(id) // never errs
	return base64.RawURLEncoding.EncodeToString(id)
}

// session is the session that the request belongs to, "" if it names none. It never makes one.
func (s *Server) session(c echo.Context) string {
	if id, known := c.Get(sessionKey).(string); known {
		return id
	}
	id := ""
	if cookieless(c) {
		return id
	}
	return s.sessions.fromCookies(c.Request(), s.door.cookie)
}

// fromCookies is the session of the first cookie of that name which is ours. One of an old key, of another app, or junk is nobody's, and hides
// none behind it: a browser sends several of one name that were set for different paths or domains.
func (st *sessionStores) fromCookies(r *http.Request, name string) string {
	header := r.Header["Cookie"]
	if len(header) != 1 { // HTTP/2 may send several, which are few
		return st.decodeCookies(r, name)
	}
	id, known := st.known.find(header[0])
	if !known {
		id = st.decodeCookies(r, name)
		st.known.keep(header[0], id)
	}
	return id
}

func (st *sessionStores) decodeCookies(r *http.Request, name string) string {
	for _, cookie := range r.CookiesNamed(name) {
		var values map[any]any
		if securecookie.DecodeMulti(name, cookie.Value, &values, st.cookies.Codecs...) == nil {
			id, _ := values[sessionValue].(string)
			return id
		}
	}
	return ""
}

// ensureSession is session, and makes one where there is none. It sets the cookie, also to renew its age, so it comes before the answer's
// first byte.
func (s *Server) ensureSession(c echo.Context) (string, error) {
	id := s.session(c)
	if bearer, _ := c.Get(bearerKey).(bool); bearer {
		return id, nil
	}
	if cookieless(c) {
		return "", refuse(errInvalidToken, i18n.Msg("problem.invalid_token.site"))
	}
	if id == "" {
		id = newSessionID()
	}
	session := sessions.NewSession(s.sessions.cookies, s.door.cookie)
	options := *s.sessions.cookies.Options
	options.Secure = s.door.secure || c.IsTLS()
	if s.door.BasePath != "" && !s.door.secure { // a name that begins with __Host- must be for the whole host
		options.Path = s.door.BasePath
	}
	session.Options, session.Values[sessionValue] = &options, id
	if err := s.sessions.cookies.Save(c.Request(), c.Response(), session); err != nil {
		return "", fmt.Errorf("session cookie: %w", err)
	}
	c.Set(sessionKey, id)
	return id, nil
}

// cookieless tells whether the page that asks may not use the visitor's cookie.
func cookieless(c echo.Context) bool {
	no, _ := c.Get(cookielessKey).(bool)
	return no
}

// identify takes the session from the name that a trusted proxy gives the visitor, or from a bearer token, which outranks a cookie. A token that
// isn't ours is refused, so that its sender learns of it, but for calls that are for nobody in particular, such as a monitor's, or for the operator. Other ways of
// authorization belong to a proxy before us and are let alone.
func (s *Server) identify(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if id := s.door.person(c.Request()); id != "" {
			c.Set(sessionKey, id)
			c.Set(bearerKey, true)
			return next(c)
		}
		scheme, token, _ := strings.Cut(c.Request().Header.Get(echo.HeaderAuthorization), " ")
		if !strings.EqualFold(scheme, "Bearer") || forAnybody[c.Path()] || strings.HasPrefix(c.Path(), adminAPI) {
			return next(c)
		}
		var id []byte
		if err := securecookie.DecodeMulti(tokenName, strings.TrimSpace(token), &id, s.sessions.tokens...); err != nil || len(id) == 0 || isPerson(string(id)) {
			return errInvalidToken
		}
		c.Set(sessionKey, string(id))
		c.Set(bearerKey, true)
		return next(c)
	}
}

// apiSession gives a bearer token: of the session that asks, or of a new one.
func (s *Server) apiSession(c echo.Context) error {
	if _, err := s.readBody(c); err != nil { // a body is allowed and means nothing
		return err
	}
	id := s.session(c)
	if id == "" {
		id = newSessionID()
	}
	token, err := securecookie.EncodeMulti(tokenName, []byte(id), s.sessions.tokens...)
	if err != nil {
		return fmt.Errorf("session token: %w", err)
	}
	return sendJSON(c, http.StatusCreated, struct {
		Token   string `json:"token"`
		Expires int64  `json:"expires_in_seconds"`
	}{token, int64(sessionMaxAge / time.Second)})
}
