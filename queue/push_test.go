package queue_test

import (
	"fmt"
	"testing"
	"time"

	"confluence/queue"
)

// The push policy: how soon and how often a watcher at some place is told that it has changed.

// longLine is a room in which so many wait behind a run, by name of their place, and lets time pass until the first pushes are over.
func longLine(t *testing.T, length int, around func(queue.Store) queue.Store, test func(r *room)) {
	cfg := config()
	cfg.Heartbeat = time.Hour
	inRoomOf(t, cfg, around, func(r *room) {
		r.start()
		g := r.run(r.ctx, "runs")
		for i := range length {
			r.join(fmt.Sprint(i + 1))
		}
		r.after(2 * time.Minute)
		test(r)
		if err := g.finish(nil); err != nil {
			t.Error(err)
		}
	})
}

// pushesSince are the calls from that time on.
func (w *recorder) pushesSince(begin time.Duration) (calls []says) {
	for _, s := range w.all() {
		if s.At >= begin {
			calls = append(calls, s)
		}
	}
	return calls
}

func TestPushToTheFirstTwentyIsAtOnce(t *testing.T) {
	longLine(t, 40, plainStore, func(r *room) {
		watchers := make([]recorder, 41)
		for i := 1; i <= 40; i++ {
			defer watchers[i].watch(r, fmt.Sprint(i))()
		}
		r.after(10 * time.Second)
		for round := 1; round <= 3; round++ {
			begin := r.now()
			r.leave(fmt.Sprint(round))
			r.after(100 * time.Millisecond)
			for i := round + 1; i <= 40; i++ {
				told := watchers[i].pushesSince(begin)
				if position := i - round; position <= 20 && (len(told) != 1 || told[0].What != fmt.Sprint("queued ", position)) {
					t.Errorf("round %d: %d was told %v within 100 ms", round, i, told)
				}
			}
			r.after(2 * time.Second)
			for i := round + 1; i <= 40; i++ {
				told := watchers[i].pushesSince(begin)
				if len(told) != 1 || told[0].What != fmt.Sprint("queued ", i-round) || told[0].At > begin+time.Second {
					t.Errorf("round %d: %d was told %v", round, i, told)
				}
			}
		}
	})
}

// TestPushIsPacedByPlace moves a long line four times a second, for longer than the slowest pace, and counts.
func TestPushIsPacedByPlace(t *testing.T) {
	const length, every, moves = 10_700, 250 * time.Millisecond, 4 * 65
	longLine(t, length, plainStore, func(r *room) {
		type at struct {
			place, until int // watched while so many moves have been made
			pace         time.Duration
			recorder
			stop func()
		}
		watched := []*at{
			{place: 100, until: 4 * 15, pace: time.Second},
			{place: 390, until: moves, pace: 5 * time.Second},
			{place: 999, until: moves, pace: 5 * time.Second},
			{place: 1_500, until: moves, pace: 15 * time.Second},
			{place: 9_999, until: moves, pace: 15 * time.Second},
			{place: 10_500, until: moves, pace: time.Minute},
			{place: length, until: moves, pace: time.Minute},
		}
		for _, w := range watched {
			w.stop = w.watch(r, fmt.Sprint(w.place))
		}
		r.after(2 * time.Minute)
		begin := r.now()
		for move := range moves {
			r.leave(fmt.Sprint(move + 1))
			r.after(every)
			for _, w := range watched {
				if move+1 == w.until {
					w.stop()
				}
			}
		}
		for _, w := range watched {
			told := w.pushesSince(begin)
			passed := time.Duration(w.until) * every
			if most, least := int(passed/w.pace)+1, int(passed/w.pace)-1; len(told) > most || len(told) < least || len(told) == 0 {
				t.Errorf("place %d was told %d times in %v: %v", w.place, len(told), passed, told)
			}
			for i, s := range told {
				// What is told is exact: so many have left by then, the one that leaves at this very moment included or not.
				left := int((s.At-begin)/every) + 1
				if s.What != fmt.Sprint("queued ", w.place-left) && s.What != fmt.Sprint("queued ", w.place-left+1) {
					t.Errorf("place %d was told %q after %d had left", w.place, s.What, left)
				}
				if i > 0 && s.At-told[i-1].At < w.pace {
					t.Errorf("place %d was told twice within %v", w.place, s.At-told[i-1].At)
				}
			}
		}
	})
}

