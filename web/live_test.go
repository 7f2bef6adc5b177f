package web

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"confluence/queue"
)

func liveLongRuns(_ *queue.Config, o *Options) { o.RunTimeout = 24 * time.Hour }

// load-gap: what happens between the page and the socket is in the first message.
func TestLiveBeginsWithThePresentState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		_, holder := site.liveHolder("hold")
		waiter := site.liveWaiter("mine")
		other := site.liveWaiter("other")

		k := other.open("/live")
		first := k.next()
		if first.Type != "standing" || first.Status != "queued" || first.Position != 2 || first.Heartbeat != 30 || first.Line == nil ||
			len(first.Line.Serving) != 1 || len(first.Line.Next) != 2 || first.Line.Next[1] != first.Number || first.Line.Elapsed == nil {
			t.Errorf("%+v, line %+v", first, first.Line)
		}

		waiter.get("/wait").shows(t, 200, "You are next")
		site.runner.release("hold")
		liveSleep(3 * time.Second)
		late := waiter.open("/live")
		first = late.next()
		if first.Status != "ready" || first.Expires == nil || *first.Expires != 57 || len(first.Line.Called) != 1 || first.Line.Elapsed != nil {
			t.Errorf("%+v, line %+v", first, first.Line)
		}
		late.quiet()
		if m := k.last(); m.Status != "queued" || m.Position != 2 || m.Line.Called[0] != 2 {
			t.Errorf("%+v, line %+v", m, m.Line)
		}
		if m := holder.last(); m.Type != "finished" {
			t.Errorf("%+v", m)
		}
	})
}

// The whole way of one ticket over one socket.
func TestLiveFollowsATicketToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		_, holder := site.liveHolder("hold one")
		waiter := site.liveWaiter("hold two")
		k, tab := waiter.open("/live"), waiter.open("/live")
		k.next()
		site.runner.release("hold one")
		liveSleep(100 * time.Millisecond)
		finished := holder.last()
		if finished.Type != "finished" || finished.RunID == nil || finished.Outcome == nil || *finished.Outcome != "succeeded" {
			t.Errorf("%+v", finished)
		}
		holder.ends(websocket.StatusNormalClosure)
		if m := k.last(); m.Status != "ready" || m.Position != 1 {
			t.Errorf("%+v", m)
		}
		address := waiter.post("/claim").location
		liveSleep(100 * time.Millisecond)
		m := k.last()
		if m.Status != "running" || m.RunID == nil || "/runs/"+*m.RunID != address || m.Position != 0 {
			t.Errorf("%+v", m)
		}
		site.runner.release("hold two")
		liveSleep(100 * time.Millisecond)
		for _, socket := range []*liveSocket{k, tab} { // several tabs see the same
			if m := socket.last(); m.Type != "finished" || "/runs/"+*m.RunID != address {
				t.Errorf("%+v", m)
			}
			socket.ends(websocket.StatusNormalClosure)
		}
		// A new ticket has sockets of its own.
		waiter.post("/query", "query", "hold three")
		again := waiter.open("/live")
		if m := again.next(); m.Status != "running" || m.Number != 3 {
			t.Errorf("%+v", m)
		}
	})
}

func TestLiveEndings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		nobody := site.visitor().open("/live")
		if m := nobody.next(); m.Type != "none" || m.Reason != "none" {
			t.Errorf("%+v", m)
		}
		nobody.ends(closeNoTicket)

		_, _ = site.liveHolder("hold")
		leaver := site.liveWaiter("mine")
		k := leaver.open("/live")
		k.next()
		leaver.post("/leave")
		liveSleep(100 * time.Millisecond)
		if m := k.last(); m.Type != "left" {
			t.Errorf("%+v", m)
		}
		k.ends(websocket.StatusNormalClosure)
		k = leaver.open("/live")
		if m := k.next(); m.Type != "none" || m.Reason != "left" {
			t.Errorf("%+v", m)
		}
		k.ends(closeNoTicket)

		loser := site.liveWaiter("mine")
		liveSleep(31 * time.Second)
		k = loser.open("/live")
		if m := k.next(); m.Type != "lost" || m.Reason != "heartbeat_lost" || m.Number != 3 {
			t.Errorf("%+v", m)
		}
		k.ends(closeNoTicket)

		sleeper := site.liveWaiter("mine")
		k = sleeper.open("/live")
		site.runner.release("hold")
		liveSleep(61 * time.Second)
		if m := k.last(); m.Type != "lapsed" || m.Number != 4 {
			t.Errorf("%+v", m)
		}
		k.ends(closeNoTicket)
		k = sleeper.open("/live")
		if m := k.next(); m.Type != "lapsed" {
			t.Errorf("%+v", m)
		}
		k.ends(closeNoTicket)
	})
}

// hidden-tab and request-context: the server's pings are the heartbeat, of a page that says nothing for a quarter of an hour.
func TestLiveHiddenTabKeepsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, liveLongRuns)
		site.liveHolder("hold")
		k := site.liveWaiter("mine").open("/live")
		k.next()
		liveSleep(15 * time.Minute)
		k.isOpen()
		k.quiet() // the passing of time is no change
		site.runner.release("hold")
		liveSleep(100 * time.Millisecond)
		if m := k.last(); m.Status != "ready" {
			t.Errorf("%+v", m)
		}
	})
}

