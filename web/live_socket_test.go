package web

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
)

// frozen-client: a client that was stopped in mid-air answers no ping. Its ticket goes after the heartbeat, its socket before.
func TestLiveFrozenClientIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, liveLongRuns)
		site.liveHolder("hold")
		var frozen atomic.Bool
		k := site.liveWaiter("mine").open("/live", func(o *websocket.DialOptions) {
			o.OnPingReceived = func(context.Context, []byte) bool { return !frozen.Load() }
		})
		healthy := site.liveWaiter("other").open("/live")
		if m := healthy.next(); m.Position != 2 {
			t.Errorf("%+v", m)
		}
		liveSleep(10*time.Minute + time.Second)
		k.isOpen()
		frozen.Store(true)
		liveSleep(29 * time.Second)
		k.ends(-1)
		liveSleep(2 * time.Second)
		if m := healthy.last(); m.Position != 1 {
			t.Errorf("%+v", m)
		}
		healthy.isOpen()
	})
}

// slow-reader: one that stops reading harms only itself.
func TestLiveSlowReaderHarmsOnlyItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, liveLongRuns)
		_, holder := site.liveHolder("hold")
		slow := site.liveWaiter("slow")
		stuck := slow.dial("/live") // and never reads: nothing is buffered on the way, so the first write waits
		var others []*liveSocket
		for range 99 {
			k := site.liveWaiter("mine").open("/live")
			k.next()
			others = append(others, k)
		}
		site.runner.release("hold")
		liveSleep(time.Second)
		holder.ends(websocket.StatusNormalClosure)
		for i, k := range others {
			if m := k.last(); len(m.Line.Called) != 1 || m.Line.Called[0] != 2 || m.Position != i+2 {
				t.Fatalf("%+v, line %+v", m, m.Line)
			}
		}
		liveSleep(writeTimeout)
		if n := len(site.server.live.open); n != len(others) {
			t.Errorf("%d sockets are open, want %d", n, len(others))
		}
		for _, k := range others {
			k.isOpen()
		}
		_ = stuck.conn.CloseNow()
		if m := slow.open("/live").next(); m.Status != "ready" {
			t.Errorf("%+v", m)
		}
	})
}

// A slow reader that comes back is told what is true now, not everything that was true meanwhile.
func TestLiveLatestStateWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, liveLongRuns)
		site.liveHolder("hold")
		var before []*pageVisitor
		for range 9 {
			before = append(before, site.liveWaiter("before"))
		}
		k := site.liveWaiter("mine").dial("/live")
		for _, v := range before {
			liveSleep(time.Second)
			v.post("/leave")
		}
		liveSleep(500 * time.Millisecond)
		go k.read()
		liveSleep(100 * time.Millisecond)
		if first := k.next(); first.Position != 10 {
			t.Errorf("%+v", first)
		}
		if second := k.next(); second.Position != 1 {
			t.Errorf("%+v", second)
		}
		k.quiet()
		k.isOpen()
	})
}

func TestLiveIgnoresWhatItIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, liveLongRuns)
		site.liveHolder("hold")
		k, other := site.liveWaiter("mine").open("/live"), site.liveWaiter("other").open("/live")
		k.last()
		for range 100 {
			for _, message := range []string{"{}", `{"type":"leave"}`, "\x00\xff", ""} {
				if err := k.conn.Write(t.Context(), websocket.MessageBinary, []byte(message)); err != nil {
					t.Fatal(err)
				}
			}
		}
		k.quiet()
		if err := k.conn.Write(t.Context(), websocket.MessageText, make([]byte, readLimit)); err != nil {
			t.Fatal(err)
		}
		liveSleep(time.Minute)
		k.isOpen()
		_ = k.conn.Write(t.Context(), websocket.MessageText, make([]byte, readLimit+1))
		liveSleep(time.Second)
		k.ends(websocket.StatusMessageTooBig)
		other.isOpen()
	})
}

// Compression is offered by every browser, and refused: it costs more memory than it saves.
func TestLiveRefusesCompression(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		site.liveHolder("hold")
		site.liveWaiter("mine").open("/live", func(o *websocket.DialOptions) { o.CompressionMode = websocket.CompressionContextTakeover }).next()
	})
}