// TestPushFarBackOnlyWhenTheRoundedPlaceChanges: beyond 10,000 a page shows hundreds.
func TestPushFarBackOnlyWhenTheRoundedPlaceChanges(t *testing.T) {
	longLine(t, 10_250, plainStore, func(r *room) {
		var near, far recorder
		defer near.watch(r, "10249")()
		defer far.watch(r, "10250")()
		begin := r.now()
		r.after(3 * time.Minute)
		for i := range 49 {
			r.leave(fmt.Sprint(i + 1))
		}
		r.after(3 * time.Minute)
		far.want(r, says{begin, "queued 10250"})
		near.want(r, says{begin, "queued 10249"})
		// A second tab sees the exact state, and with it the first.
		var tab recorder
		defer tab.watch(r, "10249")()
		r.after(time.Second)
		tab.want(r, says{r.now() - time.Second, "queued 10200"})
		near.want(r, says{begin, "queued 10249"}, says{r.now() - time.Second, "queued 10200"})
		r.leave("50")
		r.leave("51")
		left := r.now()
		r.after(3 * time.Minute)
		for _, w := range []*recorder{&near, &far} {
			if told := w.pushesSince(left); len(told) != 1 || told[0].At > left+time.Minute {
				t.Errorf("in the next hundred it is told %v", told)
			}
		}
		if v := far.lastView(r); v.Position != 10_199 {
			t.Errorf("it is at %d", v.Position)
		}
	})
}

// TestPushOfWhatConcernsAllIsAtOnce for everybody, wherever they stand.
func TestPushOfWhatConcernsAllIsAtOnce(t *testing.T) {
	longLine(t, 10_100, plainStore, func(r *room) {
		watchers := map[int]*recorder{1: {}, 20: {}, 21: {}, 100: {}, 101: {}, 1_000: {}, 1_001: {}, 10_000: {}, 10_001: {}, 10_100: {}}
		for place, w := range watchers {
			defer w.watch(r, fmt.Sprint(place))()
		}
		r.after(time.Second)
		for i, say := range []func() error{
			func() error { return r.SetNotice(r.ctx, "Back at noon") },
			func() error { return r.SetPaused(r.ctx, true) },
			func() error { return r.SetPaused(r.ctx, false) },
			func() error { return r.SetRunner(r.ctx, false) },
			func() error { return r.SetRunner(r.ctx, true) },
		} {
			begin := r.now()
			if err := say(); err != nil {
				t.Fatal(err)
			}
			r.after(100 * time.Millisecond)
			for place, w := range watchers {
				if told := w.pushesSince(begin); len(told) != 1 {
					t.Errorf("word %d: place %d was told %v within 100 ms", i, place, told)
				}
			}
		}
	})
}

// TestPushToAllMissesNobody who moves from one stretch of the line to the next while the stretches are told.
func TestPushToAllMissesNobody(t *testing.T) {
	const length = 3_500
	store := &hooked{}
	longLine(t, length, store.around, func(r *room) {
		watchers := make([]recorder, length+1)
		for i := 1; i <= length; i++ {
			defer watchers[i].watch(r, fmt.Sprint(i))()
		}
		r.after(20 * time.Second)
		begin, head := r.now(), 1
		store.set(func() {
			store.onEach = func(int, int) {
				for range 10 {
					r.leave(fmt.Sprint(head))
					head++
				}
				if head > 100 {
					store.set(func() { store.onEach = nil })
				}
			}
		})
		if err := r.SetNotice(r.ctx, "Back at noon"); err != nil {
			t.Fatal(err)
		}
		r.after(100 * time.Millisecond)
		if head < 30 {
			t.Errorf("only %d left meanwhile", head-1)
		}
		for i := head; i <= length; i++ {
			if v := watchers[i].lastView(r); v.Notice != "Back at noon" {
				t.Fatalf("%d wasn't told: %v", i, watchers[i].pushesSince(begin))
			}
		}
	})
}

