package sqlitestore

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"confluence/queue"
	"confluence/queue/queuetest"
)

var discard = slog.New(slog.DiscardHandler)

func TestMain(m *testing.M) {
	crashIfChild()
	goleak.VerifyTestMain(m)
}

func TestStore(t *testing.T) {
	d := newDisk(t)
	d.forgets = true
	queuetest.Exercise(t, func(t testing.TB, cfg queue.Config, clock *queuetest.Clock) queue.Store {
		return open(t, Options{Config: cfg, Folder: t.TempDir(), Clock: clock.Now, vfs: d.name})
	})
}

// config is one slot, a long line, and nobody who is dropped.
func config() queue.Config {
	return queue.Config{Slots: 1, MaxLength: 1 << 20, Reservation: time.Minute, Heartbeat: 1000 * time.Hour}
}

// open opens a store that is closed with the test, if it isn't before.
func open(t testing.TB, o Options) *Store {
	t.Helper()
	if o.Config == (queue.Config{}) {
		o.Config = config()
	}
	if o.Logger == nil {
		o.Logger = discard
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeStore(t, s) })
	return s
}

func closeStore(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func join(t testing.TB, s *Store, session string) queue.View {
	t.Helper()
	v, err := s.Join(t.Context(), session, queue.Kept{Query: "text of " + session})
	if err != nil {
		t.Fatalf("%s joins: %v", session, err)
	}
	return v
}

func claim(t testing.TB, s *Store, session string) queue.Grant {
	t.Helper()
	g, err := s.Claim(t.Context(), session)
	if err != nil {
		t.Fatalf("%s claims: %v", session, err)
	}
	return g
}

func peek(t testing.TB, s *Store, session string) queue.View {
	t.Helper()
	v, err := s.Peek(t.Context(), session)
	if err != nil {
		t.Fatalf("%s: %v", session, err)
	}
	return v
}

func wantEnded(t testing.TB, s *Store, session string, reason queue.Reason) queue.Ended {
	t.Helper()
	_, err := s.Peek(t.Context(), session)
	var gone *queue.NotFoundError
	if !errors.As(err, &gone) || gone.Ended.Reason != reason {
		t.Fatalf("%s: %v, want %s", session, err, reason)
	}
	return gone.Ended
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
