package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// The promises that a load test checks, in the order of the report.
const (
	promiseOverlap  = "no two runs overlap beyond the slots"
	promiseOrder    = "who joined first is called first"
	promiseRise     = "no position rises"
	promisePlace    = "no place is told to two"
	promiseLost     = "nobody is lost"
	promiseTwice    = "nobody runs twice"
	promiseRevision = "the revision never falls"
)

var promises = []string{promiseOverlap, promiseOrder, promiseRise, promisePlace, promiseLost, promiseTwice, promiseRevision}

const (
	evidenceKept   = 10              // of each promise; more are counted
	placesKept     = 200_000         // of the latest revisions, in each of two generations
	pongOnItsWay   = 2 * time.Second // so long it may take
	stampTolerance = 5 * time.Millisecond
)

// sighting is what a player was told of a ticket. Instants are since the start of the test, by this process's monotonic clock.
type sighting struct {
	player int
	asked  time.Duration // what is told was so at this instant or later
	told   time.Duration // and at this one or earlier
	view   askView
}

// runSpan is a run as far as its player knows: it began between asked and accepted, took so long, and ended before it was told.
type runSpan struct {
	player                int
	number                int64
	id                    string
	asked, accepted, told time.Duration
	took                  time.Duration // by the server's monotonic clock; 0: unknown
	started, ended        time.Time     // by the server's wall clock; zero: unknown
}

// loss is a ticket that its player didn't give back and the server has no more.
type loss struct {
	player    int
	reason    string        // as the server tells it
	told      time.Duration // the server had ended it at this instant or earlier
	seen      time.Duration // the server had heard of the player at this instant or later
	answered  time.Duration // a ping was answered then, but who knows when that came through; below 0: none was
	heartbeat time.Duration // that silence may last so long
	window    time.Duration // the turn lasted until this instant at least; 0: unknown
}

// violation is a promise that was broken, and how one can tell.
type violation struct {
	Promise  string `json:"promise"`
	Evidence string `json:"evidence"`
}

// check takes what players saw and finds what can't have been if the line keeps its promises. It is certain of what it says: instants of
// players only count as far as requests and answers bound what happened in between, and order is that of the line's own revisions.
type check struct {
	mu      sync.Mutex
	slots   int // the most that was told; 0: unknown
	tickets map[string]*ticketSeen
	numbers map[int64]*ticketSeen
	holds   map[int]*ticketSeen // by player
	runs    map[string]int64    // the number that ran, by the run's id
	spans   []runSpan
	public  int64                // the latest revision of the public picture
	places  [2]map[placeAt]int64 // the number that was told a place at a revision: the present generation, and the last
	checked map[string]int       // how often each promise was looked at
	broken  map[string]int       // how often each was broken
	found   []violation
}

// placeAt is a place at a revision.
type placeAt struct {
	revision int64
	position int
}

// ticketSeen is what is known of one ticket.
type ticketSeen struct {
	id, run  string
	number   int64
	player   int
	status   string
	position int           // the last one that was told
	revision int64         // and when
	told     time.Duration // and by our clock
	queued   int64         // the last revision at which it was queued
	called   int64         // the first at which it was known to be called; 0: it never was
}

func newCheck() *check {
	return &check{
		tickets: map[string]*ticketSeen{}, numbers: map[int64]*ticketSeen{}, holds: map[int]*ticketSeen{}, runs: map[string]int64{},
		places: [2]map[placeAt]int64{{}, {}}, checked: map[string]int{}, broken: map[string]int{},
	}
}

func (c *check) breaks(promise, evidence string, with ...any) {
	c.broken[promise]++
	if c.broken[promise] <= evidenceKept {
		c.found = append(c.found, violation{promise, fmt.Sprintf(evidence, with...)})
	}
}

// saw takes what a player was told.
func (c *check) saw(s sighting) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := s.view
	t := c.ticket(s)
	older := v.Revision < t.revision
	if older && s.asked < t.told {
		return // overtaken on its way
	}
	c.checked[promiseRevision]++
	c.checked[promiseRise]++
	switch {
	case v.Position > t.position:
		c.breaks(promiseRise, "ticket %d rose from position %d (revision %d, at %v) to %d (revision %d, at %v)",
			t.number, t.position, t.revision, seconds(t.told), v.Position, v.Revision, seconds(s.told))
	case rank(v.Status) < rank(t.status):
		c.breaks(promiseRise, "ticket %d was %s (revision %d) and is %s again (revision %d)", t.number, t.status, t.revision, v.Status, v.Revision)
	case v.Revision == t.revision && v.Position != t.position:
		c.breaks(promisePlace, "ticket %d was told positions %d and %d, both at revision %d", t.number, t.position, v.Position, v.Revision)
	}
	if older {
		c.breaks(promiseRevision, "ticket %d was told revision %d and, asked after that, %d", t.number, t.revision, v.Revision)
		return
	}
	c.place(v)
	t.status, t.position, t.revision, t.told = v.Status, v.Position, v.Revision, s.told
	if v.Status == "queued" {
		t.queued = v.Revision
	} else if t.called == 0 {
		t.called = v.Revision
	}
	if v.RunID != "" {
		c.began(t, v.RunID)
	}
}

