package web

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"
)

// ParseOrigin reads an origin as browsers write it, scheme://host or scheme://host:port, and gives its one spelling. The error says what is
// wrong with another text.
func ParseOrigin(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case text == "*" || strings.Contains(text, "*"):
		return "", errors.New("there are no wildcards: name each origin")
	case text == "null":
		return "", errors.New("null is the origin of pages that have none; nobody can trust it")
	case err != nil:
		return "", errors.New("it can't be read as scheme://host")
	case u.Scheme != "http" && u.Scheme != "https":
		return "", errors.New("it must begin with https:// or http://")
	case u.Hostname() == "":
		return "", errors.New("it has no host")
	case u.User != nil:
		return "", errors.New("it has a user in it")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", errors.New("it has something behind the host: an origin is scheme://host or scheme://host:port")
	case strings.HasSuffix(u.Host, ":"):
		return "", errors.New("its port is empty")
	}
	return originOf(u), nil
}

// originOf is the one spelling of a URL's origin: lower case, without the port that the scheme has anyway.
func originOf(u *url.URL) string {
	host := strings.ToLower(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" && port != standardPort(u.Scheme) {
		host = host + ":" + port
	}
	return u.Scheme + "://" + host
}

func standardPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

// foreign tells whether a browser says that a page of an origin that isn't trusted makes this request. The websocket library asks the same
// of the host, but not of the scheme, and knows no other names of ours.
func (d *door) foreign(r *http.Request) bool {
	text := r.Header.Get("Origin")
	if d.trusts(text) {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return true
	}
	if text == "" {
		return false // no browser: a browser always names it for a websocket and for a request that isn't safe
	}
	return !d.ownOrigin(r, text)
}

// trusts tells whether the settings name the origin.
func (d *door) trusts(text string) bool {
	if len(d.trusted) == 0 && len(d.bearer) == 0 || text == "" {
		return false
	}
	origin, err := ParseOrigin(text)
	return err == nil && (d.trusted[origin] || d.bearer[origin])
}

// ownOrigin tells whether the origin is that of the address which the request was sent to.
func (d *door) ownOrigin(r *http.Request, text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || !sameHost(u, r.Host) {
		return false
	}
	// A page that was loaded without encryption may be anybody's.
	if u.Scheme == "http" && (r.TLS != nil || d.secure && "https://"+strings.ToLower(u.Host) == d.origin) {
		return false
	}
	return true
}

// fromHere tells whether no page of another origin makes the request, a trusted one neither.
func (d *door) fromHere(r *http.Request) bool {
	text := r.Header.Get("Origin")
	origin, err := ParseOrigin(text)
	return text == "" || err == nil && origin == d.origin || d.ownOrigin(r, text)
}

// sameHost compares host and port; the scheme's own port may be left out.
func sameHost(u *url.URL, host string) bool {
	if strings.EqualFold(u.Host, host) {
		return true
	}
	name, port, err := net.SplitHostPort(host)
	return err == nil && port == standardPort(u.Scheme) && strings.EqualFold(u.Host, name)
}

// bearerOnly tells whether the page that asks may use tokens alone: the visitor's cookies are none of its business.
func (d *door) bearerOnly(r *http.Request) bool {
	if len(d.bearer) == 0 {
		return false
	}
	text := r.Header.Get("Origin")
	origin, err := ParseOrigin(text)
	return err == nil && d.bearer[origin] && !d.trusted[origin] && !d.ownOrigin(r, text)
}

// refuseCrossSite keeps pages of other sites from acting in a visitor's name.
func (s *Server) refuseCrossSite(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if s.door.protection.Check(r) != nil || unsafe(r.Method) && r.Header.Get("Sec-Fetch-Site") == "" && s.door.foreign(r) {
			return s.crossSite(r)
		}
		return next(c)
	}
}

func unsafe(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

// crossSite is the refusal of a request of another site's page. The log names the setting that makes an origin ours.
func (s *Server) crossSite(r *http.Request) error {
	s.door.warnForeign(s.log, s.now().UnixNano(), r)
	return errCrossSite
}
