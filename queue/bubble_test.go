package queue_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue"
	"confluence/queue/memory"
)

const (
	reservation = 60 * time.Second
	heartbeat   = 30 * time.Second
)

// config is one slot and a long line.
func config() queue.Config {
	return queue.Config{Slots: 1, MaxLength: 100_000, Reservation: reservation, Heartbeat: heartbeat}
}

// room is a controller in a bubble of virtual time (testing/synctest), where a minute passes at once when all goroutines wait for it.
type room struct {
	testing.TB
	*queue.AdmissionController
	ctx   context.Context
	store queue.Store
	begin time.Time
}

// inRoom runs a test with a started controller around a memory store.
func inRoom(t *testing.T, cfg queue.Config, test func(r *room)) {
	t.Helper()
	inRoomOf(t, cfg, plainStore, func(r *room) {
		r.start()
		test(r)
	})
}

// inRoomOf is inRoom with another store around the memory store, and a controller that the test starts.
func inRoomOf(t *testing.T, cfg queue.Config, around func(queue.Store) queue.Store, test func(r *room)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		inner, err := memory.New(memory.Options{Config: cfg})
		if err != nil {
			t.Fatal(err)
		}
		store := around(inner)
		c, err := queue.NewAdmissionController(queue.Options{Store: store, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		r := &room{TB: t, AdmissionController: c, ctx: t.Context(), store: store, begin: time.Now()}
		defer func() {
			if err := c.Stop(r.ctx); err != nil {
				t.Errorf("stop: %v", err)
			}
		}()
		test(r)
	})
}

// plainStore is nothing around the memory store.
func plainStore(s queue.Store) queue.Store { return s }

func (r *room) start() {
	r.Helper()
	if err := r.Start(r.ctx); err != nil {
		r.Fatal(err)
	}
}

// after lets that much time pass, and everything happen that is then due.
func (r *room) after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// now is the time since the room opened.
func (r *room) now() time.Duration { return time.Since(r.begin) }

func (r *room) join(sessions ...string) (last queue.View) {
	r.Helper()
	for _, session := range sessions {
		v, err := r.Join(r.ctx, session, queue.Kept{})
		if err != nil {
			r.Fatalf("%s joins at %v: %v", session, r.now(), err)
		}
		last = v
	}
	return last
}

func (r *room) leave(session string) {
	r.Helper()
	if err := r.Leave(r.ctx, session); err != nil {
		r.Fatal(err)
	}
}

func (r *room) seen(sessions ...string) {
	r.Helper()
	for _, session := range sessions {
		if err := r.Seen(r.ctx, session); err != nil {
			r.Fatal(err)
		}
	}
}

func (r *room) wantStanding(session string, status queue.Status, position int) queue.View {
	r.Helper()
	v, err := r.Peek(r.ctx, session)
	if err != nil || v.Status != status || v.Position != position {
		r.Fatalf("%s at %v is %s at %d, %v; want %s at %d", session, r.now(), v.Status, v.Position, err, status, position)
	}
	return v
}

func (r *room) wantEnded(session string, reason queue.Reason) queue.Ended {
	r.Helper()
	_, err := r.Peek(r.ctx, session)
	var gone *queue.NotFoundError
	if !errors.As(err, &gone) || gone.Ended.Reason != reason {
		r.Fatalf("%s at %v: %v, want %s", session, r.now(), err, reason)
	}
	return gone.Ended
}

func (r *room) picture() queue.Picture {
	r.Helper()
	p, err := r.Picture(r.ctx)
	if err != nil {
		r.Fatal(err)
	}
	return p
}

// wantRefused says that a run is refused before it starts.
func (r *room) wantRefused(session string, want error) {
	r.Helper()
	err := r.Run(r.ctx, session, func(context.Context) error {
		r.Errorf("the runner was called for %s", session)
		return nil
	})
	if !errors.Is(err, want) {
		r.Fatalf("%s runs at %v: %v, want %v", session, r.now(), err, want)
	}
}

// going is a run in a goroutine of its own, which goes until the test ends it, whatever becomes of its context.
type going struct {
	ctx  context.Context // the run's
	end  chan error      // what the run is to return
	done chan error      // what Run returned
}

// run starts a run that must be granted.
func (r *room) run(ctx context.Context, session string) *going {
	r.Helper()
	g, err := r.tryRun(ctx, session)
	if err != nil {
		r.Fatalf("%s runs at %v: %v", session, r.now(), err)
	}
	return g
}

// tryRun is run, for a session that may be refused.
func (r *room) tryRun(ctx context.Context, session string) (*going, error) {
	g := &going{end: make(chan error, 1), done: make(chan error, 1)}
	started := make(chan context.Context, 1)
	go func() {
		g.done <- r.Run(ctx, session, func(ctx context.Context) error {
			started <- ctx
			return <-g.end
		})
	}()
	select {
	case g.ctx = <-started:
		return g, nil
	case err := <-g.done:
		return nil, err
	}
}

// finish ends the run with that error, and is what Run returned.
func (g *going) finish(err error) error {
	g.end <- err
	return <-g.done
}

// seconds is a known number.
func seconds(n int64) queue.Seconds { return queue.Seconds{N: n, Known: true} }