// rank orders the states that a ticket goes through.
func rank(status string) int { return slices.Index([]string{"queued", "ready", "running"}, status) }

// ticket is what is known of the ticket that the player was told of.
func (c *check) ticket(s sighting) *ticketSeen {
	v := s.view
	had := c.holds[s.player]
	if had != nil && had.id == v.TicketID {
		return had
	}
	c.checked[promiseLost]++
	if had != nil {
		c.breaks(promiseLost, "the session of ticket %d, which it didn't give back, has ticket %d instead", had.number, v.Number)
	}
	t := &ticketSeen{id: v.TicketID, number: v.Number, player: s.player, status: v.Status, position: v.Position, revision: v.Revision, told: s.told}
	if other := c.tickets[v.TicketID]; other != nil {
		c.breaks(promisePlace, "players %d and %d both hold ticket %s", other.player, s.player, v.TicketID)
	} else if other := c.numbers[v.Number]; other != nil {
		c.breaks(promisePlace, "tickets %s and %s both have the number %d", other.id, v.TicketID, v.Number)
	}
	c.tickets[t.id], c.numbers[t.number], c.holds[s.player] = t, t, t
	return t
}

// place remembers who stood where at a revision: two people at one place can't be.
func (c *check) place(v askView) {
	if v.Position == 0 {
		return
	}
	c.checked[promisePlace]++
	at := placeAt{v.Revision, v.Position}
	for _, known := range c.places {
		if number, ok := known[at]; ok && number != v.Number {
			c.breaks(promisePlace, "tickets %d and %d were both told position %d at revision %d", number, v.Number, v.Position, v.Revision)
			return
		}
	}
	if len(c.places[0]) >= placesKept {
		c.places[0], c.places[1] = map[placeAt]int64{}, c.places[0]
	}
	c.places[0][at] = v.Number
}

// gave says that the player gave its ticket back, or that its run is over: what comes next is another one.
func (c *check) gave(player int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.holds, player)
}

// ran takes a run that has ended.
func (c *check) ran(r runSpan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spans = append(c.spans, r)
	t := c.numbers[r.number]
	switch {
	case r.number == 0:
		return
	case t == nil: // it began without a word about its ticket
		t = &ticketSeen{number: r.number, player: r.player, status: "running"}
		c.numbers[r.number] = t
	case t.player != r.player:
		c.breaks(promiseTwice, "ticket %d is that of player %d, and run %s of player %d says it is its own", r.number, t.player, r.id, r.player)
	}
	c.began(t, r.id)
}

// began knows of a run of a ticket: there is never another.
func (c *check) began(t *ticketSeen, id string) {
	if t.run == id {
		return
	}
	c.checked[promiseTwice]++
	if number, known := c.runs[id]; known && number != t.number {
		c.breaks(promiseTwice, "run %s is told to be that of ticket %d and of ticket %d", id, number, t.number)
	}
	if t.run != "" {
		c.breaks(promiseTwice, "ticket %d ran as %s and as %s", t.number, t.run, id)
	}
	t.run, c.runs[id] = id, t.number
}

// twice says that the player's one wish to run made two runs.
func (c *check) twice(number int64, first, second string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.breaks(promiseTwice, "ticket %d sent its claim twice, and it ran as %s and as %s", number, first, second)
}

// lost takes the end of a ticket that its player still wanted, and tells whether that is the server's fault for certain.
func (c *check) lost(l loss) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.holds[l.player]
	delete(c.holds, l.player)
	if t == nil {
		t = &ticketSeen{}
	}
	before := c.broken[promiseLost]
	switch silent := l.told - l.seen; {
	case l.reason == "heartbeat_lost" && silent < l.heartbeat:
		c.breaks(promiseLost, "ticket %d was dropped as silent after %v at most, less than the heartbeat of %v", t.number, seconds(silent), l.heartbeat)
	case l.reason == "heartbeat_lost" && l.answered >= 0 && l.told-l.answered > pongOnItsWay && l.told-l.answered < l.heartbeat/2:
		c.breaks(promiseLost, "ticket %d was dropped as silent %v after it answered a ping; the heartbeat is %v", t.number, seconds(l.told-l.answered), l.heartbeat)
	case l.reason == "heartbeat_lost" && t.called > 0:
		c.breaks(promiseLost, "ticket %d was dropped as silent when it was called already", t.number)
	case l.reason == "reservation_expired" && l.told < l.window:
		c.breaks(promiseLost, "the turn of ticket %d ran out at %v or before, and was to last until %v at least", t.number, seconds(l.told), seconds(l.window))
	case l.reason == "heartbeat_lost", l.reason == "reservation_expired":
	default:
		c.breaks(promiseLost, "ticket %d (%s, position %d at %v) is gone at %v, for the reason %q", t.number, t.status, t.position, seconds(t.told), seconds(l.told), l.reason)
	}
	return c.broken[promiseLost] > before
}

// givenUp says that a player who had a ticket got no answer any more.
func (c *check) givenUp(player int, after time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.holds[player]; t != nil {
		c.breaks(promiseLost, "ticket %d got no answer for %v: %v", t.number, seconds(after), err)
	}
	delete(c.holds, player)
}

