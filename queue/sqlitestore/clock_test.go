package sqlitestore

import (
	"testing"
	"time"

	"confluence/queue"
	"confluence/queue/queuetest"
)

// TestSuspendEndsNobodysTime: while the machine sleeps the wall clock goes on and the monotonic one stands still. Who waits and who is called has
// afterwards the time that was left before.
func TestSuspendEndsNobodysTime(t *testing.T) {
	cfg := queue.Config{Slots: 1, MaxLength: 10, Reservation: time.Minute, Heartbeat: 30 * time.Second}
	clock, day := &queuetest.Clock{}, time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	folder := t.TempDir()
	s := open(t, Options{Config: cfg, Folder: folder, Clock: clock.Now, Wall: func() time.Time { return day }})
	join(t, s, "called")
	join(t, s, "waits")
	clock.Advance(20 * time.Second)
	for _, slept := range []time.Duration{time.Hour, 30 * 24 * time.Hour} {
		day = day.Add(slept)
		if next, err := s.Advance(t.Context()); err != nil || next != 10*time.Second+1 {
			t.Fatalf("the next deadline is in %v, %v", next, err)
		}
		if v := peek(t, s, "called"); v.Status != queue.Ready || v.ReservationIn.N != 40 {
			t.Fatalf("%+v", v)
		}
		peek(t, s, "waits")
	}
	clock.Advance(10*time.Second + 1)
	wantEnded(t, s, "waits", queue.ReasonHeartbeatLost)
}

// TestHaltIsNotSaved: the next process has a line that goes on, and in which a drain, however long, cost nobody anything.
func TestHaltIsNotSaved(t *testing.T) {
	for _, kill := range []bool{false, true} {
		folder, clock := t.TempDir(), &queuetest.Clock{}
		cfg := config()
		cfg.Heartbeat = 30 * time.Second
		o := Options{Config: cfg, Folder: folder, Clock: clock.Now}
		s := open(t, o)
		first, second := join(t, s, "first"), join(t, s, "second")
		g := claim(t, s, "first")
		must(t, s.Halt(t.Context()))
		clock.Advance(time.Hour)
		must(t, s.Finish(t.Context(), g.Term, queue.Succeeded))
		if v := peek(t, s, "second"); v.Status != queue.Queued {
			t.Fatalf("in the drain: %+v", v)
		}
		s = restart(t, s, folder, o, kill)
		if v := peek(t, s, "second"); v.TicketID != second.TicketID || v.Status != queue.Ready || v.ReservationIn.N != 60 {
			t.Fatalf("after it: %+v", v)
		}
		if e := wantEnded(t, s, "first", queue.ReasonFinished); e.TicketID != first.TicketID || e.Outcome != queue.Succeeded {
			t.Fatalf("who ran in it: %+v", e)
		}
		closeStore(t, s)
	}
}
