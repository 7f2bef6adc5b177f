package queue_test

import (
	"fmt"
	"testing"
	"time"

	"confluence/queue"
)

// case: no-sweeper
func TestDeadlinesFireByThemselves(t *testing.T) {
	cfg := config()
	cfg.Heartbeat = 100 * time.Second
	inRoom(t, cfg, func(r *room) {
		r.join("a", "b", "c")
		var a, b, c recorder
		defer a.watch(r, "a")()
		defer b.watch(r, "b")()
		defer c.watch(r, "c")()
		r.after(10 * time.Minute) // nobody calls
		a.want(r, says{0, "ready 1"}, says{reservation, "reservation_expired"})
		b.want(r, says{0, "queued 2"}, says{reservation, "ready 1"}, says{2 * reservation, "reservation_expired"})
		c.want(r, says{0, "queued 3"}, says{reservation, "queued 2"}, says{cfg.Heartbeat + 1, "heartbeat_lost"})
		if p := r.picture(); p.Runner != queue.RunnerIdle || p.Length != 0 {
			t.Errorf("in the end: %+v", p)
		}
	})
}

// case: no-sweeper (no timer runs at all)
func TestNobodyCallsAndNoTimerFires(t *testing.T) {
	for _, late := range []time.Duration{0, 1, time.Millisecond, 9 * time.Minute} {
		inRoomOf(t, config(), plainStore, func(r *room) {
			r.join("a", "b")
			r.after(reservation + late)
			r.wantRefused("a", queue.ErrReservationExpired)
			r.wantEnded("a", queue.ReasonLapsed)
			r.wantEnded("b", queue.ReasonHeartbeatLost)
		})
	}
}

// case: late-claim
func TestLateClaimIsRefusedAndTheRunnerIsNotCalled(t *testing.T) {
	for _, late := range []time.Duration{0, time.Millisecond, 10 * time.Second} {
		for name, traffic := range map[string]func(r *room){
			"alone": func(*room) {},
			"with others": func(r *room) {
				r.picture()
				r.seen("nobody")
				r.join("b")
			},
		} {
			t.Run(fmt.Sprint(late, " late, ", name), func(t *testing.T) {
				inRoom(t, config(), func(r *room) {
					r.join("a")
					time.Sleep(reservation + late) // the timer, if it is the same instant, may be first or second
					traffic(r)
					r.wantRefused("a", queue.ErrReservationExpired)
					r.leave("b")
					if err := r.run(r.ctx, "a").finish(nil); err != nil { // told once, it is a newcomer
						t.Error(err)
					}
				})
			})
		}
	}
}

// case: late-claim (and a moment before it is not late)
func TestClaimInTime(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		r.join("a")
		r.after(reservation - 1)
		g := r.run(r.ctx, "a")
		r.after(time.Hour)
		r.wantStanding("a", queue.Running, 0)
		if err := g.finish(nil); err != nil {
			t.Error(err)
		}
	})
}

// case: worker-back
func TestRunnerUnavailableAndBack(t *testing.T) {
	cfg := config()
	cfg.Heartbeat = time.Hour
	inRoom(t, cfg, func(r *room) {
		r.join("ready", "1", "2", "3")
		r.after(40 * time.Second)
		if err := r.SetRunner(r.ctx, false); err != nil {
			t.Fatal(err)
		}
		r.after(10 * time.Minute)
		for i, session := range []string{"ready", "1", "2", "3", "newcomer"} {
			r.wantRefused(session, queue.ErrRunnerUnavailable)
			if session != "newcomer" {
				status := queue.Queued
				if i == 0 {
					status = queue.Ready
				}
				r.wantStanding(session, status, i+1)
			}
		}
		if err := r.SetRunner(r.ctx, true); err != nil {
			t.Fatal(err)
		}
		var one recorder
		defer one.watch(r, "1")()
		if v := r.wantStanding("ready", queue.Ready, 1); v.ReservationIn != seconds(60) {
			t.Errorf("the window is %+v", v.ReservationIn)
		}
		r.after(reservation) // nobody calls
		r.wantEnded("ready", queue.ReasonLapsed)
		one.want(r, says{640 * time.Second, "queued 2"}, says{640*time.Second + reservation, "ready 1"})
	})
}

// case: worker-back (nobody was called before)
func TestHeadIsCalledWhenTheRunnerIsBack(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		if err := r.SetRunner(r.ctx, false); err != nil {
			t.Fatal(err)
		}
		r.join("1", "2", "3", "4", "5", "6", "7", "8", "9", "10")
		var head recorder
		defer head.watch(r, "1")()
		r.after(heartbeat)
		if err := r.SetRunner(r.ctx, true); err != nil {
			t.Fatal(err)
		}
		r.after(0)
		head.want(r, says{0, "queued 1"}, says{heartbeat, "ready 1"})
	})
}

// case: closed-tabs, short-blip (the line's part, as watchers see it)
func TestWhoGoesIsMissedWithinTheHeartbeat(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		g := r.run(r.ctx, "runs")
		r.join("1", "2", "3", "4", "5")
		var two, five recorder
		defer two.watch(r, "2")()
		defer five.watch(r, "5")()
		r.after(10 * time.Second)
		r.leave("1")
		r.leave("3")
		r.seen("2", "5") // the client of 4 was killed
		r.after(heartbeat)
		r.seen("2", "5")
		two.want(r, says{0, "queued 2"}, says{10 * time.Second, "queued 1"})
		five.want(r, says{0, "queued 5"}, says{10 * time.Second, "queued 3"}, says{heartbeat + 1, "queued 2"})
		r.wantEnded("4", queue.ReasonHeartbeatLost)
		if err := g.finish(nil); err != nil {
			t.Error(err)
		}
		r.wantStanding("2", queue.Ready, 1)
	})
}

// TestStoreFaultIsSurvived: what is due happens once the store answers again.
func TestStoreFaultIsSurvived(t *testing.T) {
	faulty := &hooked{}
	inRoomOf(t, config(), faulty.around, func(r *room) {
		r.join("a")
		faulty.set(func() { faulty.fault = true })
		r.start()
		r.after(reservation + 10*time.Second)
		faulty.set(func() { faulty.fault = false })
		var a recorder
		defer a.watch(r, "a")()
		r.after(time.Second)
		a.want(r, says{reservation + 10*time.Second, "reservation_expired"})
	})
}
