package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"confluence/queue"
	"confluence/queue/queuetest"
)

// TestRestartKeepsEverybody: after a stop, place, number, name and text are as before; everybody who waits has the whole heartbeat time and who is
// called the whole window, from the first moment that the line is asked, however long it was opened before.
func TestRestartKeepsEverybody(t *testing.T) {
	cfg := queue.Config{Slots: 1, MaxLength: 10, Reservation: time.Minute, Heartbeat: 30 * time.Second}
	folder, clock := t.TempDir(), &queuetest.Clock{}
	s := open(t, Options{Config: cfg, Folder: folder, Clock: clock.Now})
	views := []queue.View{join(t, s, "a"), join(t, s, "b"), join(t, s, "c")}
	clock.Advance(29 * time.Second)
	if v := peek(t, s, "a"); v.ReservationIn.N != 31 {
		t.Fatalf("before: %+v", v)
	}
	closeStore(t, s)
	clock.Advance(time.Hour)

	s = open(t, Options{Config: cfg, Folder: folder, Clock: clock.Now})
	clock.Advance(time.Hour) // opened, and not yet up
	for i, session := range []string{"a", "b", "c"} {
		v := peek(t, s, session)
		if v.TicketID != views[i].TicketID || v.Number != views[i].Number || v.Position != i+1 || v.JoinedAt != views[i].JoinedAt || v.Kept != views[i].Kept {
			t.Fatalf("%s was %+v and is %+v", session, views[i], v)
		}
		if v.Revision <= views[2].Revision {
			t.Fatalf("the revision fell from %d to %d", views[2].Revision, v.Revision)
		}
	}
	if v := peek(t, s, "a"); v.ReservationIn.N != 60 {
		t.Fatalf("the window is %+v", v.ReservationIn)
	}
	clock.Advance(30 * time.Second)
	peek(t, s, "c")
	clock.Advance(1)
	wantEnded(t, s, "c", queue.ReasonHeartbeatLost)
	peek(t, s, "a")
	clock.Advance(30*time.Second - 1)
	wantEnded(t, s, "a", queue.ReasonLapsed)
	if v := join(t, s, "d"); v.Number != 4 {
		t.Fatalf("the next number is %d", v.Number)
	}
}

// TestRestartInterruptsARun: its owner is told, with the text; it is never run again, and says nothing of how long runs take. A run whose owner had left
// is just gone.
func TestRestartInterruptsARun(t *testing.T) {
	for _, kill := range []bool{false, true} {
		t.Run(fmt.Sprint("killed: ", kill), func(t *testing.T) {
			cfg := config()
			cfg.Slots = 2
			folder, clock := t.TempDir(), &queuetest.Clock{}
			s := open(t, Options{Config: cfg, Folder: folder, Clock: clock.Now})
			ran := join(t, s, "runs")
			g := claim(t, s, "runs")
			join(t, s, "leaves")
			claim(t, s, "leaves")
			must(t, s.Leave(t.Context(), "leaves"))
			join(t, s, "waits")
			clock.Advance(time.Minute)

			var told []queue.Change
			s = restart(t, s, folder, Options{Config: cfg, Clock: clock.Now}, kill)
			s.Changes(func(changes []queue.Change) { told = append(told, changes...) })
			e := wantEnded(t, s, "runs", queue.ReasonFinished)
			if e.Outcome != queue.Interrupted || e.RunID != g.RunID || e.TicketID != ran.TicketID || e.Kept != ran.Kept || e.Called != time.Minute && !kill {
				t.Fatalf("told %+v", e)
			}
			wantEnded(t, s, "leaves", queue.ReasonLeft)
			v := peek(t, s, "waits")
			if v.Status != queue.Ready || v.ETA.Known {
				t.Fatalf("who waited: %+v", v)
			}
			if len(told) != 2 || told[0].Kind != queue.Gone || told[0].Session != "runs" || told[1].Kind != queue.Called {
				t.Fatalf("the watchers were told %+v", told)
			}
			if err := s.Finish(t.Context(), g.Term, queue.Succeeded); !errors.Is(err, queue.ErrStale) {
				t.Fatalf("the end of a run of before: %v", err)
			}
			if g := claim(t, s, "waits"); g.Term <= 5 {
				t.Fatalf("term %d was given before", g.Term)
			}
		})
	}
}

// restart closes the store, or leaves it as a kill would, and opens what is there.
func restart(t testing.TB, s *Store, folder string, o Options, kill bool) *Store {
	t.Helper()
	o.Folder = folder
	if !kill {
		closeStore(t, s)
		return open(t, o)
	}
	o.Folder = t.TempDir()
	for _, name := range []string{lineFile, lineFile + "-wal"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(o.Folder, name), text, fileMode))
	}
	closeStore(t, s)
	return open(t, o)
}

