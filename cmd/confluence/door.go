package main

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/textproto"
	"strings"

	"github.com/alecthomas/kong"

	"confluence/web"
)

// doorSettings is what an operator decides about the way in.
type doorSettings struct {
	PublicURL      string   `name:"public-url" type:"publicurl" group:"The door" placeholder:"URL" help:"Where browsers find Confluence, such as https://ask.example.org. With https its cookie is for https alone."`
	BasePath       string   `type:"basepath" group:"The door" placeholder:"PATH" help:"Path of its host below which Confluence is, such as /ask. A proxy may take it away or leave it."`
	TLSCert        string   `name:"tls-cert" type:"text" group:"The door" placeholder:"FILE" help:"Certificate, with those between it and its root, in PEM: Confluence speaks https itself."`
	TLSKey         string   `name:"tls-key" type:"text" group:"The door" placeholder:"FILE" help:"The certificate's key, in PEM."`
	TrustedOrigins []string `type:"origins" group:"The door" placeholder:"ORIGIN,…" help:"Other origins, as scheme://host:port, whose pages may act in a visitor's name."`
	BearerOrigins  []string `type:"origins" group:"The door" placeholder:"ORIGIN,…" help:"Other origins whose pages may call the API, with a bearer token and never with a visitor's cookie."`

	TrustedProxies []netip.Prefix `type:"networks" group:"The door" placeholder:"CIDR,…" help:"Networks of the proxies before Confluence, whose X-Forwarded-For is believed, such as 127.0.0.1/32."`
	IdentityHeader string         `type:"header" group:"The door" placeholder:"NAME" help:"Header in which a trusted proxy names the person: one ticket a person. The proxy must set it or take it away in every request."`

	JoinsPerAddress   int `name:"joins-per-address" type:"count" min:"0" default:"0" group:"The door" help:"Tickets that one network address may get a minute; 0: any number."`
	WaitingPerAddress int `name:"waiting-per-address" type:"count" min:"0" default:"0" group:"The door" help:"Tickets of one network address that may wait in line; 0: any number."`
	SocketsPerAddress int `name:"sockets-per-address" type:"count" min:"0" default:"0" group:"The door" help:"Open websockets of one network address; 0: any number."`
	MaxSockets        int `type:"count" min:"1" default:"18000" group:"The door" help:"Open websockets in all."`
	MaxKeptBytes      int `type:"count" min:"1" max:"1099511627776" default:"67108864" group:"The door" help:"Bytes of all texts together that wait with their tickets."`
}

// door is the door of the web server.
func (s doorSettings) door() web.Door {
	return web.Door{
		PublicURL:         s.PublicURL,
		BasePath:          s.BasePath,
		TLS:               s.TLSCert != "",
		TrustedOrigins:    s.TrustedOrigins,
		BearerOrigins:     s.BearerOrigins,
		TrustedProxies:    s.TrustedProxies,
		IdentityHeader:    s.IdentityHeader,
		JoinsPerAddress:   s.JoinsPerAddress,
		WaitingPerAddress: s.WaitingPerAddress,
		SocketsPerAddress: s.SocketsPerAddress,
		MaxSockets:        s.MaxSockets,
		MaxKeptBytes:      int64(s.MaxKeptBytes),
	}
}

// check finds settings of the door that don't go together.
func (s doorSettings) check() error {
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return fmt.Errorf("--tls-cert (%s) and --tls-key (%s) need each other: only one is set", envName("tls-cert"), envName("tls-key"))
	}
	if s.IdentityHeader != "" && len(s.TrustedProxies) == 0 {
		return fmt.Errorf("--identity-header (%s) is set and --trusted-proxies (%s) is not: anybody could send the header. Name the networks of the proxies that set it",
			envName("identity-header"), envName("trusted-proxies"))
	}
	return nil
}

// warn says what an operator may not have thought of: without https, everybody between a visitor and Confluence can read and take over.
func (s doorSettings) warn(log *slog.Logger, address string) {
	https := strings.HasPrefix(s.PublicURL, "https:") || s.PublicURL == "" && s.TLSCert != ""
	switch {
	case https:
	case s.PublicURL != "":
		log.Warn("the public URL is plain http: whoever is on the way can read queries and answers, and take a visitor's place. Better is https", "public_url", s.PublicURL)
	case !loopback(address):
		log.Warn("visitors come over plain http, or Confluence doesn't know that they don't: set CONFLUENCE_WEB_PUBLIC_URL to the address that browsers show. Better is https", "addr", address)
	}
}

// loopback tells whether only this machine reaches the address.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// certificate reads the certificate and its key; nil if Confluence doesn't speak https itself.
func (s doorSettings) certificate() (*tls.Config, error) {
	if s.TLSCert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(s.TLSCert, s.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("the certificate of --tls-cert (%s) and --tls-key (%s): %w", envName("tls-cert"), envName("tls-key"), err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

func parseBasePath(text string, _ *kong.Tag) (string, error) {
	base, err := web.ParseBasePath(text)
	if err != nil {
		return "", notAllowed{allowed: "a path such as /ask or /tools/ask; " + err.Error()}
	}
	return base, nil
}

func parsePublicURL(text string, _ *kong.Tag) (string, error) {
	u, err := web.ParsePublicURL(text)
	if err != nil {
		return "", notAllowed{allowed: "https://host or http://host, with :port if it has one, as browsers show it; " + err.Error()}
	}
	return u.String(), nil
}

// parseOrigins reads origins between commas.
func parseOrigins(text string, _ *kong.Tag) ([]string, error) {
	var origins []string
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		origin, err := web.ParseOrigin(part)
		if err != nil {
			return nil, notAllowed{allowed: fmt.Sprintf("origins between commas, such as https://intranet.example.org or http://reports.lan:8080; of %q: %v", part, err)}
		}
		origins = append(origins, origin)
	}
	return origins, nil
}

// parseNetworks reads networks between commas; an address alone is a network of one.
func parseNetworks(text string, _ *kong.Tag) ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if ip, err := netip.ParseAddr(part); err == nil && ip.Zone() == "" {
			networks = append(networks, netip.PrefixFrom(ip.Unmap(), ip.Unmap().BitLen()))
			continue
		}
		network, err := netip.ParsePrefix(part)
		switch {
		case err != nil || network.Addr().Is4In6():
			return nil, notAllowed{allowed: fmt.Sprintf("networks between commas, such as 127.0.0.1/32 or fd00::/8; %q is none", part)}
		case network.Bits() == 0:
			return nil, notAllowed{allowed: fmt.Sprintf("the networks of proxies alone; %s is everybody, who could then choose an address and a name", part)}
		}
		networks = append(networks, network.Masked())
	}
	return networks, nil
}

func parseHeader(text string, _ *kong.Tag) (string, error) {
	if strings.ContainsFunc(text, func(r rune) bool {
		return !strings.ContainsRune("-_", r) && (r < '0' || r > '9') && (r|' ' < 'a' || r|' ' > 'z')
	}) {
		return "", notAllowed{allowed: "the name of a header, such as X-Auth-Request-Email"}
	}
	switch name := textproto.CanonicalMIMEHeaderKey(text); name {
	case "Authorization", "Cookie", "Host", "Origin", "X-Forwarded-For":
		return "", notAllowed{allowed: "a header that names the person and nothing else, such as X-Auth-Request-Email"}
	default:
		return name, nil
	}
}
