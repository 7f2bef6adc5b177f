package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
)

// Door is by which way visitors come in, and how many of them. The zero Door is plain HTTP without a proxy before it.
type Door struct {
	PublicURL         string         // where browsers find Confluence, such as "https://ask.example.org"; empty: at whatever host they name
	BasePath          string         // the path below which that is, such as "/ask"; empty: the root
	TLS               bool           // the server that serves the Handler speaks TLS itself
	TrustedOrigins    []string       // whose pages may act in a visitor's name, beside our own
	BearerOrigins     []string       // whose pages may call the API with a bearer token
	TrustedProxies    []netip.Prefix // whose X-Forwarded-For, and IdentityHeader, is believed
	IdentityHeader    string         // in which a trusted proxy names the person; empty: nobody is named
	JoinsPerAddress   int            // a minute; 0: any number
	WaitingPerAddress int            // tickets in line; 0: any number
	SocketsPerAddress int            // 0: any number
	MaxSockets        int            // of all; 0: 18,000
	MaxKeptBytes      int64          // of all texts that are kept with tickets; 0: 64 MiB
}

// door is a Door that was found to be possible.
type door struct {
	Door
	origin     string // of the public URL; empty: not known
	secure     bool   // browsers come over https
	cookie     string // its name
	trusted    map[string]bool
	bearer     map[string]bool // origins that can't use cookies
	protection *http.CrossOriginProtection
	warned     atomic.Int64 // when a foreign origin was logged last, in nanoseconds of the Unix epoch
}

// newDoor errs on a Door that can't be, and says why.
func newDoor(o Door) (*door, error) {
	d := &door{Door: o, secure: o.TLS, cookie: sessionCookie, trusted: map[string]bool{}, bearer: map[string]bool{},
		protection: http.NewCrossOriginProtection()}
	if o.PublicURL != "" {
		u, err := ParsePublicURL(o.PublicURL)
		if err != nil {
			return nil, fmt.Errorf("public URL: %w", err)
		}
		d.origin = originOf(u)
		d.secure = u.Scheme == "https"
		if err := d.trust(d.origin, d.trusted); err != nil {
			return nil, err
		}
	}
	base, err := ParseBasePath(o.BasePath)
	if err != nil {
		return nil, fmt.Errorf("base path %q: %w", o.BasePath, err)
	}
	d.BasePath = base
	d.cookie += strings.ReplaceAll(base, "/", "-") // two of us on one host, each below a path, don't take each other's
	if d.secure {
		d.cookie = "__Host-" + d.cookie // a browser takes it from this very host alone, and over https alone
	}
	for _, list := range []struct {
		origins []string
		into    map[string]bool
	}{{o.TrustedOrigins, d.trusted}, {o.BearerOrigins, d.bearer}} {
		for _, text := range list.origins {
			if err := d.trust(text, list.into); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case o.IdentityHeader != "" && len(o.TrustedProxies) == 0:
		return nil, errors.New("an identity header is believed of trusted proxies alone, and there are none")
	case o.JoinsPerAddress < 0 || o.WaitingPerAddress < 0 || o.SocketsPerAddress < 0 || o.MaxSockets < 0 || o.MaxKeptBytes < 0:
		return nil, errors.New("a limit of the door is below 0")
	}
	return d, nil
}

func (d *door) trust(text string, into map[string]bool) error {
	origin, err := ParseOrigin(text)
	if err != nil {
		return fmt.Errorf("origin %q: %w", text, err)
	}
	if err := d.protection.AddTrustedOrigin(origin); err != nil {
		return err
	}
	into[origin] = true
	return nil
}

// warnForeign logs that a page of another origin was refused, which may mean that a proxy changes the host: at most once a minute, since
// anybody can send such requests.
func (d *door) warnForeign(log *slog.Logger, now int64, r *http.Request) {
	const minute = 60_000_000_000
	last := d.warned.Load()
	if last != 0 && now-last < minute || !d.warned.CompareAndSwap(last, now) {
		return
	}
	log.Warn("a page of another origin was refused. If that origin is Confluence's own, a proxy changes the Host header: set CONFLUENCE_WEB_PUBLIC_URL to it",
		"origin", printable(r.Header.Get("Origin")), "host", printable(r.Host), "path", logPath(r))
}

// ParsePublicURL reads where browsers find Confluence: a scheme, a host and maybe a port.
func ParsePublicURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("it can't be read as a URL")
	}
	bare := *u
	bare.Path, bare.RawPath = "", ""
	if _, err := ParseOrigin(bare.String()); err != nil {
		return nil, err
	}
	if strings.Trim(u.Path, "/") != "" {
		return nil, errors.New("it has a path, which belongs into the base path (CONFLUENCE_WEB_BASE_PATH)")
	}
	u.Path, u.RawPath = "", ""
	return u, nil
}
