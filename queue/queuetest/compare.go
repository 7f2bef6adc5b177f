package queuetest

import (
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/google/go-cmp/cmp"

	"confluence/queue"
)

// compare asks the store all that can be asked, without a heartbeat, and holds it against the plain list.
func (p *pair) compare() {
	var positions []int
	running := 0
	told := make(map[string]queue.View, len(p.sessions))
	for _, session := range p.sessions {
		v, err := p.store.Peek(p.ctx, session)
		p.compareStanding(session, v, err)
		if err != nil {
			continue
		}
		told[session] = v
		if v.Status == queue.Running {
			running++
		} else {
			positions = append(positions, v.Position)
		}
	}
	slices.Sort(positions)
	for i, position := range positions {
		if position != i+1 {
			p.Fatalf("positions at %v are %v", p.clock.Now(), positions)
		}
	}
	p.comparePicture(len(positions), running)
	p.compareEach(told)
	p.compareChanges(told)
}

func (p *pair) compareStanding(session string, v queue.View, err error) {
	want, gone := p.plain.standing(session)
	if want == nil {
		var notFound *queue.NotFoundError
		if !errors.As(err, &notFound) {
			p.Fatalf("%s at %v: %+v, %v, want no ticket: %+v", session, p.clock.Now(), v, err, gone)
		}
		e := notFound.Ended
		differ(p, session, farewell{e.Reason, e.Number, e.Outcome, e.RunID != "", e.Since, e.Called, e.Kept}, *gone)
		if seen := p.tickets[session]; e.Reason != queue.ReasonNone && seen.number == e.Number && e.TicketID != seen.id {
			p.Fatalf("%s lost ticket %s, told as %s", session, seen.id, e.TicketID)
		}
		return
	}
	if err != nil {
		p.Fatalf("%s at %v: %v, want %+v", session, p.clock.Now(), err, *want)
	}
	got := toldOf(v)
	if p.plain.cfg.Slots > 1 {
		got.ETA = want.ETA
	}
	differ(p, session, got, *want)
	if (v.RunID != "") != (v.Status == queue.Running) {
		p.Fatalf("%s is %s with run %q", session, v.Status, v.RunID)
	}
	p.compareWait(v.Wait)
	if v.ETA.Known && v.ETA.N < 0 || v.ETA.Known != (len(p.plain.durations) > 0) {
		p.Fatalf("%s is told %+v", session, v.ETA)
	}
	seen, same := p.tickets[session], p.tickets[session].number == v.Number
	if same && (v.TicketID != seen.id || v.Position > seen.position) {
		p.Fatalf("%s was %+v and is %+v", session, seen, v)
	}
	p.tickets[session] = ticketSeen{v.TicketID, v.Number, v.Position}
}

func toldOf(v queue.View) told {
	return told{
		v.Number, v.Status, v.Position, v.Ahead, v.JoinedAt, v.ETA, v.ReservationIn, v.Runner, v.Paused, v.Notice, v.Kept, v.RunElapsed, v.HeartbeatEvery, v.ClaimWithin,
	}
}

func (p *pair) compareWait(w queue.Wait) {
	known := w.Basis != queue.BasisNone
	if w.Low.Known != known || w.Likely.Known != known || w.High.Known != known {
		p.Fatalf("wait %+v", w)
	}
	if w.Low.N < 0 || w.Low.N > w.Likely.N || w.Likely.N > w.High.N {
		p.Fatalf("wait %+v", w)
	}
}

func (p *pair) comparePicture(waiting, running int) {
	pic := p.picture()
	if pic.Revision < p.revision {
		p.Fatalf("the revision fell from %d to %d", p.revision, pic.Revision)
	}
	p.revision = pic.Revision
	p.compareWait(pic.Wait)
	// joined = waiting + reserved + running + ended
	if waiting != pic.Length+len(pic.Called) || p.plain.joined != waiting+running+p.tellGone+p.newlyGone() {
		p.Fatalf("%d joined, of whom %d wait or are called, %d run; the picture: %+v", p.plain.joined, waiting, running, pic)
	}
	if busy := len(pic.Called) + len(pic.Serving); busy > p.plain.cfg.Slots {
		p.Fatalf("%d slots are busy: %+v", busy, pic)
	}
	want := p.plain.picture()
	want.Revision, want.Wait, want.UsualLow, want.UsualHigh, want.Estimate = pic.Revision, pic.Wait, pic.UsualLow, pic.UsualHigh, pic.Estimate
	if !reflect.DeepEqual(pic, want) {
		p.Fatalf("the picture at %v (-want +got):\n%s", p.clock.Now(), cmp.Diff(want, pic))
	}
}

// newlyGone are the tickets whose end was told since the last comparison.
func (p *pair) newlyGone() int {
	n := 0
	for _, ch := range p.changes {
		if ch.Kind == queue.Gone {
			n++
		}
	}
	return n
}

// compareEach holds what is told of all at once against what each was told.
func (p *pair) compareEach(standing map[string]queue.View) {
	seen, last := 0, 0
	p.must(p.store.Each(p.ctx, 0, len(p.sessions), func(session string, v queue.View) {
		if v != standing[session] || v.Position < last {
			p.Fatalf("each tells %s %+v, its own standing is %+v", session, v, standing[session])
		}
		seen, last = seen+1, v.Position
	}), "each")
	if seen != len(standing) {
		p.Fatalf("each tells %d of %d", seen, len(standing))
	}
}

// cameBy is the change by which a ticket comes to stand so.
var cameBy = map[queue.Status]queue.ChangeKind{queue.Queued: queue.Joined, queue.Ready: queue.Called, queue.Running: queue.Started}

// compareChanges follows what the store told of itself, and compares where that leads with how it stands.
func (p *pair) compareChanges(standing map[string]queue.View) {
	for _, ch := range p.changes {
		before, has := p.mirror[ch.Session]
		right := true
		switch ch.Kind {
		case queue.Joined:
			right = !has
		case queue.Called:
			right = !has || before == queue.Joined
		case queue.Started:
			right = before == queue.Called
		case queue.Gone:
			right = has
			p.tellGone++
		case queue.Freed:
			p.tellFree++
		}
		if !right {
			p.Fatalf("change %+v after %v", ch, before)
		}
		switch ch.Kind {
		case queue.Joined, queue.Called, queue.Started:
			p.mirror[ch.Session] = ch.Kind
		case queue.Gone:
			delete(p.mirror, ch.Session)
		}
	}
	p.changes = p.changes[:0]
	want := map[string]queue.ChangeKind{}
	for session, v := range standing {
		want[session] = cameBy[v.Status]
	}
	if !maps.Equal(p.mirror, want) {
		p.Fatalf("what the changes tell at %v (-want +got):\n%s", p.clock.Now(), cmp.Diff(want, p.mirror))
	}
	if going := len(p.runs) - p.tellFree; going != len(p.plain.runs) {
		p.Fatalf("%d runs go by the changes, %d do", going, len(p.plain.runs))
	}
}
