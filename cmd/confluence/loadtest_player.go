package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"
)

// What becomes of a player.
const (
	becameServed      = "served"
	becameLeft        = "left"          // as it wanted to
	becameWaiting     = "still in line" // at the end of the test, and left then
	becameRefused     = "refused"       // no ticket: the line was full, or the query no good
	becameFailed      = "run failed"    // or was stopped
	becameLapsed      = "turn lapsed"   // it was told too late, or claimed too late
	becameSilent      = "fell silent"   // for longer than the heartbeat, by its own fault as far as one can tell
	becameLost        = "lost"
	becameUnreachable = "gave up" // there was no answer for minutes
	becameTroubled    = "trouble" // it was answered something that it doesn't understand
	becameAbsent      = "never came"
)

var (
	errHadEnough = errors.New("the player leaves, as it wanted to")
	errGaveUp    = errors.New("there was no answer for too long")
	errFull      = errors.New("the line is full")
)

// ticketGone is a ticket that has ended without its player's doing.
type ticketGone struct{ reason, run string }

func (e *ticketGone) Error() string { return "the ticket is gone: " + e.reason }

// player is one of those that are played: a session on its way. What differs between browsers and programs is in its way.
type player struct {
	test   *loadtest
	number int // among the players
	rand   *rand.Rand
	server *askServer
	leaves time.Duration // so long after it came; 0: it doesn't

	view      askView
	seen      time.Duration // the server has heard of it at this instant or later
	answered  atomic.Int64  // when a ping was answered last, as time.Duration; below 0: none was
	window    time.Duration // its turn lasts until then at least; 0: unknown
	run       runSpan
	began     bool // its run
	output    time.Duration
	outcome   string
	following string // how it is told: socket, stream, poll
}

// way is how a kind of player does what all do.
type way interface {
	join(ctx context.Context) error  // opens a session and joins; the view or the run is known then
	await(ctx context.Context) error // returns when the ticket is no longer queued
	claim(ctx context.Context) error // starts the run; refused because it is early it changes the view
	leave(ctx context.Context) error // gives the ticket back
}

// play is the whole way of a player, and what became of it.
func (p *player) play(ctx context.Context, by way) string {
	err := p.through(ctx, by)
	refused := askRefusalOf(err)
	gone, lost := errors.AsType[*ticketGone](err)
	switch {
	case err == nil:
		p.test.check.gave(p.number)
		if p.outcome == "succeeded" {
			return becameServed
		}
		return becameFailed
	case lost:
		return p.lost(gone)
	case errors.Is(err, errHadEnough):
		return p.goAway(by, becameLeft)
	case ctx.Err() != nil && p.view.TicketID == "" && !p.began:
		return becameAbsent
	case ctx.Err() != nil:
		return p.goAway(by, becameWaiting)
	case errors.Is(err, errFull), refused != nil && refused.Code == "queue_full":
		return becameRefused
	case errors.Is(err, errAskCut), errors.Is(err, errGaveUp), refused != nil && refused.passes():
		p.test.troubled(err)
		p.test.check.givenUp(p.number, askPatience, err)
		return becameUnreachable
	}
	p.test.troubled(err)
	_ = p.goAway(by, "") // it may hold a ticket, and wants it no more
	if refused != nil && (refused.Code == "query_rejected" || refused.Code == "invalid_query") {
		return becameRefused
	}
	return becameTroubled
}

func (p *player) through(ctx context.Context, by way) error {
	// A join that was sent is waited for whatever happens: who doesn't know of a ticket can't give it back.
	if err := p.patiently(ctx, func() error { return by.join(context.WithoutCancel(ctx)) }); err != nil {
		return err
	}
	enough, cancel := ctx, context.CancelFunc(func() {})
	if p.leaves > 0 {
		enough, cancel = context.WithTimeoutCause(ctx, p.leaves, errHadEnough)
	}
	defer cancel()
	for !p.began {
		if p.view.Status == "queued" {
			if err := p.patiently(enough, func() error { return by.await(enough) }); err != nil {
				if ctx.Err() == nil && enough.Err() != nil {
					return errHadEnough
				}
				return err
			}
		}
		if p.view.Status == "ready" || p.view.Status == "running" {
			if err := p.patiently(ctx, func() error { return by.claim(ctx) }); err != nil {
				return err
			}
		}
	}
	if p.outcome == "" {
		if err := p.patiently(ctx, func() error { return p.read(ctx) }); err != nil {
			return err
		}
	}
	return p.patiently(ctx, func() error { return p.account(ctx) })
}

