package queue_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"confluence/queue"
	"confluence/queue/memory"
	"confluence/queue/queuetest"
)

// meeting is a controller in real time around a store in virtual time, and counts what really runs.
type meeting struct {
	*queue.AdmissionController
	t        *testing.T
	clock    *queuetest.Clock
	accepted atomic.Int64 // calls of Run that were not refused
	started  atomic.Int64 // calls of fn
	inside   atomic.Int64
}

func newMeeting(t *testing.T, cfg queue.Config) *meeting {
	m := &meeting{t: t, clock: &queuetest.Clock{}}
	s, err := memory.New(memory.Options{Config: cfg, Clock: m.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	if m.AdmissionController, err = queue.NewAdmissionController(queue.Options{Store: s}); err != nil {
		t.Fatal(err)
	}
	if err := m.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if m.accepted.Load() != m.started.Load() {
			t.Errorf("%d claims were accepted, %d runs started", m.accepted.Load(), m.started.Load())
		}
	})
	return m
}

func (m *meeting) join(sessions ...string) {
	m.t.Helper()
	for _, session := range sessions {
		if _, err := m.Join(m.t.Context(), session, queue.Kept{}); err != nil {
			m.t.Fatal(err)
		}
	}
}

// run tries to run the session, and says what came of it.
func (m *meeting) run(session string, fn func(ctx context.Context)) error {
	err := m.Run(m.t.Context(), session, func(ctx context.Context) error {
		m.started.Add(1)
		if n := m.inside.Add(1); n > int64(m.Config().Slots) {
			m.t.Errorf("%d runs in %d slots", n, m.Config().Slots)
		}
		defer m.inside.Add(-1)
		fn(ctx)
		return nil
	})
	switch {
	case err == nil:
		m.accepted.Add(1)
	case !errors.Is(err, queue.ErrBusy) && !errors.Is(err, queue.ErrReservationExpired):
		m.t.Errorf("%s: %v", session, err)
	}
	return err
}

// atOnce lets the functions go together, each in a goroutine, and waits for them.
func atOnce(fns ...func()) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for _, fn := range fns {
		all.Go(func() {
			<-start
			fn()
		})
	}
	close(start)
	all.Wait()
}

// instants is how often two things are made to meet.
const instants = 2000

// ended is why the session has no ticket.
func (m *meeting) ended(session string) queue.Reason {
	m.t.Helper()
	_, err := m.Peek(m.t.Context(), session)
	var gone *queue.NotFoundError
	if !errors.As(err, &gone) {
		m.t.Fatalf("%s still has a ticket: %v", session, err)
	}
	return gone.Ended.Reason
}

// next says that the session has been called and leaves the room empty.
func (m *meeting) next(session string) {
	m.t.Helper()
	if v, err := m.Peek(m.t.Context(), session); err != nil || v.Status != queue.Ready || v.Position != 1 {
		m.t.Fatalf("%s is %s at %d, %v", session, v.Status, v.Position, err)
	}
	if err := m.Leave(m.t.Context(), session); err != nil {
		m.t.Fatal(err)
	}
}

func soon(context.Context) { runtime.Gosched() }

// In each of the following, b stands behind a, so that who has lost their place can't come back as a newcomer.

// case: same-instant (the end of the window and the claim)
func TestSameInstantOfDeadlineAndClaim(t *testing.T) {
	m := newMeeting(t, patient())
	for i := range instants {
		a, b := fmt.Sprint("a", i), fmt.Sprint("b", i)
		m.join(a, b)
		m.clock.Advance(reservation - 1)
		var claim error
		atOnce(
			func() { m.clock.Advance(1) },
			func() { claim = m.run(a, soon) },
		)
		want := queue.ReasonFinished
		if claim != nil {
			want = queue.ReasonLapsed
		}
		if got := m.ended(a); got != want || errors.Is(claim, queue.ErrBusy) {
			t.Fatalf("the claim: %v; the ticket ended by %s", claim, got)
		}
		m.next(b)
	}
}

