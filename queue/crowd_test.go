package queue_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"confluence/queue"
)

// visitor is a client as they should be: it watches, shows that it is there, runs at its turn, and notes what it was told.
type visitor struct {
	session string
	recorder
	turn chan struct{} // one for each time it is called
}

func (v *visitor) Standing(view queue.View) {
	v.recorder.Standing(view)
	if view.Status == queue.Ready {
		select {
		case v.turn <- struct{}{}:
		default:
		}
	}
}

// called is when the visitor was told that it is their turn.
func (v *visitor) called() (at time.Duration, ok bool) {
	for _, s := range v.all() {
		if strings.HasPrefix(s.What, string(queue.Ready)) {
			return s.At, true
		}
	}
	return 0, false
}

// case: joint-join (through a run of 200 tickets no watcher ever sees its position rise)
func TestTwoHundredAreServedInOrder(t *testing.T) {
	for _, slots := range []int{1, 3} {
		t.Run(fmt.Sprint(slots, " slots"), func(t *testing.T) {
			cfg := config()
			cfg.Slots = slots
			inRoom(t, cfg, func(r *room) { serveTwoHundred(r, slots) })
		})
	}
}

func serveTwoHundred(r *room, slots int) {
	var visitors []*visitor
	for i := range 200 {
		v := &visitor{session: fmt.Sprint(i), turn: make(chan struct{}, 1)}
		r.join(v.session)
		visitors = append(visitors, v)
	}
	var mu sync.Mutex
	var served []int64 // numbers, in order of their runs
	var inside atomic.Int64
	var all sync.WaitGroup
	random := rand.New(rand.NewPCG(3, 3))
	for i, v := range visitors {
		took := time.Duration(random.Int64N(int64(3 * time.Second)))
		leavesAfter := time.Duration(0)
		if i%10 == 9 {
			leavesAfter = time.Duration(random.Int64N(int64(time.Minute)))
		}
		stop := r.Watch(v.session, v)
		all.Go(func() {
			defer stop()
			if !waitForTurn(r, v, leavesAfter) {
				return
			}
			err := r.Run(r.ctx, v.session, func(ctx context.Context) error {
				if n := inside.Add(1); n > int64(slots) {
					r.Errorf("%d runs in %d slots", n, slots)
				}
				defer inside.Add(-1)
				view, err := r.Peek(ctx, v.session)
				if err != nil {
					return err
				}
				mu.Lock()
				served = append(served, view.Number)
				mu.Unlock()
				time.Sleep(took)
				return nil
			})
			if err != nil {
				r.Errorf("%s: %v", v.session, err)
			}
		})
	}
	all.Wait()
	r.after(time.Second)
	if len(served) < 170 || slots == 1 && !slices.IsSorted(served) { // in several slots who is called first may start second
		r.Errorf("%d were served, in the order %v", len(served), served)
	}
	var called time.Duration
	for _, v := range visitors {
		if at, ok := v.called(); ok {
			if at < called {
				r.Errorf("%s was called at %v, before somebody that joined before", v.session, at)
			}
			called = at
		}
		last := 1 << 30
		for _, s := range v.all() {
			if _, position, queued := strings.Cut(s.What, " "); queued {
				var now int
				if _, err := fmt.Sscan(position, &now); err != nil || now > last {
					r.Errorf("%s saw its position rise: %v", v.session, v.all())
				}
				last = now
			}
		}
	}
	if p := r.picture(); p.Runner != queue.RunnerIdle || p.Length != 0 {
		r.Errorf("in the end: %+v", p)
	}
}

// waitForTurn sends heartbeats until the visitor's turn, or leaves before, if it doesn't wait longer than that.
func waitForTurn(r *room, v *visitor, leavesAfter time.Duration) bool {
	ping := time.NewTicker(heartbeat / 3)
	defer ping.Stop()
	var enough <-chan time.Time
	if leavesAfter > 0 {
		timer := time.NewTimer(leavesAfter)
		defer timer.Stop()
		enough = timer.C
	}
	for {
		select {
		case <-v.turn:
			return true
		case <-ping.C:
			r.seen(v.session)
		case <-enough:
			r.leave(v.session)
			return false
		}
	}
}

// case: absent-crowd
func TestAbsentCrowdIsGoneWithinAHeartbeat(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		var names []string
		for i := range 30 {
			names = append(names, fmt.Sprint(i+1))
		}
		r.join(names...)
		var first recorder
		defer first.watch(r, "21")()
		here := append(slices.Clone(names[:10]), names[20:]...)
		for _, session := range names[:10] { // 11 to 20 have gone without a word
			g := r.run(r.ctx, session)
			r.after(heartbeat / 9)
			r.seen(here...)
			if err := g.finish(nil); err != nil {
				r.Error(err)
			}
		}
		called := r.now()
		r.after(time.Second)
		all := first.all()
		if last := all[len(all)-1]; last.What != "ready 1" || last.At > called+20*time.Millisecond {
			t.Errorf("at %v: %v", called, all)
		}
		for _, session := range names[10:20] {
			r.wantEnded(session, queue.ReasonHeartbeatLost)
		}
	})
}
