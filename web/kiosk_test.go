package web

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue"
	"confluence/static"
)

func TestKioskPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		visitor := site.visitor()
		visitor.get("/kiosk").shows(t, 200, "Ask the test", "confluence.test", "Starts at once")
		pageRunOf(t, visitor, "hold")
		for i := range 12 {
			site.visitor().post("/query", "query", fmt.Sprint("mine ", i))
		}
		page := visitor.get("/kiosk")
		page.shows(t, 200, "Now running", "12 in line", "<b>2</b>", "<b>11</b>")
		if strings.Contains(page.body, "mine") || page.header.Get("Set-Cookie") != "" {
			t.Error("the screen on the wall tells too much, or makes a session")
		}
	})
}

func TestLiveKiosk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, liveLongRuns)
		k := site.visitor().open("/live/kiosk")
		first := k.last()
		if first.Type != "queue" || first.Build != static.Build() || first.Length != 0 || len(first.Serving) != 0 {
			t.Errorf("%+v", first)
		}
		site.liveHolder("hold")
		waiter := site.liveWaiter("mine")
		liveSleep(time.Second)
		if m := k.last(); m.Length != 1 || m.Serving[0] != 1 || m.Next[0] != 2 {
			t.Errorf("%+v", m)
		}
		site.runner.release("hold")
		liveSleep(time.Second)
		if m := k.last(); m.Length != 0 || len(m.Serving) != 0 || m.Called[0] != 2 {
			t.Errorf("%+v", m)
		}
		waiter.post("/leave")
		liveSleep(time.Second)
		if m := k.last(); len(m.Called) != 0 {
			t.Errorf("%+v", m)
		}
	})
}

// wall-screen: a screen hears something at least every 15 s, with what has passed meanwhile, so that silence means that the server is gone.
func TestLiveKioskIsNeverSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, liveLongRuns)
		site.liveHolder("hold")
		k := site.visitor().open("/live/kiosk")
		k.last()
		for i := range int64(40) {
			liveSleep(kioskSilence)
			if m := k.next(); m.Elapsed == nil || *m.Elapsed != 15*(i+1) {
				t.Fatalf("%d: %+v", i, m)
			}
		}
		k.isOpen()
	})
}

// A screen that vanished is noticed within the heartbeat.
func TestLiveKioskThatVanished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, func(c *queue.Config, _ *Options) { c.Heartbeat = 9 * time.Second })
		k := site.visitor().open("/live/kiosk")
		deaf := site.visitor().dial("/live/kiosk")
		liveSleep(10 * time.Second)
		k.isOpen()
		if n := site.server.live.kiosks; n != 1 {
			t.Errorf("%d kiosks are open, want 1", n)
		}
		_ = deaf.conn.CloseNow()
	})
}
