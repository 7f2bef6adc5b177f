package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	lookEvery = 200 * time.Millisecond // at the public picture
	tellEvery = time.Second            // on a terminal
	sameKept  = 5                      // kinds of trouble that are told
)

// publicPicture is what everybody may see.
type publicPicture struct {
	Slots    int     `json:"slots"`
	Length   int     `json:"length"`
	Serving  []int64 `json:"serving"`
	Called   []int64 `json:"called"`
	Next     []int64 `json:"next"`
	Full     bool    `json:"full"`
	Revision int64   `json:"revision"`
}

// loadtest is a crowd at one server.
type loadtest struct {
	asked  loadtestCommand
	target *loadTarget
	start  time.Time
	took   time.Duration
	check  *check
	times  *latencies

	slots   atomic.Int64
	freed   atomic.Int64 // when a slot was given back last, as time.Duration; 0: never
	come    atomic.Int64
	sockets atomic.Int64
	running atomic.Int64

	mu      sync.Mutex
	became  map[string]int
	trouble map[string]int
}

func newLoadtest(asked loadtestCommand, target *loadTarget) *loadtest {
	return &loadtest{
		asked: asked, target: target, start: time.Now(), check: newCheck(), times: newLatencies(),
		became: map[string]int{}, trouble: map[string]int{},
	}
}

// now is how long the test has been going.
func (t *loadtest) now() time.Duration { return time.Since(t.start) }

// look asks for the public picture.
func (t *loadtest) look(ctx context.Context) error {
	onlooker := &askServer{base: t.target.api, http: t.target.routes[0]}
	var p publicPicture
	if err := onlooker.call(ctx, http.MethodGet, "queue", nil, &p); err != nil {
		return err
	}
	t.slots.Store(int64(p.Slots))
	t.check.looked(p)
	return nil
}

// play lets everybody come, and returns when all have gone.
func (t *loadtest) play(ctx context.Context, progress *askProgress) {
	ctx, cancel := context.WithTimeout(ctx, t.asked.Duration)
	defer cancel()
	over := make(chan struct{})
	var beside sync.WaitGroup
	beside.Go(func() { t.watchLine(ctx, over) })
	if progress.terminal {
		beside.Go(func() { t.tell(progress, over) })
	}
	var crowd sync.WaitGroup
	for _, coming := range t.crowd() {
		select { // an arrival whose time has come is not dropped when the test has, so that everybody is counted
		case <-time.After(coming.at - t.now()):
		case <-ctx.Done():
		}
		crowd.Go(func() {
			t.come.Add(1)
			t.count(coming.player.play(ctx, coming.by))
		})
	}
	crowd.Wait()
	close(over)
	beside.Wait()
	t.took = t.now()
}

// arrival is when a player comes, and how it is played.
type arrival struct {
	at     time.Duration
	player *player
	by     way
}

// crowd is everybody in the order of coming.
func (t *loadtest) crowd() []arrival {
	var all []arrival
	for n := range t.asked.Browsers + t.asked.Clients {
		dice := rand.New(rand.NewPCG(uint64(t.asked.Seed), uint64(n)))
		home := t.target.route(n)
		p := &player{test: t, number: n, rand: dice, server: &askServer{base: t.target.api, http: home}}
		p.answered.Store(-1)
		at := t.now() + time.Duration(dice.Float64()*float64(t.asked.Arrival))
		if dice.Float64() < t.asked.Leave {
			p.leaves = max(1, time.Duration(dice.Float64()*float64(t.asked.Patience)))
		}
		if n < t.asked.Browsers {
			all = append(all, arrival{at, p, &browser{player: p, home: home}})
		} else {
			all = append(all, arrival{at, p, &apiClient{player: p, polls: n%2 == 0}})
		}
	}
	slices.SortFunc(all, func(a, b arrival) int { return int(a.at - b.at) })
	return all
}

// watchLine looks at the public picture all the while.
func (t *loadtest) watchLine(ctx context.Context, over <-chan struct{}) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = t.look(ctx) // who asks for more finds the trouble, and tells of it
		case <-over:
			return
		case <-ctx.Done():
			return
		}
	}
}

// tell tells a person how it goes.
func (t *loadtest) tell(progress *askProgress, over <-chan struct{}) {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			t.mu.Lock()
			served, left, gone := t.became[becameServed], t.became[becameLeft], 0
			for _, n := range t.became {
				gone += n
			}
			t.mu.Unlock()
			progress.tell(fmt.Sprintf("%v: %d have come, %d are here (%d sockets), %d were served, %d left; promises broken: %d",
				t.now().Round(time.Second), t.come.Load(), t.come.Load()-int64(gone), t.sockets.Load(), served, left, t.check.count()))
		case <-over:
			return
		}
	}
}

func (t *loadtest) count(became string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.became[became]++
}

// troubled remembers what went wrong, by kind.
func (t *loadtest) troubled(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if words := err.Error(); t.trouble[words] > 0 || len(t.trouble) < sameKept {
		t.trouble[words]++
	}
}

// slotFreed knows that a run has ended, or a turn was given back.
func (t *loadtest) slotFreed() { t.freed.Store(int64(t.now())) }

// slotUnsure: somebody leaves who may hold a slot or not, so nobody knows when the next one is called.
func (t *loadtest) slotUnsure() { t.freed.Store(0) }

// toldOfCall measures the time since the slot became free for which the player is called. With several slots nobody knows which that was.
func (t *loadtest) toldOfCall(by string, told time.Duration) {
	if freed := time.Duration(t.freed.Load()); t.slots.Load() == 1 && freed > 0 {
		t.times.add("told by "+by, max(0, told-freed))
	}
}
