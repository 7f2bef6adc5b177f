package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"confluence/queue"
	"confluence/queue/queuetest"
)

// faults are the ways in which a disk fails.
var faults = []struct {
	name string
	of   operation
	is   fault
}{
	{"an error on write", opWrite, fault{err: sqlite3.IOERR_WRITE}},
	{"an error on sync", opSync, fault{err: sqlite3.IOERR_FSYNC}},
	{"a short write", opWrite, fault{err: sqlite3.IOERR_WRITE, short: true}},
	{"a full disk", opWrite, fault{err: sqlite3.FULL}},
}

// onFaultyDisk runs a test with each fault, which begins with d.fail() and ends with d.mend().
func onFaultyDisk(t *testing.T, test func(t *testing.T, d *faultyDisk)) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			d := &faultyDisk{disk: newDisk(t), T: t, of: f.of, is: f.is, clock: &queuetest.Clock{}, folder: t.TempDir()}
			d.forgets = true
			test(t, d)
		})
	}
}

type faultyDisk struct {
	*disk
	*testing.T
	of     operation
	is     fault
	clock  *queuetest.Clock
	folder string
}

func (d *faultyDisk) open() *Store {
	return open(d.T, Options{Folder: d.folder, Clock: d.clock.Now, vfs: d.disk.name, tryAgain: time.Millisecond})
}

func (d *faultyDisk) fail() {
	d.fails(func(op operation) fault {
		if op == d.of {
			return d.is
		}
		return fault{}
	})
}

// mend makes the disk whole, and waits until the store has noticed.
func (d *faultyDisk) mend(s *Store) {
	d.T.Helper()
	d.fails(nil)
	until(d.T, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.trouble == nil
	})
}

// until waits for a condition.
func until(t testing.TB, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	late := time.After(30 * time.Second)
	for !holds() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("waited in vain")
		}
	}
}

// TestFaultRefusesAndLosesNothing: who comes while the disk fails is refused in clear words and has left no trace, who was there keeps place and number,
// and everything works again when the disk does, without anybody's help.
func TestFaultRefusesAndLosesNothing(t *testing.T) {
	onFaultyDisk(t, func(t *testing.T, d *faultyDisk) {
		s := d.open()
		first, second := join(t, s, "first"), join(t, s, "second")
		d.fail()
		for range 3 {
			if _, err := s.Join(t.Context(), "late", queue.Kept{}); !errors.Is(err, queue.ErrStore) {
				t.Fatalf("a join: %v", err)
			}
		}
		wantEnded(t, s, "late", queue.ReasonNone)
		if v, err := s.Join(t.Context(), "second", queue.Kept{}); err != nil || v.TicketID != second.TicketID {
			t.Fatalf("who has a ticket joins again: %+v, %v", v, err)
		}
		if err := s.Keep(t.Context(), "second", queue.Kept{Query: "another"}); !errors.Is(err, queue.ErrStore) {
			t.Fatalf("a text: %v", err)
		}
		if _, err := s.Claim(t.Context(), "first"); !errors.Is(err, queue.ErrStore) {
			t.Fatalf("a claim: %v", err)
		}
		if err := s.SetPaused(t.Context(), true); !errors.Is(err, queue.ErrStore) {
			t.Fatalf("a pause: %v", err)
		}
		if v, err := s.Status(t.Context(), "second"); err != nil || v.Position != 2 || v.Kept != second.Kept || v.Runner != queue.RunnerUnavailable {
			t.Fatalf("the status: %+v, %v", v, err)
		}
		d.clock.Advance(10 * time.Minute) // no window runs while nobody can claim
		d.mend(s)
		if v := peek(t, s, "first"); v.Status != queue.Ready || v.ReservationIn.N != 60 || v.Number != first.Number {
			t.Fatalf("the called: %+v", v)
		}
		late := join(t, s, "late")
		if late.Position != 3 || late.Number <= second.Number {
			t.Fatalf("who was refused: %+v", late)
		}
		claim(t, s, "first")
		closeStore(t, s)

		again := d.open()
		if e := wantEnded(t, again, "first", queue.ReasonFinished); e.Outcome != queue.Interrupted {
			t.Fatalf("the run ended as %s", e.Outcome)
		}
		if v := peek(t, again, "second"); v.Status != queue.Ready || v.TicketID != second.TicketID || v.Kept != second.Kept {
			t.Fatalf("the second: %+v", v)
		}
		if v := peek(t, again, "late"); v.Number != late.Number || v.Position != 2 {
			t.Fatalf("the third: %+v", v)
		}
	})
}

