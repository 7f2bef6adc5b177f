package queue

import (
	"slices"
	"time"
)

// Undo is called before a transition of that session's, a Join, Keep or Claim, at the same instant. What it returns takes that transition back,
// for a store that could not save it: a ticket that it made is gone without a trace, a run that it started is a reservation again, what was
// kept or remembered is as it was. What else has happened meanwhile stands. Several are taken back in reverse order, and none that was told as done.
func (l *Line) Undo(now time.Duration, session string) (undo func(now time.Duration)) {
	l.Advance(now)
	before, term := l.tickets[session], l.term
	var kept Kept
	if before != nil {
		kept = before.kept
	}
	prior := l.endings.of(session, now)
	refuse := prior != nil && prior.refuse
	return func(now time.Duration) {
		l.Advance(now)
		l.unclaim(now, session, term)
		switch t := l.tickets[session]; {
		case t != nil && t != before:
			l.withdraw(now, t, prior)
		case t != nil && t.kept != kept:
			l.keep(t, kept)
		}
		if prior != nil && l.endings.by[session] == prior && prior.refuse != refuse {
			prior.refuse = refuse
			l.owe(prior.ended.Number, session, false)
		}
	}
}

// unclaim makes a run that the session claimed after that term a reservation again, with the deadline that it had.
func (l *Line) unclaim(now time.Duration, session string, after uint64) {
	i := slices.IndexFunc(l.runs, func(r *run) bool { return r.session == session && r.term > after })
	if i < 0 {
		return
	}
	r := l.runs[i]
	l.runs = slices.Delete(l.runs, i, i+1)
	l.inputs++
	l.changed(Change{Kind: Freed, Session: session, Term: r.term})
	t := r.ticket
	if t == nil { // it left meanwhile
		l.promote(now)
		return
	}
	t.run, t.status = nil, Ready
	at, _ := slices.BinarySearchFunc(l.reserved, t, byCall)
	l.reserved = slices.Insert(l.reserved, at, t)
	l.owe(t.number, session, false)
	l.changed(Change{Kind: Called, Session: session, Waited: -1})
}

// withdraw takes out a ticket that waits or is called, and remembers what was remembered before it came.
func (l *Line) withdraw(now time.Duration, t *ticket, prior *ending) {
	delete(l.tickets, t.session)
	switch t.status {
	case Queued:
		l.waits.Withdrawn(now, l.queue.rank(t)-1)
		l.dequeue(t)
	case Ready:
		l.reserved = slices.DeleteFunc(l.reserved, func(r *ticket) bool { return r == t })
		l.inputs++
	}
	if prior != nil {
		l.endings.remember(prior)
		l.owe(prior.ended.Number, prior.session, true)
	}
	l.owe(t.number, t.session, false)
	l.changed(Change{Kind: Gone, Session: t.session, Ended: Ended{Reason: ReasonNone, TicketID: t.id, Number: t.number, Kept: t.kept}})
	l.promote(now)
}
