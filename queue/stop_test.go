package queue_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue"
	"confluence/queue/memory"
)

func TestStopInterruptsRunsAndWaits(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		g := r.run(r.ctx, "a")
		r.join("b")
		stopped := make(chan error, 1)
		go func() { stopped <- r.Stop(r.ctx) }()
		synctest.Wait()
		if cause := context.Cause(g.ctx); cause != queue.ErrRunInterrupted {
			t.Errorf("the run's context ended by %v", cause)
		}
		r.after(time.Minute)
		select {
		case err := <-stopped:
			t.Errorf("stopped with a run going: %v", err)
		default:
		}
		g.finish(g.ctx.Err())
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		if e := r.wantEnded("a", queue.ReasonFinished); e.Outcome != queue.Interrupted {
			t.Errorf("outcome %q", e.Outcome)
		}
		// Nobody new, no run more.
		if _, err := r.Join(r.ctx, "c", queue.Kept{}); !errors.Is(err, queue.ErrStopped) {
			t.Errorf("join after stop: %v", err)
		}
		r.wantRefused("b", queue.ErrStopped)
		if err := r.Stop(r.ctx); err != nil {
			t.Errorf("a second stop: %v", err)
		}
	})
}

// A drain calls nobody, takes nobody in and lets nobody's time run out, however long the run takes that it waits for.
func TestDrainWaitsForRunsAndCallsNobody(t *testing.T) {
	cfg := config()
	cfg.Slots = 2
	inRoom(t, cfg, func(r *room) {
		g := r.run(r.ctx, "a")
		r.join("b", "c")
		drained := make(chan error, 1)
		go func() { drained <- r.Drain(r.ctx) }()
		synctest.Wait()
		if _, err := r.Join(r.ctx, "d", queue.Kept{}); !errors.Is(err, queue.ErrStopped) {
			t.Errorf("join in a drain: %v", err)
		}
		r.wantRefused("b", queue.ErrStopped)
		r.after(time.Hour)
		r.wantStanding("b", queue.Ready, 1)
		r.wantStanding("c", queue.Queued, 2)
		if g.ctx.Err() != nil {
			t.Errorf("the run was ended: %v", context.Cause(g.ctx))
		}
		r.leave("b")
		if err := g.finish(nil); err != nil {
			t.Error(err)
		}
		if err := <-drained; err != nil {
			t.Error(err)
		}
		if e := r.wantEnded("a", queue.ReasonFinished); e.Outcome != queue.Succeeded {
			t.Errorf("outcome %q", e.Outcome)
		}
		r.after(time.Hour)
		r.wantStanding("c", queue.Queued, 1)
		if err := errors.Join(r.Stop(r.ctx), r.Drain(r.ctx)); err != nil {
			t.Error(err)
		}
	})
}

func TestDrainIsBounded(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		g := r.run(r.ctx, "a")
		ctx, cancel := context.WithCancel(r.ctx)
		cancel()
		if err := r.Drain(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("a drain without patience: %v", err)
		}
		stopped := make(chan error, 1)
		go func() { stopped <- r.Stop(r.ctx) }()
		<-g.ctx.Done()
		g.finish(g.ctx.Err())
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}

func TestStopIsBounded(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		g := r.run(r.ctx, "a") // takes no notice of its context
		patient := make(chan error, 1)
		go func() {
			ctx, cancel := context.WithTimeout(r.ctx, time.Minute)
			defer cancel()
			patient <- r.Stop(ctx)
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(r.ctx, time.Second)
		defer cancel()
		begin := time.Now()
		if err := r.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
			t.Errorf("an impatient second stop took %v: %v", time.Since(begin), err)
		}
		if err := <-patient; !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Minute {
			t.Errorf("the first stop took %v: %v", time.Since(begin), err)
		}
		if err := g.finish(nil); err != nil {
			t.Error(err)
		}
	})
}

func TestStopOfManyAtOnce(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		r.join("a", "b")
		errs := make(chan error, 8)
		for range cap(errs) {
			go func() { errs <- r.Stop(r.ctx) }()
		}
		for range cap(errs) {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestStartsOnce(t *testing.T) {
	inRoom(t, config(), func(r *room) {
		if r.Start(r.ctx) == nil {
			t.Error("started twice")
		}
	})
	inRoomOf(t, config(), plainStore, func(r *room) {
		if err := r.Stop(r.ctx); err != nil {
			t.Errorf("a stop without a start: %v", err)
		}
		if r.Start(r.ctx) == nil {
			t.Error("started after its stop")
		}
	})
}

// TestStartOutlivesItsContext: the context of the start is not the controller's life.
func TestStartOutlivesItsContext(t *testing.T) {
	inRoomOf(t, config(), plainStore, func(r *room) {
		ctx, cancel := context.WithCancel(r.ctx)
		if err := r.Start(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
		r.join("a")
		var a recorder
		defer a.watch(r, "a")()
		r.after(reservation)
		a.want(r, says{0, "ready 1"}, says{reservation, "reservation_expired"})
	})
}

func TestConfigurationIsChecked(t *testing.T) {
	for name, wrong := range map[string]func(*queue.Config){
		"slots":        func(c *queue.Config) { c.Slots = 0 },
		"max_length":   func(c *queue.Config) { c.MaxLength = -1 },
		"reservation":  func(c *queue.Config) { c.Reservation = 0 },
		"heartbeat":    func(c *queue.Config) { c.Heartbeat = -time.Second },
		"initial run":  func(c *queue.Config) { c.InitialRun = -1 },
		"slots is -3:": func(c *queue.Config) { c.Slots = -3 },
	} {
		cfg := config()
		wrong(&cfg)
		if _, err := memory.New(memory.Options{Config: cfg}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	cfg := config()
	cfg.MaxLength = 0 // a value with a meaning
	s, err := memory.New(memory.Options{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	c, err := queue.NewAdmissionController(queue.Options{Store: s})
	if err != nil || c.Config() != cfg {
		t.Errorf("%+v, %v", c.Config(), err)
	}
	if _, err := queue.NewAdmissionController(queue.Options{}); err == nil {
		t.Error("a controller without a store")
	}
}
