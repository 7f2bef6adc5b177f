package main

import (
	"fmt"
	"net"
	"strings"
)

// welcome tells the person who started Confluence where it is.
func (a *app) welcome(folder dataFolder, runner string) {
	url := a.settings.address(a.listener.Addr())
	listens := ""
	if a.settings.PublicURL != "" {
		listens = "\n  Listens " + a.listener.Addr().String()
	}
	data := string(folder)
	if a.settings.DataDir == "" {
		data = "none: everything is in memory and gone with this process"
	}
	operator := ""
	if a.settings.AdminToken != "" {
		operator = "\n  Desk    " + url + "admin"
	}
	if a.metrics != nil {
		operator += "\n  Metrics " + address(a.metrics.listener.Addr()) + "metrics"
	}
	fmt.Fprintf(a.out, `Confluence is open.

  Ask     %s%s
  Kiosk   %skiosk
  Runner  %s
  Data    %s%s

Ctrl-C stops it.
`, url, listens, url, runner, data, operator)
}

// address is where browsers find Confluence: at its public URL, else where it listens.
func (s doorSettings) address(addr net.Addr) string {
	url := address(addr)
	switch {
	case s.PublicURL != "":
		return s.PublicURL + s.BasePath + "/"
	case s.TLSCert != "":
		url = "https" + strings.TrimPrefix(url, "http")
	}
	return strings.TrimSuffix(url, "/") + s.BasePath + "/"
}

// address is where a browser on this machine finds what listens at addr.
func address(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return "http://" + addr.String() + "/"
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port) + "/"
}
