package queuetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"confluence/queue"
)

// line is a store under test in the words of a rule. What must succeed and doesn't ends the test.
type line struct {
	*testing.T
	ctx     context.Context
	store   queue.Store
	clock   *Clock
	runs    map[string][]uint64 // the terms of the going runs, by session, oldest first
	changes []queue.Change
}

func newLine(t *testing.T, open Open, cfg queue.Config) *line {
	l := &line{T: t, ctx: t.Context(), clock: &Clock{}, runs: make(map[string][]uint64)}
	l.store = open(t, cfg, l.clock)
	l.store.Changes(func(changes []queue.Change) { l.changes = append(l.changes, changes...) })
	return l
}

// after moves the clock; nothing else happens.
func (l *line) after(d time.Duration) { l.clock.Advance(d) }

func (l *line) join(session string) queue.View {
	l.Helper()
	v, err := l.store.Join(l.ctx, session, queue.Kept{})
	l.must(err, session)
	return v
}

func (l *line) joinAll(sessions ...string) {
	l.Helper()
	for _, session := range sessions {
		l.join(session)
	}
}

func (l *line) status(session string) queue.View {
	l.Helper()
	v, err := l.store.Status(l.ctx, session)
	l.must(err, session)
	return v
}

// peek is the standing without a heartbeat.
func (l *line) peek(session string) queue.View {
	l.Helper()
	v, err := l.store.Peek(l.ctx, session)
	l.must(err, session)
	return v
}

func (l *line) seen(sessions ...string) {
	l.Helper()
	for _, session := range sessions {
		l.must(l.store.Seen(l.ctx, session), session)
	}
}

func (l *line) leave(session string) {
	l.Helper()
	l.must(l.store.Leave(l.ctx, session), session)
}

func (l *line) claim(session string) queue.Grant {
	l.Helper()
	g, err := l.store.Claim(l.ctx, session)
	l.must(err, session)
	l.runs[session] = append(l.runs[session], g.Term)
	return g
}

// finish ends the session's oldest run.
func (l *line) finish(session string, outcome queue.Outcome) {
	l.Helper()
	if len(l.runs[session]) == 0 {
		l.Fatalf("%s has no run", session)
	}
	term := l.runs[session][0]
	l.runs[session] = l.runs[session][1:]
	l.must(l.store.Finish(l.ctx, term, outcome), session)
}

// run claims and finishes a run of that length.
func (l *line) run(session string, took time.Duration) {
	l.Helper()
	l.claim(session)
	l.after(took)
	l.finish(session, queue.Succeeded)
}

func (l *line) advance() time.Duration {
	l.Helper()
	next, err := l.store.Advance(l.ctx)
	l.must(err, "advance")
	return next
}

func (l *line) picture() queue.Picture {
	l.Helper()
	p, err := l.store.Picture(l.ctx)
	l.must(err, "picture")
	return p
}

func (l *line) setRunner(available bool) {
	l.Helper()
	l.must(l.store.SetRunner(l.ctx, available), "runner")
}

func (l *line) setPaused(paused bool) {
	l.Helper()
	l.must(l.store.SetPaused(l.ctx, paused), "pause")
}

func (l *line) halt() {
	l.Helper()
	l.must(l.store.Halt(l.ctx), "halt")
}

func (l *line) must(err error, of string) {
	if err != nil {
		l.Helper()
		l.Fatalf("%s at %v: %v", of, l.clock.Now(), err)
	}
}

// wantStanding looks, without a heartbeat.
func (l *line) wantStanding(session string, status queue.Status, position int) {
	l.Helper()
	if v := l.peek(session); v.Status != status || v.Position != position {
		l.Fatalf("%s at %v is %s at %d, want %s at %d", session, l.clock.Now(), v.Status, v.Position, status, position)
	}
}

// wantLine says who waits, in order, behind the reservations.
func (l *line) wantLine(sessions ...string) {
	l.Helper()
	p := l.picture()
	for i, session := range sessions {
		l.wantStanding(session, queue.Queued, len(p.Called)+i+1)
	}
	if p.Length != len(sessions) {
		l.Fatalf("at %v %d wait, want %v", l.clock.Now(), p.Length, sessions)
	}
}

// wantEnded says why the session has no ticket.
func (l *line) wantEnded(session string, reason queue.Reason) queue.Ended {
	l.Helper()
	_, err := l.store.Peek(l.ctx, session)
	var gone *queue.NotFoundError
	if !errors.As(err, &gone) || !errors.Is(err, queue.ErrTicketNotFound) {
		l.Fatalf("%s at %v: %v, want no ticket", session, l.clock.Now(), err)
	}
	if gone.Ended.Reason != reason {
		l.Fatalf("%s at %v ended by %q, want %q", session, l.clock.Now(), gone.Ended.Reason, reason)
	}
	return gone.Ended
}

func (l *line) wantRefusedJoin(session string, want error) {
	l.Helper()
	if _, err := l.store.Join(l.ctx, session, queue.Kept{}); !errors.Is(err, want) {
		l.Fatalf("%s joins at %v: %v, want %v", session, l.clock.Now(), err, want)
	}
}

// wantRefusedClaim says that a claim is refused, and that nothing starts.
func (l *line) wantRefusedClaim(session string, want error) {
	l.Helper()
	started := l.count(queue.Started)
	if _, err := l.store.Claim(l.ctx, session); !errors.Is(err, want) {
		l.Fatalf("%s claims at %v: %v, want %v", session, l.clock.Now(), err, want)
	}
	if l.count(queue.Started) != started {
		l.Fatalf("%s was refused, and yet a run started", session)
	}
}

// count is how many changes of that kind there were.
func (l *line) count(kind queue.ChangeKind) int {
	n := 0
	for _, ch := range l.changes {
		if ch.Kind == kind {
			n++
		}
	}
	return n
}

func wantEqual[T any](l *line, what string, got, want T) {
	l.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		l.Fatalf("%s at %v (-want +got):\n%s", what, l.clock.Now(), diff)
	}
}
