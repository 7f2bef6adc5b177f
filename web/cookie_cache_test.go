package web

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestCookieCache(t *testing.T) {
	now := time.Now()
	c := newCookieCache(func() time.Time { return now })
	want := func(header, session string) {
		t.Helper()
		if got, known := c.find(header); got != session || known != (session != "") {
			t.Errorf("at %v %s is of %q", now, header, got)
		}
	}
	c.keep("a", "1")
	c.keep("nobody's", "")
	c.keep(strings.Repeat("x", cookieLongest+1), "1")
	want("a", "1")
	want("nobody's", "")
	want(strings.Repeat("x", cookieLongest+1), "")
	now = now.Add(cookiesKept)
	want("a", "1")
	c.keep("b", "2")
	want("a", "1")
	now = now.Add(cookiesKept)
	c.keep("c", "3")
	want("a", "")
	want("b", "2")
	now = now.Add(2 * cookiesKept)
	want("b", "")
	want("c", "")
	c.keep("d", "4")
	want("c", "")

	for i := range 5 * cookiesAtMost / 2 {
		c.keep(fmt.Sprint(i), "s")
	}
	if n := len(c.present) + len(c.past); n > 2*cookiesAtMost {
		t.Errorf("%d are remembered", n)
	}
}