// patiently tries again what fails for a while, and knows since when there is trouble.
func (p *player) patiently(ctx context.Context, try func() error) error {
	return patiently(ctx, func(*askRefusal) {}, try)
}

// saw takes a standing.
func (p *player) saw(asked, told time.Duration, v askView) {
	p.test.check.saw(sighting{player: p.number, asked: asked, told: told, view: v})
	if v.Status == "ready" && p.view.Status == "queued" && p.view.TicketID == v.TicketID {
		p.test.toldOfCall(p.following, told)
	}
	p.view = v
}

// notFound makes the end of a ticket of a refusal that tells of it.
func notFound(err error) error {
	refused := askRefusalOf(err)
	switch {
	case refused == nil:
		return err
	case refused.Code == "reservation_expired":
		return &ticketGone{reason: refused.Code}
	case refused.Code == "ticket_not_found":
		return &ticketGone{reason: refused.Reason, run: refused.RunID}
	}
	return err
}

// status asks where the player stands.
func (p *player) status(ctx context.Context) error {
	var v askView
	asked := p.test.now()
	if err := p.server.call(ctx, http.MethodGet, "queue/status", nil, &v); err != nil {
		return notFound(err)
	}
	told := p.test.now()
	p.test.times.add("status", told-asked)
	p.seen = asked
	if v.Status == "ready" {
		p.window = asked + time.Duration(v.Window-1)*time.Second // it is told in whole seconds
	}
	p.saw(asked, told, v)
	return nil
}

// lost tells of a ticket that is gone.
func (p *player) lost(gone *ticketGone) string {
	certain := p.test.check.lost(loss{
		player: p.number, reason: gone.reason, told: p.test.now(), seen: p.seen, answered: time.Duration(p.answered.Load()),
		heartbeat: time.Duration(p.view.Heartbeat * float64(time.Second)), window: p.window,
	})
	switch {
	case certain:
		return becameLost
	case gone.reason == "reservation_expired":
		return becameLapsed
	}
	return becameSilent
}

// goAway gives the ticket back.
func (p *player) goAway(by way, became string) string {
	ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	first := p.view.Ahead == 0
	if first || p.following == "poll" { // which may have been called, and not asked since
		p.test.slotUnsure()
	}
	if err := patiently(ctx, func(*askRefusal) {}, func() error { return by.leave(ctx) }); err != nil {
		p.test.troubled(fmt.Errorf("leaving: %w", err))
	} else if first && p.following != "poll" {
		p.test.slotFreed()
	}
	p.test.check.gave(p.number)
	return became
}

// accepted knows of the run.
func (p *player) accepted(id string, asked, told time.Duration) {
	if p.began {
		return
	}
	p.began = true
	p.run = runSpan{player: p.number, number: p.view.Number, id: id, asked: asked, accepted: told}
	p.test.running.Add(1)
}

// read follows the run's output to its end.
func (p *player) read(ctx context.Context) error {
	return p.server.follow(ctx, http.MethodGet, "runs/"+p.run.id+"/output", nil, nil, p.take)
}

// take is an event of the run.
func (p *player) take(ev askEvent) (more bool, err error) {
	told := p.test.now()
	if p.output == 0 && (ev.name == "output" || ev.name == "end") {
		p.output = told
		p.test.times.add("run start", told-p.run.asked)
	}
	if ev.name != "end" {
		return true, nil
	}
	var end askEnd
	if err := ev.into(&end); err != nil {
		return false, err
	}
	p.test.slotFreed()
	p.test.running.Add(-1)
	p.outcome, p.run.told, p.run.took = end.Outcome, told, time.Duration(end.Seconds*float64(time.Second))
	return false, nil
}

// account asks for what the server has noted of the run.
func (p *player) account(ctx context.Context) error {
	var noted struct {
		Number  int64      `json:"number"`
		Started time.Time  `json:"started_at"`
		Ended   *time.Time `json:"ended_at"`
	}
	if err := p.server.call(ctx, http.MethodGet, "runs/"+p.run.id, nil, &noted); err != nil {
		return err
	}
	p.run.number, p.run.started = noted.Number, noted.Started
	if noted.Ended != nil {
		p.run.ended = *noted.Ended
	}
	p.test.check.ran(p.run)
	return nil
}
