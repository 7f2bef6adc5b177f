package web

import (
	"container/list"
	"sync"
	"time"
)

// beats has something done for each socket at an interval, which is the same for all: so who had its turn goes to the end of the list, the
// next is always the first, and one timer is enough for everybody.
type beats struct {
	every time.Duration
	now   func() time.Time
	turn  func(*socket)

	mu    sync.Mutex
	list  list.List // of *beat, the next one first
	timer *time.Timer
}

// beat is a socket's place in the list.
type beat struct {
	socket *socket
	due    time.Time
}

// beatTogether is how much too early a turn may come, so that those of nearly the same instant come together.
const beatTogether = 5 * time.Millisecond

func newBeats(every time.Duration, now func() time.Time, turn func(*socket)) *beats {
	return &beats{every: every, now: now, turn: turn}
}

// add gives the socket its first turn after the interval.
func (b *beats) add(k *socket) *list.Element {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := b.list.PushBack(&beat{k, b.now().Add(b.every)})
	if b.list.Len() == 1 {
		b.wind()
	}
	return at
}

// postpone lets the interval begin anew.
func (b *beats) postpone(at *list.Element) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at.Value.(*beat).due = b.now().Add(b.every)
	b.list.MoveToBack(at) // the timer may come for nothing
}

// remove takes the socket out; nil: it was not in.
func (b *beats) remove(at *list.Element) {
	if at == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list.Remove(at)
}

// wind sets the timer to the first turn. It wants the lock.
func (b *beats) wind() {
	first := b.list.Front()
	if first == nil {
		return
	}
	in := first.Value.(*beat).due.Sub(b.now())
	if b.timer == nil {
		b.timer = time.AfterFunc(in, b.strike)
		return
	}
	b.timer.Reset(in)
}

// strike lets those have their turn whose time has come.
func (b *beats) strike() {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	for range b.list.Len() {
		first := b.list.Front()
		beat := first.Value.(*beat)
		if beat.due.Sub(now) > beatTogether {
			break
		}
		beat.due = now.Add(b.every)
		b.list.MoveToBack(first)
		b.turn(beat.socket)
	}
	b.wind()
}
