package simulation

import "time"

// deed is what a person does at some instant.
type deed int

const (
	claims deed = iota
	finishes
	givesUp // falls silent, or is gone
	looks   // at the estimate
)

// entry is one deed of the agenda.
type entry struct {
	at     time.Duration
	number uint64 // entries of one instant come in the order in which they were made
	deed   deed
	person *person
	index  int // in the agenda; -1: not there any more
}

// agenda is what will happen: a binary heap, the next first.
type agenda struct {
	entries []*entry
	number  uint64
}

func (a *agenda) add(at time.Duration, d deed, p *person) *entry {
	a.number++
	e := &entry{at: at, number: a.number, deed: d, person: p, index: len(a.entries)}
	a.entries = append(a.entries, e)
	a.up(e.index)
	return e
}

// next is the first entry, or nil.
func (a *agenda) next() *entry {
	if len(a.entries) == 0 {
		return nil
	}
	return a.entries[0]
}

// remove takes an entry out, if it is there still; nil is none.
func (a *agenda) remove(e *entry) {
	if e == nil || e.index < 0 {
		return
	}
	i, last := e.index, len(a.entries)-1
	a.swap(i, last)
	a.entries[last] = nil
	a.entries = a.entries[:last]
	e.index = -1
	if i < last {
		a.down(i)
		a.up(i)
	}
}

func (a *agenda) before(i, j int) bool {
	x, y := a.entries[i], a.entries[j]
	return x.at < y.at || x.at == y.at && x.number < y.number
}

func (a *agenda) swap(i, j int) {
	a.entries[i], a.entries[j] = a.entries[j], a.entries[i]
	a.entries[i].index, a.entries[j].index = i, j
}

func (a *agenda) up(i int) {
	for i > 0 && a.before(i, (i-1)/2) {
		a.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

func (a *agenda) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(a.entries) {
			return
		}
		if child+1 < len(a.entries) && a.before(child+1, child) {
			child++
		}
		if !a.before(child, i) {
			return
		}
		a.swap(i, child)
		i = child
	}
}