// TestFaultTakesAClaimBack: a claim that can't be saved starts nothing, and is a reservation again, in its place, with its text; a newcomer's leaves
// nothing.
func TestFaultTakesAClaimBack(t *testing.T) {
	onFaultyDisk(t, func(t *testing.T, d *faultyDisk) {
		s := d.open()
		d.fail()
		if _, err := s.Claim(t.Context(), "newcomer"); !errors.Is(err, queue.ErrStore) {
			t.Fatalf("a newcomer's claim: %v", err)
		}
		wantEnded(t, s, "newcomer", queue.ReasonNone)
		d.mend(s)
		called := join(t, s, "called")
		join(t, s, "next")
		d.clock.Advance(59 * time.Second)
		d.fails(func(op operation) fault {
			if op != d.of {
				return fault{}
			}
			d.clock.Advance(10 * time.Second) // it takes its time to fail
			return d.is
		})
		if _, err := s.Claim(t.Context(), "called"); !errors.Is(err, queue.ErrStore) {
			t.Fatalf("a claim: %v", err)
		}
		d.mend(s)
		if v := peek(t, s, "called"); v.Status != queue.Ready || v.Position != 1 || v.TicketID != called.TicketID || v.Kept != called.Kept {
			t.Fatalf("the called: %+v", v)
		}
		g := claim(t, s, "called")
		must(t, s.Finish(t.Context(), g.Term, queue.Succeeded))
		if v := peek(t, s, "next"); v.Status != queue.Ready {
			t.Fatalf("the next: %+v", v)
		}
	})
}

// TestFaultCantHoldAnEndUp: a run that has ended frees its slot and who leaves is gone, though neither can be saved; both are saved later.
func TestFaultCantHoldAnEndUp(t *testing.T) {
	onFaultyDisk(t, func(t *testing.T, d *faultyDisk) {
		s := d.open()
		join(t, s, "runs")
		join(t, s, "leaves")
		next := join(t, s, "next")
		g := claim(t, s, "runs")
		d.clock.Advance(40 * time.Second)
		d.fail()
		if err := s.Finish(t.Context(), g.Term, queue.Succeeded); !errors.Is(err, queue.ErrStore) {
			t.Fatalf("the end: %v", err)
		}
		if err := s.Leave(t.Context(), "leaves"); !errors.Is(err, queue.ErrStore) {
			t.Fatalf("a leave: %v", err)
		}
		wantEnded(t, s, "runs", queue.ReasonFinished)
		wantEnded(t, s, "leaves", queue.ReasonLeft)
		d.mend(s)
		if v := peek(t, s, "next"); v.Status != queue.Ready || v.TicketID != next.TicketID || v.ETA.N != 40 {
			t.Fatalf("the next: %+v", v)
		}
		join(t, s, "last") // and with it all that was owed
		closeStore(t, s)

		again := d.open()
		if e := wantEnded(t, again, "runs", queue.ReasonFinished); e.Outcome != queue.Succeeded {
			t.Fatalf("the run: %+v", e)
		}
		wantEnded(t, again, "leaves", queue.ReasonLeft)
		if v := peek(t, again, "next"); v.Status != queue.Ready || v.ETA.N != 40 {
			t.Fatalf("the next: %+v", v)
		}
	})
}