// TestRestartAnywhere plays random operations, stops or kills the store, and compares what every session is told before and after.
func TestRestartAnywhere(t *testing.T) {
	d := newDisk(t)
	d.forgets = true
	random := rand.New(rand.NewPCG(11, 2))
	for round := range 60 {
		cfg := queue.Config{Slots: []int{1, 2, 8}[round%3], MaxLength: 20, Reservation: 20 * time.Second, Heartbeat: 40 * time.Second}
		folder, clock := t.TempDir(), &queuetest.Clock{}
		o := Options{Config: cfg, Folder: folder, Clock: clock.Now, vfs: d.name}
		p := &people{T: t, store: open(t, o), clock: clock, random: random}
		for range 40 + random.IntN(100) {
			p.doSomething()
		}
		join(t, p.store, "last") // a kill may lose what nobody was answered
		before := p.told()
		var terms []uint64
		for _, g := range p.grants {
			terms = append(terms, g.Term)
		}
		p.store = restart(t, p.store, folder, o, round%2 == 0)
		after := p.told()
		p.compare(before, after)
		v, err := p.store.Join(t.Context(), "newcomer", queue.Kept{})
		must(t, err)
		if v.Number <= before.last {
			t.Fatalf("number %d after %d", v.Number, before.last)
		}
		if len(terms) > 0 && v.Status == queue.Ready {
			if g := claim(t, p.store, "newcomer"); g.Term <= slices.Max(terms) {
				t.Fatalf("term %d after %v", g.Term, terms)
			}
		}
		closeStore(t, p.store)
	}
}

// people do random things.
type people struct {
	*testing.T
	store  *Store
	clock  *queuetest.Clock
	random *rand.Rand
	grants []queue.Grant
}

var names = []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "last"}

func (p *people) doSomething() {
	ctx, session := context.Background(), names[p.random.IntN(len(names)-1)]
	allowed := func(err error, of ...error) {
		for _, one := range append(of, nil) {
			if errors.Is(err, one) {
				return
			}
		}
		p.Fatalf("%s: %v", session, err)
	}
	switch p.random.IntN(10) {
	case 0, 1, 2:
		kept := queue.Kept{}
		if p.random.IntN(2) == 0 {
			kept = queue.Kept{Query: fmt.Sprint("text ", p.random.IntN(100), "\x00’"), AutoStart: p.random.IntN(2) == 0}
		}
		_, err := p.store.Join(ctx, session, kept)
		allowed(err, queue.ErrQueueFull)
	case 3, 4:
		g, err := p.store.Claim(ctx, session)
		allowed(err, queue.ErrBusy, queue.ErrReservationExpired)
		if err == nil {
			p.grants = append(p.grants, g)
		}
	case 5:
		must(p, p.store.Leave(ctx, session))
	case 6:
		if n := len(p.grants); n > 0 {
			outcomes := []queue.Outcome{queue.Succeeded, queue.Failed, queue.Cancelled}
			allowed(p.store.Finish(ctx, p.grants[p.random.IntN(n)].Term, outcomes[p.random.IntN(3)]), queue.ErrStale)
		}
	case 7:
		p.clock.Advance(time.Duration(p.random.IntN(30)) * time.Second)
	case 8:
		must(p, p.store.ForgetLapse(ctx, session))
		allowed(p.store.Keep(ctx, session, queue.Kept{Query: fmt.Sprint("kept ", p.random.IntN(100))}), queue.ErrTicketNotFound)
	case 9:
		must(p, p.store.SetPaused(ctx, p.random.IntN(3) == 0))
		must(p, p.store.SetNotice(ctx, []string{"", "Back at noon"}[p.random.IntN(2)]))
	}
}

// told is what everybody is told at one instant.
type told struct {
	line    []string // the sessions that are called or wait, in order
	views   map[string]queue.View
	ended   map[string]queue.Ended
	picture queue.Picture
	last    int64 // the highest number
}

func (p *people) told() told {
	p.Helper()
	is := told{views: make(map[string]queue.View), ended: make(map[string]queue.Ended)}
	for _, session := range names {
		v, err := p.store.Peek(p.Context(), session)
		var gone *queue.NotFoundError
		switch {
		case err == nil:
			is.views[session] = v
			is.last = max(is.last, v.Number)
		case errors.As(err, &gone):
			is.ended[session] = gone.Ended
			is.last = max(is.last, gone.Ended.Number)
		default:
			p.Fatal(err)
		}
	}
	must(p, p.store.Each(p.Context(), 1, 100, func(session string, _ queue.View) { is.line = append(is.line, session) }))
	var err error
	is.picture, err = p.store.Picture(p.Context())
	must(p, err)
	return is
}

