package simulation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"confluence/queue"
)

// Run plays the arrivals through a line, until the last has gone. It errs on options that can't be, on arrivals that don't come in order, and
// with the error of the arrivals.
func Run(o Options, arrivals Arrivals) (Result, error) {
	s, err := newSimulation(o)
	if err != nil {
		return Result{}, err
	}
	for a, err := range arrivals {
		switch {
		case err != nil:
			return Result{}, err
		case a.At < s.now:
			return Result{}, fmt.Errorf("arrival %d comes at %v, before the one before it", s.result.Arrivals+1, a.At)
		case a.Run < 0 || a.Patience < 0:
			return Result{}, fmt.Errorf("arrival %d has a negative duration", s.result.Arrivals+1)
		}
		s.until(a.At)
		s.arrive(a)
	}
	s.until(math.MaxInt64)
	return s.ended(), nil
}

type simulation struct {
	o      Options
	line   *queue.Line
	random *rand.Rand
	agenda agenda
	now    time.Duration

	people map[string]*person // by session
	row    row
	busy   int // slots that run or are reserved

	result Result
	first  time.Duration // instant of the first arrival
	ran    time.Duration // all runs together
	waits  sketch
	joined judge
	over   judge
	series series
	waited int // how many had to
}

func newSimulation(o Options) (*simulation, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	s := &simulation{
		o: o, line: queue.NewLine(o.line()), random: rand.New(rand.NewPCG(o.Seed, 0x5eed)), people: make(map[string]*person),
	}
	if o.Warm > 0 {
		s.warm(-1)
	}
	return s, nil
}

// warm has predictions judged from that instant on.
func (s *simulation) warm(from time.Duration) { s.joined.from, s.over.from = from, from }

// until lets everything happen that is due before that instant or at it, each at its own.
func (s *simulation) until(at time.Duration) {
	for {
		due, any := s.line.Due()
		e := s.agenda.next()
		switch {
		case any && due <= at && (e == nil || due <= e.at):
			s.now = due
			s.line.Advance(due)
			s.heed()
		case e != nil && e.at <= at:
			s.now = e.at
			s.agenda.remove(e)
			s.do(e.deed, e.person)
		default:
			return
		}
	}
}

func (s *simulation) arrive(a Arrival) {
	if s.result.Arrivals == 0 {
		s.first = a.At
	}
	s.now = a.At
	s.result.Arrivals++
	p := &person{session: strconv.Itoa(s.result.Arrivals), arrival: a}
	s.people[p.session] = p
	v, err := s.line.Join(s.now, p.session, queue.Kept{})
	if err != nil { // the line is full
		s.result.Refused++
		delete(s.people, p.session)
		return
	}
	if v.Status == queue.Queued {
		s.wait(p, v)
	}
	s.heed()
}

// wait puts p in the row.
func (s *simulation) wait(p *person, v queue.View) {
	p.place = &place{joined: guessOf(s.now, v)}
	s.row.push(p)
	if p.arrival.Patience > 0 {
		p.giveUp = s.agenda.add(s.now+p.arrival.Patience, givesUp, p)
	}
	if s.waited%s.o.Follow == 0 && v.Wait.Likely.Known {
		// Begun as finely, some forty looks are left of a wait between an eighth of what is expected and any longer one.
		p.place.every = max(time.Duration(v.Wait.Likely.N)*time.Second/256, time.Millisecond)
		p.look = s.agenda.add(p.place.look(p.place.joined), looks, p)
	}
	s.waited++
}

func (s *simulation) do(d deed, p *person) {
	switch d {
	case claims:
		g, err := s.line.Claim(s.now, p.session)
		if err != nil {
			panic(err) // only who was called and has not lapsed claims
		}
		p.term = g.Term
		s.agenda.add(s.now+p.arrival.Run, finishes, p)
	case finishes:
		s.ran += p.arrival.Run
		s.result.Served++
		if s.result.Served == s.o.Warm {
			s.warm(s.now)
		}
		s.busy--
		delete(s.people, p.session)
		if err := s.line.Finish(s.now, p.term, outcomeOf(p.arrival)); err != nil {
			panic(err)
		}
	case givesUp:
		if s.o.Heartbeat > 0 && !p.silent {
			p.silent = true
			p.place.until = s.now
			s.agenda.remove(p.look)
			p.giveUp = s.agenda.add(s.now+s.o.Heartbeat, givesUp, p)
			return
		}
		s.abandon(p)
	case looks:
		v, err := s.line.Status(s.now, p.session)
		if err != nil {
			panic(err)
		}
		p.look = s.agenda.add(p.place.look(guessOf(s.now, v)), looks, p)
	}
	s.heed()
}

func outcomeOf(a Arrival) queue.Outcome {
	if a.Outcome == "" {
		return queue.Succeeded
	}
	return a.Outcome
}

func (s *simulation) abandon(p *person) {
	if p.place.until == 0 {
		p.place.until = s.now
	}
	s.agenda.remove(p.look)
	s.row.abandon(p)
	s.result.Abandoned++
	delete(s.people, p.session)
	s.line.Leave(s.now, p.session)
}

// heed looks at what the line did.
func (s *simulation) heed() {
	for _, ch := range s.line.Take() {
		switch {
		case ch.Kind == queue.Called:
			s.called(s.people[ch.Session])
		case ch.Kind == queue.Gone && ch.Ended.Reason == queue.ReasonLapsed:
			s.result.Lapsed++
			s.busy--
			delete(s.people, ch.Session)
		}
	}
	if s.row.n == 0 && s.busy < s.o.Slots {
		s.judge(s.row.left...)
		s.row.left = s.row.left[:0]
	}
}

func (s *simulation) called(p *person) {
	s.busy++
	if p.place == nil { // came to a free slot
		s.waits.add(0)
		s.agenda.add(s.now, claims, p)
		return
	}
	s.row.remove(p)
	s.agenda.remove(p.giveUp)
	s.agenda.remove(p.look)
	s.waits.add((s.now - p.arrival.At).Seconds())
	s.series.add(Point{p.arrival.At, s.now - p.arrival.At, p.place.joined.classic, p.place.joined.wait})
	s.judge(p.left...)
	s.judge(p.place)
	delay := s.o.ClaimDelay(s.random)
	if s.random.Float64() < s.o.LapseShare || p.silent || delay >= s.o.Reservation {
		return // the line will see
	}
	s.agenda.add(s.now+max(0, delay), claims, p)
}

// judge hears what was said of places that are called now.
func (s *simulation) judge(places ...*place) {
	for _, p := range places {
		s.joined.hear(p.joined, s.now)
		p.tenths(s.now, func(g guess) { s.over.hear(g, s.now) })
	}
}

func (s *simulation) ended() Result {
	r := s.result
	r.Utilisation = Figure(s.ran.Seconds() / ((s.now - s.first).Seconds() * float64(s.o.Slots)))
	r.Waits = Waits{s.waits.mean(), s.waits.quantile(0.5), s.waits.quantile(0.9), s.waits.quantile(0.99)}
	r.Estimates, r.OverTheWait = s.joined.estimates(), s.over.estimates()
	r.Series = s.series.points
	return r
}
