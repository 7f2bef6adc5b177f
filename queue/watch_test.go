package queue_test

import (
	"fmt"
	"testing"
	"time"

	"confluence/queue"
)

func TestWatchBeginsWithThePresentState(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		r.join("ready", "queued")
		g := r.run(r.ctx, "ready")
		r.join("left")
		r.leave("left")
		r.after(time.Second)
		for session, want := range map[string]string{"ready": "running 0", "queued": "queued 1", "left": "left", "unknown": "none"} {
			var w recorder
			stop := w.watch(r, session)
			r.after(time.Second)
			stop()
			if got := w.all(); len(got) != 1 || got[0].What != want {
				t.Errorf("%s: %v, want %s", session, got, want)
			}
		}
		if err := g.finish(nil); err != nil {
			t.Error(err)
		}
	})
}

// case: load-gap (the line's part: whatever happened before the watcher came is past)
func TestWatchBeginsWithThePresentStateWhateverJustHappened(t *testing.T) {
	inRoomOf(t, config(), plainStore, func(r *room) {
		// All before the controller pushes for the first time.
		r.join("a", "b")
		r.leave("a")
		r.join("a")
		var a, b recorder
		defer a.watch(r, "a")()
		defer b.watch(r, "b")()
		r.start()
		r.after(time.Second)
		a.want(r, says{0, "queued 2"})
		b.want(r, says{0, "ready 1"})
	})
}

func TestWatchTellsTheEndByItsReason(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		var left, lapsed, lost, finished recorder
		defer finished.watch(r, "finished")()
		defer lapsed.watch(r, "lapsed")()
		defer lost.watch(r, "lost")()
		defer left.watch(r, "left")()
		r.after(0)
		g := r.run(r.ctx, "finished")
		v, err := r.Join(r.ctx, "lapsed", queue.Kept{Query: "select 1"})
		if err != nil {
			t.Fatal(err)
		}
		r.join("lost", "left")
		r.after(10 * time.Second)
		r.leave("left")
		if err := g.finish(errOwn); err != errOwn {
			t.Error(err)
		}
		r.after(2 * reservation)
		finished.want(r, says{0, "none"}, says{0, "running 0"}, says{10 * time.Second, "finished"})
		left.want(r, says{0, "none"}, says{0, "queued 3"}, says{10 * time.Second, "left"})
		lapsed.want(r, says{0, "none"}, says{0, "queued 1"}, says{10 * time.Second, "ready 1"}, says{70 * time.Second, "reservation_expired"})
		// The end of a run changes the wait of who stays at their place.
		lost.want(r, says{0, "none"}, says{0, "queued 2"}, says{10 * time.Second, "queued 2"}, says{heartbeat + 1, "heartbeat_lost"})
		if e := finished.lastEnded(r); e.Outcome != queue.Failed || e.RunID == "" {
			t.Errorf("%+v", e)
		}
		if e := lapsed.lastEnded(r); e.TicketID != v.TicketID || e.Number != v.Number || e.Kept.Query != "select 1" || e.Called != reservation {
			t.Errorf("%+v", e)
		}
	})
}

func TestWatchersOfOneSessionSeeTheSame(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		r.join("first", "a")
		var one, two recorder
		stopOne := one.watch(r, "a")
		r.after(time.Second)
		defer two.watch(r, "a")()
		r.after(time.Second)
		r.leave("first")
		r.after(time.Second)
		one.want(r, says{0, "queued 2"}, says{2 * time.Second, "ready 1"})
		two.want(r, says{time.Second, "queued 2"}, says{2 * time.Second, "ready 1"})
		if one.lastView(r) != two.lastView(r) {
			t.Errorf("one saw %+v, the other %+v", one.lastView(r), two.lastView(r))
		}
		stopOne()
		stopOne()
		r.leave("a")
		r.after(time.Second)
		one.want(r, says{0, "queued 2"}, says{2 * time.Second, "ready 1"})
		two.want(r, says{time.Second, "queued 2"}, says{2 * time.Second, "ready 1"}, says{3 * time.Second, "left"})
	})
}

// stopper is a watcher that stops another when it is told something.
type stopper struct {
	recorder
	stop func()
}

func (s *stopper) Standing(v queue.View) {
	s.recorder.Standing(v)
	s.stop()
}

// TestWatcherStoppedMeanwhileIsToldNoMore: also not by a push that is under way.
func TestWatcherStoppedMeanwhileIsToldNoMore(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		first, second := stopper{stop: func() {}}, recorder{}
		first.begin = r.begin
		defer r.Watch("a", &first)()
		stop := second.watch(r, "a")
		r.after(time.Second)
		first.stop = stop
		r.join("a")
		r.after(time.Second)
		first.want(r, says{0, "none"}, says{time.Second, "ready 1"})
		second.want(r, says{0, "none"})
	})
}