func (p *people) compare(before, after told) {
	p.Helper()
	differ := func(what string, want, got any, options ...cmp.Option) {
		p.Helper()
		if diff := cmp.Diff(want, got, options...); diff != "" {
			p.Fatalf("%s (-before +after):\n%s", what, diff)
		}
	}
	differ("the line", before.line, after.line)
	for session, v := range before.views {
		if v.Status == queue.Running {
			e := after.ended[session]
			differ(session, queue.Ended{
				Reason: queue.ReasonFinished, Outcome: queue.Interrupted, TicketID: v.TicketID, Number: v.Number, RunID: v.RunID, Kept: v.Kept, Called: e.Called,
			}, e)
			continue
		}
		now := after.views[session]
		type lasting struct {
			id       string
			number   int64
			joinedAt int
			kept     queue.Kept
			paused   bool
			notice   string
			low      queue.Seconds
		}
		of := func(v queue.View) lasting {
			return lasting{v.TicketID, v.Number, v.JoinedAt, v.Kept, v.Paused, v.Notice, v.UsualLow}
		}
		differ(session, of(v), of(now), cmp.AllowUnexported(lasting{}))
		if now.Position != v.Position || now.Revision <= v.Revision {
			p.Fatalf("%s stood at %d and stands at %d; revision %d, then %d", session, v.Position, now.Position, v.Revision, now.Revision)
		}
		if now.Status == queue.Ready && now.ReservationIn.N != 20 {
			p.Fatalf("%s has a window of %d s", session, now.ReservationIn.N)
		}
	}
	for session, e := range before.ended {
		differ(session, e, after.ended[session], cmpopts.IgnoreFields(queue.Ended{}, "Since", "Called"))
	}
	differ("the usual", []queue.Seconds{before.picture.UsualLow, before.picture.UsualHigh}, []queue.Seconds{after.picture.UsualLow, after.picture.UsualHigh})
}

// TestEndedAreRememberedTenMinutesOfUse: the time that nobody served doesn't count, so that who comes back is told.
func TestEndedAreRememberedTenMinutesOfUse(t *testing.T) {
	folder, clock := t.TempDir(), &queuetest.Clock{}
	s := open(t, Options{Folder: folder, Clock: clock.Now})
	join(t, s, "a")
	must(t, s.Leave(t.Context(), "a"))
	clock.Advance(4 * time.Minute)
	join(t, s, "b")
	closeStore(t, s)
	clock.Advance(24 * time.Hour)
	s = open(t, Options{Folder: folder, Clock: clock.Now})
	if e := wantEnded(t, s, "a", queue.ReasonLeft); e.Since != 4*time.Minute {
		t.Fatalf("it ended %v ago", e.Since)
	}
	clock.Advance(6 * time.Minute)
	wantEnded(t, s, "a", queue.ReasonNone)
	join(t, s, "c")
	closeStore(t, s)
	c, err := Inspect(t.Context(), folder)
	must(t, err)
	for _, ticket := range c.Ended {
		if ticket.Session == "a" {
			t.Fatalf("the file remembers %+v", ticket)
		}
	}
}

// TestWallClockDecidesNothing: it is stepped an hour to and fro at each call, and everything is as if it were not. case: clock-step
func TestWallClockDecidesNothing(t *testing.T) {
	cfg := queue.Config{Slots: 1, MaxLength: 10, Reservation: time.Minute, Heartbeat: 30 * time.Second}
	folder, clock := t.TempDir(), &queuetest.Clock{}
	calls := 0
	wall := func() time.Time {
		calls++
		return time.Unix(1_700_000_000, 0).Add(time.Duration(calls%3-1) * time.Hour)
	}
	for range 4 {
		s := open(t, Options{Config: cfg, Folder: folder, Clock: clock.Now, Wall: wall})
		for i, session := range []string{"a", "b", "c", "d", "e"} {
			if v := join(t, s, session); v.Position != i+1 || i == 0 && v.ReservationIn.N != 60 {
				t.Fatalf("%s: %+v", session, v)
			}
		}
		clock.Advance(30 * time.Second)
		if v := peek(t, s, "a"); v.ReservationIn.N != 30 {
			t.Fatalf("the window: %+v", v.ReservationIn)
		}
		peek(t, s, "e")
		if next, err := s.Advance(t.Context()); err != nil || next != 1 {
			t.Fatalf("the next deadline is in %v, %v", next, err)
		}
		closeStore(t, s)
	}
	if calls == 0 {
		t.Fatal("no date was written")
	}
}