// case: same-instant (leave and claim, on a reservation that may end at the same time)
func TestSameInstantOfLeaveAndClaim(t *testing.T) {
	m := newMeeting(t, patient())
	for i := range instants {
		a, b := fmt.Sprint("a", i), fmt.Sprint("b", i)
		m.join(a, b)
		m.clock.Advance(reservation - 1)
		var claim error
		atOnce(
			func() { m.Leave(t.Context(), a) },
			func() { m.clock.Advance(time.Duration(i % 2)) },
			func() { claim = m.run(a, soon) },
		)
		switch got := m.ended(a); {
		case claim == nil && (got == queue.ReasonLeft || got == queue.ReasonFinished):
		case claim != nil && (got == queue.ReasonLeft || got == queue.ReasonLapsed && i%2 == 1):
		default:
			t.Fatalf("the claim: %v; the ticket ended by %s", claim, got)
		}
		m.next(b)
	}
}

// case: same-instant (promotion, and the leave and the claim of who is called)
func TestSameInstantOfPromotionLeaveAndClaim(t *testing.T) {
	m := newMeeting(t, patient())
	for i := range instants {
		runs, a, b := fmt.Sprint("runs", i), fmt.Sprint("a", i), fmt.Sprint("b", i)
		m.join(runs, a, b)
		going, end := make(chan struct{}), make(chan struct{})
		var claim error
		atOnce(
			func() { m.run(runs, func(context.Context) { close(going); <-end }) },
			func() { <-going; close(end) },
			func() { <-going; m.Leave(t.Context(), a) },
			func() { <-going; claim = m.run(a, soon) },
		)
		if got := m.ended(a); got != queue.ReasonLeft && (claim != nil || got != queue.ReasonFinished) {
			t.Fatalf("the claim: %v; the ticket ended by %s", claim, got)
		}
		m.next(b)
	}
}

// case: same-instant (the heartbeat that is lost at the promotion)
func TestSameInstantOfSilenceAndPromotion(t *testing.T) {
	cfg := patient()
	cfg.Heartbeat = heartbeat
	m := newMeeting(t, cfg)
	for i := range instants {
		runs, a := fmt.Sprint("runs", i), fmt.Sprint("a", i)
		m.join(runs, a)
		var claim error
		err := m.run(runs, func(context.Context) {
			m.clock.Advance(heartbeat)
		})
		if err != nil {
			t.Fatal(err)
		}
		atOnce(
			func() { m.clock.Advance(1) },
			func() { claim = m.run(a, soon) },
		)
		if claim != nil || m.ended(a) != queue.ReasonFinished {
			t.Fatalf("called in time, and refused: %v", claim)
		}
	}
}

// patient is a line in which nobody is lost by silence.
func patient() queue.Config {
	cfg := config()
	cfg.Heartbeat = 1_000_000 * time.Hour
	return cfg
}

// case: double-click
func TestDoubleClick(t *testing.T) {
	m := newMeeting(t, patient())
	tickets := make([]string, 20)
	joins := make([]func(), len(tickets))
	for i := range joins {
		joins[i] = func() {
			v, err := m.Join(t.Context(), "a", queue.Kept{})
			if err != nil {
				t.Error(err)
			}
			tickets[i] = v.TicketID
		}
	}
	atOnce(joins...)
	if len(slices.Compact(tickets)) != 1 {
		t.Errorf("tickets %v", tickets)
	}
	var refused atomic.Int64
	all := make(chan struct{})
	claims := make([]func(), 10)
	for i := range claims {
		claims[i] = func() {
			err := m.run("a", func(context.Context) { <-all })
			if errors.Is(err, queue.ErrBusy) && refused.Add(1) == int64(len(claims)-1) {
				close(all)
			}
		}
	}
	atOnce(claims...)
	if m.started.Load() != 1 || refused.Load() != 9 {
		t.Errorf("%d runs, %d refusals", m.started.Load(), refused.Load())
	}
}

// case: joint-join (fifty at once)
func TestJointJoin(t *testing.T) {
	m := newMeeting(t, patient())
	m.join("first")
	end, going := make(chan struct{}), make(chan struct{})
	positions := make([]int, 50)
	var arrived atomic.Int64
	fns := []func(){func() { m.run("first", func(context.Context) { close(going); <-end }) }}
	for i := range positions {
		fns = append(fns, func() {
			<-going
			v, err := m.Join(t.Context(), fmt.Sprint(i), queue.Kept{})
			if err != nil {
				t.Error(err)
			}
			positions[i] = v.Position
			if arrived.Add(1) == int64(len(positions)) {
				close(end)
			}
		})
	}
	atOnce(fns...)
	slices.Sort(positions)
	for i, position := range positions {
		if position != i+1 {
			t.Fatalf("positions %v", positions)
		}
	}
}
