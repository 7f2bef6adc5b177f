package web

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/securecookie"
	"github.com/labstack/echo/v4"

	"confluence/views/i18n"
)

const (
	deskCookie    = "confluence_desk"
	deskSession   = 12 * time.Hour // so long one stays signed in
	triesAtOnce   = 5              // wrong tokens from one address
	tryEvery      = 10 * time.Second
	adminAPI      = "/api/v1/admin"
	signInAddress = "/admin/sign-in"
)

// LeastAdminToken is how many characters the operator's token must have.
const LeastAdminToken = 16

// deskDoor knows who may act for the operator: who has the token, and browsers that have exchanged it for a cookie. The cookie is signed with a
// key that is made of the token, too, so that with a new token everybody has to sign in again.
type deskDoor struct {
	token  [sha256.Size]byte // its hash, which all tokens have in the same length
	cookie string            // its name
	codecs []securecookie.Codec
	tries  *pace // of wrong tokens, by address
	now    func() time.Time

	mu        sync.Mutex
	signedOut map[string]time.Time // cookies that were given back, until they are too old anyway
}

// newDeskDoor errs on a token that can be guessed.
func newDeskDoor(token string, keys [][]byte, d *door, now func() time.Time) (*deskDoor, error) {
	if len(token) < LeastAdminToken {
		return nil, fmt.Errorf("the operator's token has %d characters: it must have %d or more", len(token), LeastAdminToken)
	}
	var pairs [][]byte
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(deskCookie + "\x00" + token))
		pairs = append(pairs, mac.Sum(nil), nil)
	}
	desk := &deskDoor{
		token: sha256.Sum256([]byte(token)), cookie: strings.Replace(d.cookie, sessionCookie, deskCookie, 1), codecs: securecookie.CodecsFromPairs(pairs...),
		tries: newPace(triesAtOnce, tryEvery, now), now: now, signedOut: map[string]time.Time{},
	}
	for _, codec := range desk.codecs {
		codec.(*securecookie.SecureCookie).SetSerializer(securecookie.NopEncoder{}).MaxAge(int(deskSession / time.Second))
	}
	return desk, nil
}

// admits tells whether it is the operator's token. An address that has tried too many others is told when it may try again, and nothing else.
func (d *deskDoor) admits(address, token string) (right bool, wait time.Duration) {
	given := sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(given[:], d.token[:]) == 1 {
		wait = d.tries.wait(address)
		return wait == 0, wait
	}
	return false, d.tries.take(address)
}

// signedIn names the cookie by which a browser acts for the operator; empty: it has none that counts.
func (d *deskDoor) signedIn(c echo.Context) string {
	if cookieless(c) {
		return ""
	}
	for _, cookie := range c.Request().CookiesNamed(d.cookie) {
		var id []byte
		if securecookie.DecodeMulti(d.cookie, cookie.Value, &id, d.codecs...) != nil {
			continue
		}
		d.mu.Lock()
		_, out := d.signedOut[string(id)]
		d.mu.Unlock()
		if !out {
			return string(id)
		}
	}
	return ""
}

// signOut has a cookie count no more, whoever has a copy of it.
func (d *deskDoor) signOut(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	for old, until := range d.signedOut {
		if until.Before(now) {
			delete(d.signedOut, old)
		}
	}
	d.signedOut[id] = now.Add(deskSession)
}

// setDeskCookie signs a browser in, or out if the value is empty.
func (s *Server) setDeskCookie(c echo.Context, value string) {
	path := cmp.Or(s.door.BasePath, "/")
	if s.door.secure { // a name that begins with __Host- must be for the whole host
		path = "/"
	}
	age := int(deskSession / time.Second)
	if value == "" {
		age = -1
	}
	c.SetCookie(&http.Cookie{
		Name: s.desk.cookie, Value: value, Path: path, MaxAge: age,
		HttpOnly: true, Secure: s.door.secure || c.IsTLS(), SameSite: http.SameSiteStrictMode,
	})
}

// atDesk is for a page of the desk: who isn't signed in is led to where that is done. Other sites that may act in a visitor's name may not in the
// operator's.
func (s *Server) atDesk(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if r := c.Request(); unsafe(r.Method) && !s.door.fromHere(r) {
			return s.crossSite(r)
		}
		if s.desk.signedIn(c) == "" {
			return see(c, signInAddress)
		}
		return next(c)
	}
}

// withToken is for a call of a script, which sends the token itself.
func (s *Server) withToken(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		scheme, token, _ := strings.Cut(c.Request().Header.Get(echo.HeaderAuthorization), " ")
		refused := refuse(errInvalidToken, i18n.Msg("problem.invalid_token.desk"))
		if !strings.EqualFold(scheme, "Bearer") {
			return refused
		}
		right, wait := s.desk.admits(networkOf(c), strings.TrimSpace(token))
		switch {
		case wait > 0:
			return &refusal{err: errRateLimited, after: wholeSeconds(wait), detail: i18n.Msg("admin.signIn.often", "time", roundUp(wait))}
		case !right:
			s.logDesk(c, "a wrong operator's token was refused")
			return refused
		}
		return next(c)
	}
}

// logDesk is the operator's book: one line for each thing that was done at the desk, or tried.
func (s *Server) logDesk(c echo.Context, what string, more ...any) {
	s.log.Info(what, append([]any{"address", c.RealIP(), "path", c.Path(), "request_id", requestID(c)}, more...)...)
}

// roundUp is a length of time to be told, in whole seconds.
func roundUp(d time.Duration) time.Duration { return time.Duration(wholeSeconds(d)) * time.Second }
