package queue_test

import (
	"context"
	"slices"
	"time"

	"confluence/queue"
)

// reference is a controller as one writes it first: a list of tickets, scanned for everything. It is what the line's operations are measured
// against. One slot, no watchers; each call first looks through the whole list for who is due, as nothing else does that.
type reference struct {
	cfg     queue.Config
	tickets []*referenceTicket // in order of joining
}

type referenceTicket struct {
	session  string
	status   queue.Status
	seen     time.Time
	deadline time.Time
}

func (c *reference) Join(_ context.Context, session string, _ queue.Kept) (queue.View, error) {
	now := time.Now()
	c.sweep(now)
	if t := c.find(session); t != nil {
		return c.view(t), nil
	}
	t := &referenceTicket{session: session, status: queue.Queued, seen: now}
	c.tickets = append(c.tickets, t)
	c.promote(now)
	return c.view(t), nil
}

func (c *reference) Status(_ context.Context, session string) (queue.View, error) {
	now := time.Now()
	c.sweep(now)
	t := c.find(session)
	if t == nil {
		return queue.View{}, queue.ErrTicketNotFound
	}
	t.seen = now
	return c.view(t), nil
}

func (c *reference) Leave(_ context.Context, session string) error {
	now := time.Now()
	c.sweep(now)
	c.tickets = slices.DeleteFunc(c.tickets, func(t *referenceTicket) bool { return t.session == session })
	c.promote(now)
	return nil
}

// claim and finish are the turn of whoever is called.
func (c *reference) claim() (session string) {
	c.sweep(time.Now())
	for _, t := range c.tickets {
		if t.status == queue.Ready {
			t.status = queue.Running
			return t.session
		}
	}
	return ""
}

func (c *reference) finish(session string) {
	now := time.Now()
	c.sweep(now)
	c.tickets = slices.DeleteFunc(c.tickets, func(t *referenceTicket) bool { return t.session == session && t.status == queue.Running })
	c.promote(now)
}

// sweep drops the absent and the lapsed.
func (c *reference) sweep(now time.Time) {
	c.tickets = slices.DeleteFunc(c.tickets, func(t *referenceTicket) bool {
		return t.status == queue.Queued && now.Sub(t.seen) > c.cfg.Heartbeat || t.status == queue.Ready && !now.Before(t.deadline)
	})
	c.promote(now)
}

func (c *reference) promote(now time.Time) {
	if len(c.tickets) == 0 || c.tickets[0].status != queue.Queued {
		return // nobody waits, or the slot is taken by who came first
	}
	c.tickets[0].status, c.tickets[0].deadline = queue.Ready, now.Add(c.cfg.Reservation)
}

func (c *reference) find(session string) *referenceTicket {
	for _, t := range c.tickets {
		if t.session == session {
			return t
		}
	}
	return nil
}

func (c *reference) view(t *referenceTicket) queue.View {
	v := queue.View{Status: t.status}
	for _, other := range c.tickets {
		if other.status != queue.Running {
			v.Position++
		}
		if other == t {
			break
		}
	}
	v.Ahead = max(0, v.Position-1)
	return v
}
