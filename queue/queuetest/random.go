package queuetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"confluence/queue"
)

// failing is where a difference is reported: a test, or one of rapid's tries.
type failing interface {
	Helper()
	Fatalf(format string, args ...any)
}

// pair is a store and the plain list, which get the same operations.
type pair struct {
	failing
	*line
	plain    *plain
	sessions []string
	runs     []pairedRun // all that ever started, oldest first
	tickets  map[string]ticketSeen
	mirror   map[string]queue.ChangeKind // of the sessions with a ticket: the last change of it
	tellGone int
	tellFree int
	revision int64
}

type pairedRun struct {
	term  uint64
	plain *plainRun
}

// ticketSeen is where a ticket was last.
type ticketSeen struct {
	id       string
	number   int64
	position int
}

func (p *pair) Helper() { p.failing.Helper() }
func (p *pair) Fatalf(format string, args ...any) {
	p.failing.Helper()
	p.failing.Fatalf(format, args...)
}

func newPair(t *testing.T, f failing, open Open, cfg queue.Config, sessions int) *pair {
	p := &pair{
		failing: f, line: newLine(t, open, cfg), sessions: crowd(sessions),
		plain:   &plain{cfg: cfg, ended: make(map[string]*plainEnd)},
		tickets: make(map[string]ticketSeen), mirror: make(map[string]queue.ChangeKind),
	}
	return p
}

// choice chooses one of n things; what it is for helps to read a failure.
type choice func(what string, n int) int

// steps are the lengths of time that matter, in one line of the rules or another.
func (p *pair) steps() []time.Duration {
	cfg := p.plain.cfg
	steps := []time.Duration{
		0, 0, 0, 1, time.Millisecond, 500 * time.Millisecond, time.Second, 2500 * time.Millisecond, 5 * time.Second, 5*time.Second + 1,
		cfg.Heartbeat / 2, cfg.Heartbeat, cfg.Heartbeat + 1, cfg.Reservation - 1, cfg.Reservation, cfg.Reservation + 1, 10 * time.Minute,
	}
	if next := p.plain.next(); next > 0 {
		steps = append(steps, next-1, next, next, next, next+1)
	}
	return steps
}

// step lets time pass or not, does one thing on both sides, and compares.
func (p *pair) step(pick choice) {
	if pick("time passes", 3) == 0 {
		steps := p.steps()
		p.after(steps[pick("step", len(steps))])
	}
	p.plain.moveTo(p.clock.Now())
	session := p.sessions[pick("session", len(p.sessions))]
	ops := []func(session string, pick choice){
		p.doJoin, p.doJoin, p.doJoin, p.doStatus, p.doStatus, p.doSeen, p.doAllSeen, p.doAllSeen, p.doLeave, p.doClaim, p.doClaim, p.doClaimReady,
		p.doClaimReady, p.doFinish, p.doFinish, p.doFinish, p.doStopping, p.doKeep, p.doForgetLapse, p.doSetRunner, p.doSetPaused, p.doSetNotice, p.doAdvance,
	}
	ops[pick("operation", len(ops))](session, pick)
	p.compare()
}

func (p *pair) same(what string, got, want error) {
	if !errors.Is(got, want) {
		p.Fatalf("%s at %v: %v, want %v", what, p.clock.Now(), got, want)
	}
}

func (p *pair) kept(pick choice) queue.Kept {
	return []queue.Kept{{}, {Query: "one"}, {Query: "two", AutoStart: true}, {AutoStart: true}}[pick("kept", 4)]
}

func (p *pair) doJoin(session string, pick choice) {
	kept := p.kept(pick)
	_, err := p.store.Join(p.ctx, session, kept)
	p.same("join of "+session, err, p.plain.join(session, kept))
}

func (p *pair) doStatus(session string, _ choice) {
	_, err := p.store.Status(p.ctx, session)
	if want := p.plain.ticket(session) == nil; errors.Is(err, queue.ErrTicketNotFound) != want {
		p.Fatalf("status of %s at %v: %v", session, p.clock.Now(), err)
	}
	p.plain.heartbeat(session)
}

func (p *pair) doSeen(session string, _ choice) {
	p.seen(session)
	p.plain.heartbeat(session)
}

func (p *pair) doAllSeen(string, choice) {
	for _, session := range p.sessions {
		p.doSeen(session, nil)
	}
}

func (p *pair) doLeave(session string, _ choice) {
	p.leave(session)
	p.plain.leave(session)
}

