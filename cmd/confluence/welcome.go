package main

import (
	"fmt"
	"net"
)

// welcome tells the person who started Confluence where it is.
func (a *app) welcome(folder dataFolder, runner string) {
	url := address(a.listener.Addr())
	data := string(folder)
	if a.settings.DataDir == "" {
		data = "none: everything is in memory and gone with this process"
	}
	fmt.Fprintf(a.out, `Confluence is open.

  Ask     %s
  Kiosk   %skiosk
  Runner  %s
  Data    %s

Ctrl-C stops it.
`, url, url, runner, data)
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