// The scripts of a page hear no ping: who asks for it is told of each in a message, and nobody else is.
func TestLivePulse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, liveLongRuns)
		site.liveHolder("hold")
		waiter := site.liveWaiter("mine")
		k, silent := waiter.open("/live?pulse=1"), waiter.open("/live")
		k.next()
		silent.next()
		liveSleep(10*time.Second + time.Millisecond) // a third of the heartbeat
		if m := k.next(); m.Type != "alive" {
			t.Errorf("%+v", m)
		}
		silent.quiet()
		site.runner.release("hold")
		liveSleep(100 * time.Millisecond)
		if m := k.last(); m.Type != "standing" || m.Status != "ready" {
			t.Errorf("%+v", m)
		}
	})
}

// closed-tabs: who closes goes within the heartbeat, and the others move up without a reload.
func TestLiveClosedTabs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, liveLongRuns)
		site.liveHolder("hold")
		var open []*liveSocket
		for range 5 {
			open = append(open, site.liveWaiter("mine").open("/live"))
		}
		synctest.Wait()
		_ = open[0].conn.Close(websocket.StatusGoingAway, "")
		_ = open[2].conn.Close(websocket.StatusGoingAway, "")
		_ = open[3].conn.CloseNow()
		liveSleep(5 * time.Second)
		if picture, _ := site.line.Picture(t.Context()); picture.Length != 5 {
			t.Errorf("closing a socket dropped a ticket: %d in line", picture.Length)
		}
		liveSleep(26 * time.Second)
		if m := open[1].last(); m.Position != 1 {
			t.Errorf("%+v", m)
		}
		if m := open[4].last(); m.Position != 2 {
			t.Errorf("%+v", m)
		}
	})
}

// short-blip: back within the heartbeat is the same ticket at the same place, however often.
func TestLiveReconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, liveLongRuns)
		site.liveHolder("hold")
		site.liveWaiter("first").open("/live")
		waiter := site.liveWaiter("mine")
		for i := range 50 {
			k := waiter.open("/live")
			if m := k.next(); m.Number != 3 || m.Position != 2 {
				t.Fatalf("%d: %+v", i, m)
			}
			_ = k.conn.CloseNow()
			liveSleep(10 * time.Second)
		}
		if n := len(site.server.live.bySession); n != 2 {
			t.Errorf("the room knows %d sessions with open sockets, want 2", n)
		}
		liveSleep(21 * time.Second)
		if m := waiter.open("/live").next(); m.Type != "lost" {
			t.Errorf("%+v", m)
		}
	})
}

// An open socket of the session is watching its runs; when it has closed nobody is.
func TestLiveWatchesTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, liveLongRuns)
		holder, k := site.liveHolder("hold")
		liveSleep(time.Hour)
		k.isOpen()
		_ = k.conn.CloseNow()
		liveSleep(29 * time.Second)
		again := holder.open("/live")
		if m := again.next(); m.Status != "running" {
			t.Fatalf("%+v", m)
		}
		_ = again.conn.CloseNow()
		liveSleep(31 * time.Second)
		if m := holder.open("/live").next(); m.Type != "none" || m.Reason != "finished" || *m.Outcome != "disconnected" {
			t.Errorf("%+v", m)
		}
	})
}

// What is published is told to everybody at once.
func TestLiveTellsPausesAndNotices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, liveLongRuns)
		site.liveHolder("hold")
		k := site.liveWaiter("mine").open("/live")
		k.next()
		notice := "Back at </script> 15:00."
		if err := errors.Join(site.line.SetPaused(t.Context(), true), site.line.SetNotice(t.Context(), notice)); err != nil {
			t.Fatal(err)
		}
		liveSleep(100 * time.Millisecond)
		if m := k.last(); !m.Paused || m.Notice == nil || *m.Notice != notice {
			t.Errorf("%+v", m)
		}
	})
}

// The news of an older ticket, on its way still when a socket is opened, is not about the new one.
func TestLiveIsNotEndedByAnOlderTicket(t *testing.T) {
	older := queue.Ended{Reason: queue.ReasonLeft, TicketID: "q_old"}
	newer := queue.View{TicketID: "q_new", Status: queue.Queued, Revision: 5}
	end := queue.Ended{Reason: queue.ReasonLapsed, TicketID: "q_new"}
	cases := []struct {
		name string
		told func(*standingFeed)
		bye  bool
	}{
		{"read", func(f *standingFeed) { f.read(newer, nil) }, false},
		{"old end before the read", func(f *standingFeed) { f.Ended(older); f.read(newer, nil) }, false},
		{"old ticket and its end before the read", func(f *standingFeed) {
			f.Standing(queue.View{TicketID: "q_old", Revision: 3})
			f.Ended(older)
			f.read(newer, nil)
		}, false},
		{"old end after the read", func(f *standingFeed) { f.read(newer, nil); f.Ended(older) }, false},
		{"end before the read", func(f *standingFeed) { f.Standing(newer); f.Ended(end); f.read(newer, nil) }, true},
		{"end after the read", func(f *standingFeed) { f.read(newer, nil); f.Ended(end) }, true},
		{"end between the standing and the read", func(f *standingFeed) {
			f.Standing(newer)
			f.Ended(end)
			f.read(queue.View{}, &queue.NotFoundError{Ended: end})
		}, true},
		{"joined after the read", func(f *standingFeed) { f.Standing(newer); f.read(queue.View{}, &queue.NotFoundError{Ended: older}) }, false},
		{"no ticket", func(f *standingFeed) { f.read(queue.View{}, &queue.NotFoundError{Ended: older}) }, true},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			k := &socket{room: &liveRoom{outbox: &outbox{}}, post: postWriting} // nothing is sent
			test.told(&standingFeed{socket: k})
			if got := k.bye != nil; got != test.bye {
				t.Errorf("dismissed: %v", got)
			}
		})
	}
}
