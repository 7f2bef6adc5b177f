package memory_test

import (
	"testing"

	"go.uber.org/goleak"

	"confluence/queue"
	"confluence/queue/memory"
	"confluence/queue/queuetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore(t *testing.T) {
	queuetest.Exercise(t, func(t testing.TB, cfg queue.Config, clock *queuetest.Clock) queue.Store {
		s, err := memory.New(memory.Options{Config: cfg, Clock: clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
