package sqlitestore

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"confluence/queue"
	"confluence/queue/queuetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore(t *testing.T) {
	queuetest.Exercise(t, func(t testing.TB, cfg queue.Config, clock *queuetest.Clock) queue.Store {
		s, err := Open(Options{Config: cfg, Folder: t.TempDir(), Clock: clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
		return s
	})
}
