package queue_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue"
)

var errOwn = errors.New("a mistake of the run's own")

func TestRunOutcomes(t *testing.T) {
	wrapped := func(err error) func(context.Context) error {
		return func(context.Context) error { return fmt.Errorf("the child said: %w", err) }
	}
	waits := func(ctx context.Context) error {
		<-ctx.Done()
		return fmt.Errorf("gave up: %w", ctx.Err())
	}
	deadline := func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, time.Minute)
	}
	gone := func(cause error) func(ctx context.Context) (context.Context, context.CancelFunc) {
		return func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			timer := time.AfterFunc(time.Second, func() { cancel(cause) })
			return ctx, func() { timer.Stop(); cancel(nil) }
		}
	}
	for _, c := range []struct {
		name string
		ctx  func(context.Context) (context.Context, context.CancelFunc) // nil: one that doesn't end
		fn   func(context.Context) error
		want queue.Outcome
	}{
		{"returns", nil, func(context.Context) error { return nil }, queue.Succeeded},
		{"errs", nil, func(context.Context) error { return errOwn }, queue.Failed},
		{"times out by itself", nil, wrapped(queue.ErrRunTimedOut), queue.TimedOut},
		{"is cancelled", nil, wrapped(queue.ErrRunCancelled), queue.Cancelled},
		{"is read by nobody", nil, wrapped(queue.ErrRunDisconnected), queue.Disconnected},
		{"is interrupted", nil, wrapped(queue.ErrRunInterrupted), queue.Interrupted},
		{"its request ends", gone(nil), waits, queue.Disconnected},
		{"its context ends by time", deadline, waits, queue.TimedOut},
		{"its context ends for the time limit", gone(queue.ErrRunTimedOut), waits, queue.TimedOut},
		{"its context ends for its owner", gone(queue.ErrRunCancelled), waits, queue.Cancelled},
		{"its context ends for the server", gone(queue.ErrRunInterrupted), waits, queue.Interrupted},
		{"its context ends for a reason of its own", gone(errOwn), waits, queue.Disconnected},
		{"it succeeds although its context ended", gone(nil), func(ctx context.Context) error { <-ctx.Done(); return nil }, queue.Succeeded},
		{"it fails although its context ended", gone(nil), func(ctx context.Context) error { <-ctx.Done(); return errOwn }, queue.Failed},
		{"something within it ran out of time", nil, wrapped(context.DeadlineExceeded), queue.Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			inRoom(t, config(), func(r *room) {
				ctx, cancel := r.ctx, func() {}
				if c.ctx != nil {
					ctx, cancel = c.ctx(ctx)
				}
				defer cancel()
				var returned error
				err := r.Run(ctx, "a", func(ctx context.Context) error {
					returned = c.fn(ctx)
					return returned
				})
				if err != returned {
					t.Errorf("Run gave %v, the run %v", err, returned)
				}
				if got := r.wantEnded("a", queue.ReasonFinished).Outcome; got != c.want {
					t.Errorf("outcome %q, want %q", got, c.want)
				}
				if p := r.picture(); !p.Free || p.Runner != queue.RunnerIdle {
					t.Errorf("the slot is not free: %+v", p)
				}
			})
		})
	}
}

// case: runner-errors (the line's part)
func TestRunThatPanicsFreesTheSlot(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		r.join("a", "b")
		err := r.Run(r.ctx, "a", func(context.Context) error { panic("rubbish") })
		var p *queue.PanicError
		if !errors.As(err, &p) || p.Value != "rubbish" || !strings.Contains(string(p.Stack), "run_test.go") || !strings.Contains(err.Error(), "rubbish") {
			t.Errorf("Run gave %v", err)
		}
		if e := r.wantEnded("a", queue.ReasonFinished); e.Outcome != queue.Failed {
			t.Errorf("outcome %q", e.Outcome)
		}
		r.wantStanding("b", queue.Ready, 1)
	})
}

func TestRunThatEndsItsGoroutineFreesTheSlot(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		r.join("a", "b")
		go r.Run(r.ctx, "a", func(context.Context) error {
			runtime.Goexit()
			return nil
		})
		synctest.Wait()
		if e := r.wantEnded("a", queue.ReasonFinished); e.Outcome != queue.Failed {
			t.Errorf("outcome %q", e.Outcome)
		}
		r.wantStanding("b", queue.Ready, 1)
	})
}

func TestRunIsNamed(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		if id := queue.RunID(r.ctx); id != "" {
			t.Errorf("no run is named %q", id)
		}
		g := r.run(r.ctx, "a")
		if id := r.wantStanding("a", queue.Running, 0).RunID; id == "" || queue.RunID(g.ctx) != id {
			t.Errorf("the run is told as %q and knows itself as %q", id, queue.RunID(g.ctx))
		}
		if err := g.finish(nil); err != nil {
			t.Error(err)
		}
		if e := r.wantEnded("a", queue.ReasonFinished); e.RunID != queue.RunID(g.ctx) {
			t.Errorf("the run is remembered as %q", e.RunID)
		}
	})
}

