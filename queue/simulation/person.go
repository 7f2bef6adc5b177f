package simulation

import "time"

// person is one who waits, is called or runs.
type person struct {
	session    string
	arrival    Arrival
	term       uint64 // of the run
	silent     bool   // gave up, and the line doesn't know it yet
	place      *place // nil: found a slot free
	left       []*place
	prev, next *person // in the line
	giveUp     *entry
	look       *entry
}

// place is somebody's in the line, and goes on when they leave: it is called when the next behind it is.
type place struct {
	joined guess
	looked []guess // over the wait, evenly, if it is followed
	every  time.Duration
	until  time.Duration // somebody was there to look; 0: to the end
}

// looksMost is how many guesses of one wait are kept. When there are as many, each second is dropped.
const looksMost = 40

// look keeps a guess, and tells when the next is due.
func (p *place) look(g guess) (next time.Duration) {
	p.looked = append(p.looked, g)
	if len(p.looked) == looksMost {
		p.looked = thinned(p.looked)
		p.every *= 2
	}
	return p.looked[len(p.looked)-1].at + p.every
}

// tenths calls fn with the guess at each tenth of the wait until then, as near as one was kept.
func (p *place) tenths(called time.Duration, fn func(guess)) {
	if len(p.looked) == 0 {
		return
	}
	began := p.joined.at
	i := 0
	for tenth := range time.Duration(10) {
		at := began + (called-began)*tenth/10
		if p.until > 0 && at > p.until {
			return
		}
		for i+1 < len(p.looked) && p.looked[i+1].at <= at {
			i++
		}
		fn(p.looked[i])
	}
}

// row is who waits, in order.
type row struct {
	first, last *person
	n           int
	left        []*place // behind everybody
}

func (r *row) push(p *person) {
	p.left, r.left = r.left, nil
	p.prev = r.last
	if r.last == nil {
		r.first = p
	} else {
		r.last.next = p
	}
	r.last = p
	r.n++
}

func (r *row) remove(p *person) {
	if p.prev == nil {
		r.first = p.next
	} else {
		p.prev.next = p.next
	}
	if p.next == nil {
		r.last = p.prev
	} else {
		p.next.prev = p.prev
	}
	p.prev, p.next = nil, nil
	r.n--
}

// abandon takes p out and leaves the place behind.
func (r *row) abandon(p *person) {
	behind := &r.left
	if p.next != nil {
		behind = &p.next.left
	}
	*behind = append(append(*behind, p.left...), p.place)
	p.left = nil
	r.remove(p)
}
