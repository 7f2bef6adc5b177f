package openai

import (
	"errors"
	"net/netip"
	"testing"
)

func TestRefusedAddresses(t *testing.T) {
	for address, want := range map[string]bool{
		"169.254.169.254": true, "169.254.0.1": true, "169.254.170.2": true, "168.63.129.16": true, "100.100.100.200": true, "192.0.0.192": true,
		"fe80::1": true, "fe80::1%eth0": true, "febf::1": true, "fd00:ec2::254": true, "fd20:ce::254": true,
		"::ffff:169.254.169.254": true, "::169.254.169.254": true, "64:ff9b::169.254.169.254": true, "2002:a9fe:a9fe::1": true,
		"224.0.0.1": true, "ff02::1": true,
		"127.0.0.1": false, "::1": false, "0.0.0.0": false, "::": false, "10.0.0.1": false, "192.168.1.1": false, "172.16.0.1": false,
		"100.64.0.1": false, "fd12:3456::1": false, "203.0.113.7": false, "2001:db8::1": false, "::ffff:10.0.0.1": false, "64:ff9b::8.8.8.8": false,
	} {
		if got := refused(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

func TestControlRefusesAtConnectTime(t *testing.T) {
	var refusal *addressError
	if err := control("tcp4", "169.254.169.254:80", nil); !errors.As(err, &refusal) {
		t.Error(err)
	}
	if err := control("tcp6", "[fe80::1%eth0]:80", nil); !errors.As(err, &refusal) {
		t.Error(err)
	}
	if err := control("tcp4", "127.0.0.1:80", nil); err != nil {
		t.Error(err)
	}
	if err := control("unix", "/run/model.sock", nil); err == nil {
		t.Error("an address that can't be read was let through")
	}
}
