package openai

import (
	"net/netip"
	"syscall"
)

// metadata are the addresses beyond the link-local ones at which clouds tell their machines secrets.
var metadata = []netip.Addr{
	netip.MustParseAddr("fd00:ec2::254"),   // AWS
	netip.MustParseAddr("fd20:ce::254"),    // Google
	netip.MustParseAddr("168.63.129.16"),   // Azure
	netip.MustParseAddr("100.100.100.200"), // Alibaba
	netip.MustParseAddr("192.0.0.192"),     // Oracle
}

// control looks at an address when the connection is made: a name may have meant another one before.
func control(_, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if refused(target.Addr()) {
		return &addressError{target.Addr()}
	}
	return nil
}

// refused says whether nothing may connect to the address.
func refused(addr netip.Addr) bool {
	addr = addr.WithZone("").Unmap()
	if addr.IsLinkLocalUnicast() || addr.IsMulticast() {
		return true
	}
	for _, m := range metadata {
		if addr == m {
			return true
		}
	}
	inner, embedded := embeddedIPv4(addr)
	return embedded && refused(inner)
}

var (
	nat64      = netip.MustParsePrefix("64:ff9b::/96")
	compatible = netip.MustParsePrefix("::/96")
	sixToFour  = netip.MustParsePrefix("2002::/16")
)

// embeddedIPv4 is the IPv4 address that a gateway would make of an IPv6 one.
func embeddedIPv4(addr netip.Addr) (netip.Addr, bool) {
	if !addr.Is6() {
		return addr, false
	}
	b := addr.As16()
	switch {
	case nat64.Contains(addr), compatible.Contains(addr):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case sixToFour.Contains(addr):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	}
	return addr, false
}