func TestLeaveWhileRunning(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		r.join("a", "b")
		g := r.run(r.ctx, "a")
		r.leave("a")
		synctest.Wait()
		if cause := context.Cause(g.ctx); cause != queue.ErrRunCancelled {
			t.Errorf("the run's context ended by %v", cause)
		}
		// It has been told, and has not ended: the slot is its own, and a new ticket of its session is another's.
		ticket := r.join("a").TicketID
		r.after(10 * time.Second)
		r.wantStanding("b", queue.Queued, 1)
		r.wantStanding("a", queue.Queued, 2)
		if p := r.picture(); p.Runner != queue.RunnerStopping || len(p.Serving) != 1 {
			t.Errorf("the picture: %+v", p)
		}
		if err := g.finish(g.ctx.Err()); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		r.wantStanding("b", queue.Ready, 1)
		if v := r.wantStanding("a", queue.Queued, 2); v.TicketID != ticket {
			t.Errorf("the ticket %s has become %s", ticket, v.TicketID)
		}
		r.leave("b")
		h := r.run(r.ctx, "a")
		if h.ctx.Err() != nil {
			t.Error("the new run got the old one's end")
		}
		if err := h.finish(nil); err != nil {
			t.Error(err)
		}
	})
}

// TestLeaveWhileRunningWithTwoSlots: the session runs again beside its own old run.
func TestLeaveWhileRunningWithTwoSlots(t *testing.T) {
	cfg := config()
	cfg.Slots = 2
	inRoom(t, cfg, func(r *room) {
		old := r.run(r.ctx, "a")
		r.leave("a")
		again := r.run(r.ctx, "a")
		r.after(time.Second)
		if old.ctx.Err() == nil || again.ctx.Err() != nil {
			t.Errorf("the old run ended by %v, the new one by %v", old.ctx.Err(), again.ctx.Err())
		}
		if err := old.finish(queue.ErrRunCancelled); !errors.Is(err, queue.ErrRunCancelled) {
			t.Error(err)
		}
		r.wantStanding("a", queue.Running, 0)
		r.leave("a")
		synctest.Wait()
		if context.Cause(again.ctx) != queue.ErrRunCancelled {
			t.Error("the second run was not cancelled by its own leave")
		}
		if err := again.finish(nil); err != nil {
			t.Error(err)
		}
	})
}

// TestRunThatIsEndedAsItBegins: what comes between the store's grant and the run's start isn't missed.
func TestRunThatIsEndedAsItBegins(t *testing.T) {
	for _, c := range []struct {
		name string
		meet func(r *room)
		want error
	}{
		{"its owner leaves", func(r *room) { r.leave("a") }, queue.ErrRunCancelled},
		{"the server stops", func(r *room) {
			go r.Stop(r.ctx)
			synctest.Wait()
		}, queue.ErrRunInterrupted},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := &hooked{}
			inRoomOf(t, config(), store.around, func(r *room) {
				r.start()
				store.set(func() { store.onClaim = func(string) { c.meet(r) } })
				err := r.Run(r.ctx, "a", func(ctx context.Context) error { return context.Cause(ctx) })
				if err != c.want {
					t.Errorf("the run's context ended by %v, want %v", err, c.want)
				}
			})
		})
	}
}

// TestRunWhoseClientGoesIsShownAsStopping until it has really ended.
func TestRunWhoseClientGoesIsShownAsStopping(t *testing.T) {
	inRoomOf(t, config(), new(hooked).around, func(r *room) {
		r.start()
		ctx, cancel := context.WithCancel(r.ctx)
		g := r.run(ctx, "a")
		cancel()
		synctest.Wait()
		if p := r.picture(); p.Runner != queue.RunnerStopping {
			t.Errorf("runner %s", p.Runner)
		}
		r.wantStanding("a", queue.Running, 0)
		if err := g.finish(queue.ErrRunDisconnected); !errors.Is(err, queue.ErrRunDisconnected) {
			t.Error(err)
		}
		if p := r.picture(); p.Runner != queue.RunnerIdle {
			t.Errorf("runner %s", p.Runner)
		}
	})
}

// case: cancelled-in-line
func TestTicketThatEndedInLineNeverRuns(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		g := r.run(r.ctx, "runs")
		r.join("left", "silent", "next")
		r.leave("left")
		r.after(heartbeat / 2)
		r.seen("next")
		r.after(heartbeat/2 + 1)
		r.wantEnded("silent", queue.ReasonHeartbeatLost)
		if err := g.finish(nil); err != nil {
			t.Error(err)
		}
		r.wantStanding("next", queue.Ready, 1)
		r.wantRefused("left", queue.ErrBusy)
		r.wantRefused("silent", queue.ErrBusy)
		r.after(reservation - 1)
		if p := r.picture(); len(p.Serving) != 0 || p.Runner != queue.RunnerReserved {
			t.Errorf("something runs: %+v", p)
		}
	})
}

// TestEverySlotComesBack: whatever becomes of many runs, all slots are idle in the end.
func TestEverySlotComesBack(t *testing.T) {
	cfg := config()
	cfg.Slots = 3
	inRoom(t, cfg, func(r *room) {
		for round := range 50 {
			var runs []*going
			for slot := range cfg.Slots {
				session := fmt.Sprint(round, "/", slot)
				g := r.run(r.ctx, session)
				if (round+slot)%3 == 0 {
					r.leave(session)
				}
				runs = append(runs, g)
			}
			r.wantRefused("more", queue.ErrBusy)
			for i, g := range runs {
				g.finish([]error{nil, errOwn, queue.ErrRunTimedOut}[i])
			}
			if p := r.picture(); p.Runner != queue.RunnerIdle || !p.Free || r.Going() != 0 {
				t.Fatalf("after round %d %d runs are known: %+v", round, r.Going(), p)
			}
		}
	})
}
