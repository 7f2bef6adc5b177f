package web

import (
	"strings"

	"confluence/queue"
)

// viewTag is the ETag of a standing. It is weak: the seconds in the view go on while the tag stands.
func viewTag(v queue.View) string {
	return tag(fnvBegin).text(v.TicketID).text(string(v.Status)).number(int64(v.Position)).text(string(v.Runner)).flag(v.Paused).text(v.Notice).String()
}

// pictureTag is the ETag of the public picture, weak for the same reason.
func pictureTag(p queue.Picture) string {
	return tag(fnvBegin).number(p.Revision).text(string(p.Runner)).number(int64(p.Length)).flag(p.Paused).text(p.Notice).String()
}

// tag is an ETag in the making: a sum (FNV-1a) of what the document shows, each part with its end.
type tag uint64

const (
	fnvBegin = 0xcbf29ce484222325
	fnvPrime = 0x100000001b3
)

func (t tag) byte(b byte) tag { return (t ^ tag(b)) * fnvPrime }

func (t tag) text(s string) tag {
	for i := range len(s) {
		t = t.byte(s[i])
	}
	return t.byte(0)
}

func (t tag) number(n int64) tag {
	for range 8 {
		t, n = t.byte(byte(n)), n>>8
	}
	return t.byte(0)
}

func (t tag) flag(on bool) tag {
	if on {
		return t.byte(1)
	}
	return t.byte(0)
}

func (t tag) String() string {
	b := append(make([]byte, 0, 20), `W/"`...)
	for at := 60; at >= 0; at -= 4 {
		b = append(b, "0123456789abcdef"[t>>at&15])
	}
	return string(append(b, '"'))
}

// tagMatches tells whether an If-None-Match header names the tag.
func tagMatches(header, tag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}
