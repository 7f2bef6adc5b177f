package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
)

func TestLiveTooManySockets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, liveLongRuns)
		site.liveHolder("hold")
		waiter := site.liveWaiter("mine")
		var open []*liveSocket
		for range socketsPerSession + 2 {
			k := waiter.open("/live")
			k.next()
			open = append(open, k)
		}
		open[0].ends(closeTooMany)
		open[1].ends(closeTooMany)
		for _, k := range open[2:] {
			k.isOpen()
		}

		site.server.live.atMost = len(site.server.live.open)
		k := waiter.open("/live")
		k.ends(websocket.StatusTryAgainLater)
		site.server.live.atMost++
		site.server.live.kiosksAtMost = 0
		kiosk := site.visitor().open("/live/kiosk")
		kiosk.ends(websocket.StatusTryAgainLater)
		waiter.open("/live").next()
	})
}

// cross-site: a page of another origin gets no socket, and is no heartbeat.
func TestLiveRefusesOtherOrigins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, liveLongRuns)
		site.liveHolder("hold")
		waiter := site.liveWaiter("mine")
		try := func(headers ...string) int {
			t.Helper()
			header := http.Header{}
			for i := 0; i < len(headers); i += 2 {
				header.Set(headers[i], headers[i+1])
			}
			conn, response, err := websocket.Dial(t.Context(), "ws://confluence.test/live", &websocket.DialOptions{HTTPClient: waiter.client, HTTPHeader: header})
			if err == nil {
				_ = conn.CloseNow()
			}
			return response.StatusCode
		}
		liveSleep(20 * time.Second)
		for _, origin := range []string{"http://evil.test", "null", "http://confluence.test:8080", "https://confluence.test.evil.test", "file://", "%"} {
			if got := try("Origin", origin); got != http.StatusForbidden {
				t.Errorf("origin %s: status %d", origin, got)
			}
		}
		for _, site := range []string{"cross-site", "same-site"} {
			if got := try("Origin", pageAddress, "Sec-Fetch-Site", site); got != http.StatusForbidden {
				t.Errorf("%s: status %d", site, got)
			}
		}
		liveSleep(11 * time.Second)
		waiter.get("/wait").shows(t, 200, "Your place was given up")
		for _, headers := range [][]string{{}, {"Origin", pageAddress}, {"Origin", pageAddress, "Sec-Fetch-Site", "same-origin"}} {
			if got := try(headers...); got != http.StatusSwitchingProtocols {
				t.Errorf("%q: status %d", headers, got)
			}
		}
	})
}

func TestForeignOverTLS(t *testing.T) {
	for origin, want := range map[string]bool{"https://confluence.test": false, "http://confluence.test": true} {
		r := httptest.NewRequest(http.MethodGet, "https://confluence.test/live", nil)
		r.Header.Set("Origin", origin)
		if got := (&door{}).foreign(r); got != want {
			t.Errorf("%s: foreign is %v", origin, got)
		}
	}
}

// shutdown: everybody is told to come back, in bounded time, even by one who doesn't answer.
func TestLiveStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, liveLongRuns)
		_, holder := site.liveHolder("hold")
		var open []*liveSocket
		for range 50 {
			open = append(open, site.liveWaiter("mine").open("/live"))
		}
		kiosk := site.visitor().open("/live/kiosk")
		site.liveWaiter("deaf").dial("/live")
		synctest.Wait()

		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		if err := site.server.live.stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("stop: %v", err)
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("it took %v", took)
		}
		for _, k := range append(open, holder, kiosk) {
			k.ends(websocket.StatusServiceRestart)
		}
		if n := len(site.server.live.open); n != 0 {
			t.Errorf("%d sockets are open", n)
		}
		if err := site.server.live.stop(t.Context()); err != nil {
			t.Errorf("stop again: %v", err)
		}
		visitor := site.visitor()
		visitor.get("/")
		_, response, _ := websocket.Dial(t.Context(), "ws://confluence.test/live", &websocket.DialOptions{HTTPClient: visitor.client})
		if response.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("a socket after the end: status %d", response.StatusCode)
		}
	})
}
