package queue_test

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"

	"confluence/queue"
)

// recorder is a Watcher that remembers what it was told, and when.
type recorder struct {
	mu    sync.Mutex
	begin time.Time
	said  []says
	views []queue.View
	ended []queue.Ended
}

// says is one call, in short: the status and position, or the reason of the end.
type says struct {
	At   time.Duration
	What string
}

func (w *recorder) watch(r *room, session string) (stop func()) {
	w.begin = r.begin
	return r.Watch(session, w)
}

func (w *recorder) Standing(v queue.View) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, says{time.Since(w.begin), fmt.Sprintf("%s %d", v.Status, v.Position)})
	w.views = append(w.views, v)
}

func (w *recorder) Ended(e queue.Ended) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, says{time.Since(w.begin), string(e.Reason)})
	w.ended = append(w.ended, e)
}

func (w *recorder) all() []says {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.said)
}

// want says all that the watcher was told until now. A time may be up to 20 ms later than it is said to be: that long a burst is gathered.
func (w *recorder) want(r *room, want ...says) {
	r.Helper()
	got := w.all()
	for i := range got {
		if i < len(want) {
			if late := got[i].At - want[i].At; late > 0 && late <= 20*time.Millisecond {
				got[i].At = want[i].At
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.Errorf("at %v (-want +got):\n%s", r.now(), diff)
	}
}

func (w *recorder) lastView(r *room) queue.View {
	r.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.views) == 0 {
		r.Fatal("the watcher was told nothing")
	}
	return w.views[len(w.views)-1]
}

func (w *recorder) lastEnded(r *room) queue.Ended {
	r.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.ended) == 0 {
		r.Fatal("the watcher was told of no end")
	}
	return w.ended[len(w.ended)-1]
}