func (p *pair) doClaim(session string, _ choice) {
	g, err := p.store.Claim(p.ctx, session)
	r, want := p.plain.claim(session)
	p.same("claim of "+session, err, want)
	if err == nil {
		p.runs = append(p.runs, pairedRun{g.Term, r})
	}
}

// doClaimReady claims for one who may, if there is one.
func (p *pair) doClaimReady(session string, pick choice) {
	if ready := p.plain.reserved; len(ready) > 0 {
		session = ready[pick("which reservation", len(ready))].session
	}
	p.doClaim(session, pick)
}

func (p *pair) doFinish(_ string, pick choice) {
	if len(p.runs) == 0 {
		return
	}
	// The last few: those that go, and some that have ended.
	r := p.runs[len(p.runs)-1-pick("which run", min(len(p.runs), p.plain.cfg.Slots+1))]
	outcomes := []queue.Outcome{queue.Succeeded, queue.Failed, queue.TimedOut, queue.Cancelled, queue.Disconnected, queue.Interrupted}
	outcome := outcomes[pick("outcome", len(outcomes))]
	p.same("finish", p.store.Finish(p.ctx, r.term, outcome), p.plain.finish(r.plain, outcome))
}

func (p *pair) doStopping(_ string, pick choice) {
	if len(p.runs) > 0 {
		r := p.runs[len(p.runs)-1-pick("which run", min(len(p.runs), p.plain.cfg.Slots+1))]
		p.must(p.store.Stopping(p.ctx, r.term), "stopping")
		r.plain.stopping = true
	}
}

func (p *pair) doKeep(session string, pick choice) {
	kept := p.kept(pick)
	p.same("keep", p.store.Keep(p.ctx, session, kept), p.plain.keep(session, kept))
}

func (p *pair) doForgetLapse(session string, _ choice) {
	p.must(p.store.ForgetLapse(p.ctx, session), session)
	p.plain.forgetLapse(session)
}

func (p *pair) doSetRunner(_ string, pick choice) {
	available := pick("available", 3) > 0
	p.setRunner(available)
	p.plain.setRunner(available)
}

func (p *pair) doSetPaused(_ string, pick choice) {
	paused := pick("paused", 3) == 0
	p.setPaused(paused)
	p.plain.setPaused(paused)
}

func (p *pair) doSetNotice(_ string, pick choice) {
	notice := []string{"", "Back at noon"}[pick("notice", 2)]
	p.must(p.store.SetNotice(p.ctx, notice), "notice")
	p.plain.notice = notice
}

func (p *pair) doAdvance(string, choice) {
	if got, want := p.advance(), p.plain.next(); got != want {
		p.Fatalf("the next deadline at %v is told as %v, want %v", p.clock.Now(), got, want)
	}
}

// againstPlainList plays random operations on rooms of all kinds.
func againstPlainList(t *testing.T, open Open) {
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(what string, n int) int { return rapid.IntRange(0, n-1).Draw(rt, what) }
		cfg := queue.Config{
			Slots:       []int{1, 2, 8}[pick("slots", 3)],
			MaxLength:   []int{0, 1, 3, 1000}[pick("max length", 4)],
			Reservation: []time.Duration{5 * time.Second, 20 * time.Second, time.Minute}[pick("reservation", 3)],
			Heartbeat:   []time.Duration{4 * time.Second, 20 * time.Second, 30 * time.Second}[pick("heartbeat", 3)],
		}
		p := newPair(t, rt, open, cfg, 4+2*cfg.Slots)
		for range rapid.IntRange(1, 150).Draw(rt, "operations") {
			p.step(pick)
		}
	})
}

// countsAgree is a random script of 10,000 operations for each number of slots: at each step joined = waiting + reserved + running + ended,
// and all ways of asking say the same. case: counts-agree
func countsAgree(t *testing.T, open Open) {
	for _, slots := range []int{1, 2, 8} {
		t.Run(fmt.Sprint(slots, " slots"), func(t *testing.T) {
			random := rand.New(rand.NewPCG(7, uint64(slots)))
			cfg := queue.Config{Slots: slots, MaxLength: 12, Reservation: 20 * time.Second, Heartbeat: 30 * time.Second}
			p := newPair(t, t, open, cfg, 10+2*slots)
			for range 10_000 {
				p.step(func(_ string, n int) int { return random.IntN(n) })
			}
		})
	}
}

// differ ends the test if got is not what is wanted. Comparing with == where it can be is much faster than by reflection.
func differ[T comparable](p *pair, what string, got, want T) {
	if got != want {
		p.failing.Helper()
		p.Fatalf("%s at %v (-want +got):\n%s", what, p.clock.Now(), cmp.Diff(want, got))
	}
}