func TestWatchSeesTheNextTicket(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		var a recorder
		defer a.watch(r, "a")()
		r.after(time.Second)
		for range 3 {
			r.join("a")
			r.after(time.Second)
			r.leave("a")
			r.after(time.Second)
		}
		a.want(r, says{0, "none"},
			says{1 * time.Second, "ready 1"}, says{2 * time.Second, "left"},
			says{3 * time.Second, "ready 1"}, says{4 * time.Second, "left"},
			says{5 * time.Second, "ready 1"}, says{6 * time.Second, "left"})
		// Gone and back in one moment: the end may be told or not, what is told last is the truth.
		first := r.join("a").TicketID
		r.leave("a")
		second := r.join("a").TicketID
		r.after(time.Second)
		if v := a.lastView(r); v.TicketID != second || first == second || a.all()[len(a.all())-1].What != "ready 1" {
			t.Errorf("ticket %s, want %s: %v", v.TicketID, second, a.all())
		}
	})
}

// TestWatchTellsAnEndOnce, also to a watcher that came while it happened.
func TestWatchTellsAnEndOnce(t *testing.T) {
	store := &hooked{}
	inRoomOf(t, config(), store.around, func(r *room) {
		r.join("a")
		store.set(func() {
			store.onPeek = func(session string) { // between what the controller knows and its look
				store.set(func() { store.onPeek = nil })
				r.leave(session)
			}
		})
		r.start()
		var a recorder
		defer a.watch(r, "a")()
		r.after(time.Second)
		a.want(r, says{0, "left"})
		r.join("a")
		r.after(time.Second)
		r.leave("a")
		r.after(time.Second)
		a.want(r, says{0, "left"}, says{time.Second, "ready 1"}, says{2 * time.Second, "left"})
	})
}

func TestWatchIsNoHeartbeat(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		r.join("first", "a")
		var a recorder
		defer a.watch(r, "a")()
		for range heartbeat / time.Second {
			r.after(time.Second)
			a.watch(r, "a")()
		}
		r.after(1)
		r.wantEnded("a", queue.ReasonHeartbeatLost)
	})
}

func TestWatchTellsWhatTheOperatorSays(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		r.join("a", "b")
		var b recorder
		defer b.watch(r, "b")()
		r.after(time.Second)
		for i, say := range []func() error{
			func() error { return r.SetNotice(r.ctx, "Back at noon") },
			func() error { return r.SetPaused(r.ctx, true) },
			func() error { return r.SetRunner(r.ctx, false) },
		} {
			if err := say(); err != nil {
				t.Fatal(err)
			}
			r.after(time.Second)
			if got := len(b.all()); got != i+2 {
				t.Errorf("after %d words: %v", i+1, b.all())
			}
		}
		if v := b.lastView(r); v.Notice != "Back at noon" || !v.Paused || v.Runner != queue.RunnerUnavailable {
			t.Errorf("told %+v", v)
		}
	})
}

// TestWatchersComeAndGo: many at once, from many goroutines, while the line moves.
func TestWatchersComeAndGo(t *testing.T) {
	m := newMeeting(t, patient())
	var fns []func()
	for i := range 8 {
		fns = append(fns, func() {
			session := fmt.Sprint("s", i%4)
			for range 300 {
				w := &recorder{begin: time.Now()}
				stop := m.Watch(session, w)
				if _, err := m.Join(t.Context(), session, queue.Kept{}); err != nil {
					t.Error(err)
				}
				stopOther := m.Watch(session, &recorder{})
				if err := m.Leave(t.Context(), session); err != nil {
					t.Error(err)
				}
				stop()
				stopOther()
			}
		})
	}
	atOnce(fns...)
}

func TestWatchPictureIsPacedAndEndsWithTheLastState(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		var pictures []queue.Picture // written by the controller's goroutine, read when it waits
		stop := r.WatchPicture(func(p queue.Picture) { pictures = append(pictures, p) })
		r.after(0)
		if len(pictures) != 1 || pictures[0].Runner != queue.RunnerIdle {
			t.Fatalf("at first: %+v", pictures)
		}
		r.after(time.Second)
		r.join("first")
		for i := range 300 { // three seconds in which all changes all the time
			r.join(fmt.Sprint(i))
			r.after(10 * time.Millisecond)
		}
		if n := len(pictures) - 1; n < 25 || n > 31 {
			t.Errorf("%d pictures in 3 s", n)
		}
		r.after(100 * time.Millisecond)
		if last := pictures[len(pictures)-1]; last.Revision != r.picture().Revision || last.Length != 300 {
			t.Errorf("the last picture: %+v", last)
		}
		n := len(pictures)
		r.after(10 * time.Second)
		if len(pictures) != n {
			t.Errorf("%d pictures of nothing new", len(pictures)-n)
		}
		stop()
		stop()
		r.leave("0")
		r.after(time.Second)
		if len(pictures) != n {
			t.Error("a picture after the stop")
		}
	})
}
