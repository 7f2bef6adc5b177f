package main

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strings"

	"github.com/alecthomas/kong"

	"confluence/web"
)

// doorSettings is what an operator decides about the way in.
type doorSettings struct {
	PublicURL      string   `name:"public-url" type:"publicurl" group:"The door" placeholder:"URL" help:"Where browsers find Confluence, such as https://ask.example.org. With https its cookie is for https alone."`
	TLSCert        string   `name:"tls-cert" type:"text" group:"The door" placeholder:"FILE" help:"Certificate, with those between it and its root, in PEM: Confluence speaks https itself."`
	TLSKey         string   `name:"tls-key" type:"text" group:"The door" placeholder:"FILE" help:"The certificate's key, in PEM."`
	TrustedOrigins []string `type:"origins" group:"The door" placeholder:"ORIGIN,…" help:"Other origins, as scheme://host:port, whose pages may act in a visitor's name."`
}

// door is the door of the web server.
func (s doorSettings) door() web.Door {
	return web.Door{
		PublicURL:      s.PublicURL,
		TLS:            s.TLSCert != "",
		TrustedOrigins: s.TrustedOrigins,
	}
}

// check finds settings of the door that don't go together.
func (s doorSettings) check() error {
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return fmt.Errorf("--tls-cert (%s) and --tls-key (%s) need each other: only one is set", envName("tls-cert"), envName("tls-key"))
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