// looked takes the public picture. Pictures come in the order in which they were asked for.
func (c *check) looked(p publicPicture) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slots = max(c.slots, p.Slots)
	c.checked[promiseOverlap]++
	if n := len(p.Serving) + len(p.Called); n > c.slots {
		c.breaks(promiseOverlap, "at revision %d there are %d slots, tickets %v run and %v are called", p.Revision, c.slots, p.Serving, p.Called)
	}
	if p.Revision < c.public {
		c.breaks(promiseRevision, "the public picture was of revision %d and, asked after that, of %d", c.public, p.Revision)
	}
	c.public = max(c.public, p.Revision)
	c.checked[promiseOrder]++
	if !slices.IsSorted(p.Next) {
		c.breaks(promiseOrder, "at revision %d the next are %v: not in order of joining", p.Revision, p.Next)
	}
}

// verdict is what was broken. It is asked for once, when all has been seen.
func (c *check) verdict() []violation {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ordered()
	c.apart()
	found := slices.Clone(c.found)
	slices.SortStableFunc(found, func(a, b violation) int {
		return cmp.Compare(slices.Index(promises, a.Promise), slices.Index(promises, b.Promise))
	})
	return found
}

// ordered: a ticket that was queued at a revision at which a later one had been called was passed by.
func (c *check) ordered() {
	all := make([]*ticketSeen, 0, len(c.numbers))
	for _, t := range c.numbers {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *ticketSeen) int { return cmp.Compare(b.number, a.number) }) // the latest first
	first := &ticketSeen{called: math.MaxInt64}                                                 // of those that joined later, who was called first
	for _, t := range all {
		if t.queued >= first.called {
			c.breaks(promiseOrder, "ticket %d was called by revision %d, and ticket %d, which had joined before it, was still queued at revision %d",
				first.number, first.called, t.number, t.queued)
		}
		if t.called > 0 {
			c.checked[promiseOrder]++
			if t.called < first.called {
				first = t
			}
		}
	}
}

// apart: at no instant do more runs go for certain than there are slots.
func (c *check) apart() {
	if c.slots == 0 {
		return
	}
	var ours, theirs []certain
	for i := range c.spans {
		r := &c.spans[i]
		if r.took == 0 {
			continue
		}
		c.checked[promiseOverlap]++
		// It had begun when it was accepted, and so long before its end was told; it had not ended when so much time had passed since it was
		// asked for. The server rounds to milliseconds.
		took := r.took - time.Millisecond
		ours = append(ours, certain{r, min(r.accepted, r.told-took), r.asked + took, 0, 0})
		if wall := r.ended.Sub(r.started); !r.started.IsZero() && (wall-r.took).Abs() < stampTolerance {
			from := time.Duration(r.started.UnixNano())
			// Our clock's zero on the server's wall clock lies between these two.
			theirs = append(theirs, certain{r, from + time.Millisecond, from + wall - time.Millisecond, from - r.accepted, from - r.asked})
		}
	}
	if together := c.together(ours); together != nil {
		c.breaks(promiseOverlap, "%s", together)
		return
	}
	if together := c.together(theirs); together != nil {
		c.breaks(promiseOverlap, "by the server's clock %s", together)
	}
}

// certain is an interval in which a run certainly went, by a clock whose zero lies between two instants.
type certain struct {
	run              *runSpan
	from, to         time.Duration
	zeroFrom, zeroTo time.Duration
}

// overlap is runs that went at the same time.
type overlap struct {
	slots int
	of    []certain
}

func (o *overlap) String() string {
	words := fmt.Sprintf("%d runs went at once with %d slots:", len(o.of), o.slots)
	start := slices.MinFunc(o.of, func(a, b certain) int { return cmp.Compare(a.from, b.from) }).from
	for _, s := range o.of {
		words += fmt.Sprintf(" ticket %d (%s) from %v to %v;", s.run.number, s.run.id, seconds(s.from-start), seconds(s.to-start))
	}
	return words[:len(words)-1]
}

// together finds the first runs that overlap beyond the slots, if their clock was the same: nobody's fault is a clock that was set.
func (c *check) together(all []certain) *overlap {
	all = slices.DeleteFunc(all, func(s certain) bool { return s.to <= s.from })
	slices.SortFunc(all, func(a, b certain) int { return cmp.Compare(a.from, b.from) })
	var going []certain
	for _, s := range all {
		going = slices.DeleteFunc(going, func(g certain) bool { return g.to <= s.from })
		going = append(going, s)
		if len(going) <= c.slots {
			continue
		}
		low, high := time.Duration(math.MinInt64), time.Duration(math.MaxInt64)
		for _, g := range going {
			low, high = max(low, g.zeroFrom), min(high, g.zeroTo)
		}
		if low <= high {
			return &overlap{c.slots, going}
		}
	}
	return nil
}

// seconds are told to the millisecond.
func seconds(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

// count is how often promises were broken so far.
func (c *check) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, times := range c.broken {
		n += times
	}
	return n
}