// TestPushToTheFirstDoesNotWaitForTheLast, even when telling the whole line takes long.
func TestPushToTheFirstDoesNotWaitForTheLast(t *testing.T) {
	store := &hooked{}
	longLine(t, 20_000, store.around, func(r *room) {
		store.set(func() {
			store.onEach = func(from, to int) {
				time.Sleep(10 * time.Millisecond)
				if to-from >= 1000 {
					t.Errorf("the line is held for positions %d to %d at once", from, to)
				}
			}
		})
		var near, far recorder
		defer near.watch(r, "10")()
		defer far.watch(r, "20000")()
		r.after(time.Second)
		begin := r.now()
		if err := r.SetNotice(r.ctx, "Back at noon"); err != nil {
			t.Fatal(err)
		}
		r.after(50 * time.Millisecond)
		r.leave("1")
		r.after(100 * time.Millisecond)
		if told := near.pushesSince(begin); len(told) == 0 || told[len(told)-1].What != "queued 9" {
			t.Errorf("the tenth was told %v", told)
		}
		r.after(time.Second)
		if v := far.lastView(r); v.Notice != "Back at noon" {
			t.Error("the last wasn't told")
		}
	})
}

// TestPushOfAReservationIsAtOnce, and of what happens to it, to who has it.
func TestPushOfAReservationIsAtOnce(t *testing.T) {
	cfg := config()
	cfg.Slots = 50
	inRoom(t, cfg, func(r *room) {
		for i := range 50 {
			r.join(fmt.Sprint(i))
		}
		r.join("a")
		var a recorder
		defer a.watch(r, "a")()
		r.after(10 * time.Second)
		if err := r.SetNotice(r.ctx, "Back at noon"); err != nil { // all have just been told something
			t.Fatal(err)
		}
		r.after(20 * time.Millisecond)
		r.leave("7")
		called := r.now()
		r.after(reservation)
		told := a.pushesSince(called)
		if len(told) < 2 || told[0].At > called+100*time.Millisecond || told[0].What != "ready 50" {
			t.Errorf("called at %v, told %v", called, told)
		}
		if last := told[len(told)-1]; last.What != string(queue.ReasonLapsed) || last.At > called+reservation+100*time.Millisecond {
			t.Errorf("lapsed at %v, told %v", called+reservation, told)
		}
	})
}

// TestPushOfAChangedWait: a run's end changes everybody's wait, and those near are told although their place is the same.
func TestPushOfAChangedWait(t *testing.T) {
	cfg := config()
	cfg.Slots = 2
	cfg.Heartbeat = time.Hour
	inRoom(t, cfg, func(r *room) {
		one, two := r.run(r.ctx, "one"), r.run(r.ctx, "two")
		r.join("a")
		var a recorder
		defer a.watch(r, "a")()
		if err := r.SetPaused(r.ctx, true); err != nil {
			t.Fatal(err)
		}
		r.after(100 * time.Second)
		if err := one.finish(nil); err != nil {
			t.Error(err)
		}
		r.after(time.Second)
		v := a.lastView(r)
		if told := a.pushesSince(100 * time.Second); len(told) != 1 || !v.ETA.Known || v.Position != 1 {
			t.Errorf("told %v, %+v", told, v)
		}
		if err := two.finish(nil); err != nil {
			t.Error(err)
		}
	})
}
