package web

import (
	"crypto/sha256"
	"encoding/base64"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/labstack/echo/v4"
)

// extractor finds the address that a request comes from: the peer's, or, where that is a trusted proxy, the right-most address of
// X-Forwarded-For that isn't one. What stands left of it is the visitor's own word.
func (o Door) extractor() echo.IPExtractor {
	if len(o.TrustedProxies) == 0 {
		return echo.ExtractIPDirect()
	}
	trust := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, p := range o.TrustedProxies {
		trust = append(trust, echo.TrustIPRange(&net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}))
	}
	return echo.ExtractIPFromXFFHeader(trust...)
}

// networkOf is what limits by address count by: an IPv4 address, or the /64 of an IPv6 one, which is what one household gets. Empty: the
// peer has no such address.
func networkOf(c echo.Context) string {
	ip, err := netip.ParseAddr(c.RealIP())
	if err != nil {
		return ""
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	whole, _ := ip.Prefix(64) // an IPv6 address has 64 bits
	return whole.String()
}

// fromProxy tells whether a trusted proxy has sent the request itself.
func (d *door) fromProxy(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	for _, p := range d.TrustedProxies {
		if p.Contains(peer.Addr().Unmap().WithZone("")) {
			return true
		}
	}
	return false
}

// personPrefix begins the sessions of named persons, which no cookie or token has.
const personPrefix = "person."

// person is the session of whom a trusted proxy names, so that a person has one ticket, whatever the browser; empty if it names nobody. Of
// a header that is there twice the visitor may have written one.
func (d *door) person(r *http.Request) string {
	if d.IdentityHeader == "" || !d.fromProxy(r) {
		return ""
	}
	named := r.Header.Values(d.IdentityHeader)
	if len(named) != 1 || strings.TrimSpace(named[0]) == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.TrimSpace(named[0])))
	return personPrefix + base64.RawURLEncoding.EncodeToString(sum[:])
}

func isPerson(session string) bool { return strings.HasPrefix(session, personPrefix) }