// TestFaultRefusesExactlyItsCallers: a crowd joins while the disk fails and works in turn; who was answered is there after a restart, who was refused isn't.
func TestFaultRefusesExactlyItsCallers(t *testing.T) {
	onFaultyDisk(t, func(t *testing.T, d *faultyDisk) {
		s := d.open()
		holder := join(t, s, "holder")
		var mu sync.Mutex
		numbers := make(map[string]int64) // of those who were answered
		refused := make(map[string]bool)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				for n := range 60 {
					session := fmt.Sprint(i, "-", n)
					v, err := s.Join(t.Context(), session, queue.Kept{})
					mu.Lock()
					if err == nil {
						numbers[session] = v.Number
					} else if errors.Is(err, queue.ErrStore) {
						refused[session] = true
					} else {
						t.Error(err)
					}
					mu.Unlock()
				}
			})
		}
		crowdIn := make(chan struct{})
		go func() { all.Wait(); close(crowdIn) }()
		for in := false; !in; {
			d.fail()
			until(t, func() bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				select {
				case <-crowdIn:
					in = true
				default:
				}
				return s.trouble != nil || in
			})
			d.mend(s)
		}
		join(t, s, "last")
		closeStore(t, s)
		c, err := Inspect(t.Context(), d.folder)
		must(t, err)
		found := 0
		for _, ticket := range c.Tickets {
			if refused[ticket.Session] || numbers[ticket.Session] != ticket.Number && ticket.Session != "last" && ticket.Number != holder.Number {
				t.Fatalf("%+v was refused, or answered %d", ticket, numbers[ticket.Session])
			}
			found++
		}
		if found != len(numbers)+2 || len(c.Ended) != 0 {
			t.Fatalf("%d tickets and %d ended, %d were answered", found, len(c.Ended), len(numbers)+2)
		}
		if len(refused) == 0 {
			t.Log("nobody met the fault")
		}
	})
}

// TestFaultKeepsWhatWasRememberedBefore: a refused join doesn't cost what was known of the last ticket, nor the refusal of a lapse, which is told once.
func TestFaultKeepsWhatWasRememberedBefore(t *testing.T) {
	onFaultyDisk(t, func(t *testing.T, d *faultyDisk) {
		s := d.open()
		join(t, s, "late")
		d.clock.Advance(time.Minute)
		before := wantEnded(t, s, "late", queue.ReasonLapsed)
		d.fail()
		if _, err := s.Join(t.Context(), "late", queue.Kept{}); !errors.Is(err, queue.ErrStore) {
			t.Fatal(err)
		}
		if after := wantEnded(t, s, "late", queue.ReasonLapsed); after != before {
			t.Fatalf("remembered %+v, then %+v", before, after)
		}
		d.mend(s)
		if _, err := s.Claim(t.Context(), "late"); !errors.Is(err, queue.ErrReservationExpired) {
			t.Fatalf("the claim: %v", err)
		}
		closeStore(t, s)
		again := d.open()
		wantEnded(t, again, "late", queue.ReasonLapsed)
		claim(t, again, "late") // told once, over a restart too
	})
}

// TestCloseOfAFailingDisk: it ends, says so, and what was answered is there.
func TestCloseOfAFailingDisk(t *testing.T) {
	onFaultyDisk(t, func(t *testing.T, d *faultyDisk) {
		s, err := Open(Options{Config: config(), Folder: d.folder, vfs: d.disk.name, Logger: discard})
		must(t, err)
		join(t, s, "a")
		join(t, s, "b")
		d.fail()
		if err := s.Leave(t.Context(), "b"); !errors.Is(err, queue.ErrStore) {
			t.Fatal(err)
		}
		if err := s.Close(context.Background()); err == nil {
			t.Error("it closed as if all were well")
		}
		d.fails(nil)
		again := d.open()
		if v := peek(t, again, "a"); v.Status != queue.Ready {
			t.Fatalf("%+v", v)
		}
	})
}
