package wait

// memories are those of the running means that are mixed, in runs.
var memories = [...]float64{10, 30, 300, 3000}

const means = len(memories)

// running is a mean that remembers about so many; until as many are in, the plain one.
type running struct {
	n, mean float64
}

func (r *running) add(x, memory float64) {
	r.n = min(r.n+1, memory)
	r.mean += (x - r.mean) / r.n
}

// How many runs and claims are remembered.
const (
	recentKept   = 30
	runsKept     = 100
	claimsKept   = 32
	claimsMemory = 100.
)

// holds knows how long slots are held. Times are in seconds.
type holds struct {
	recent  excess // the last few runs, for the shortest memory
	runs    excess // the last runs, for the others
	runMean [means]running

	claims  excess  // how long claims took, or reservations that lapsed
	delay   running // the mean of that
	claimed running // share of reservations that became a run
}

func newHolds(guess float64) holds {
	h := holds{
		recent:  newExcess(recentKept, 1),
		runs:    newExcess(runsKept, 1),
		claims:  newExcess(claimsKept, 4),
		claimed: running{mean: 1},
	}
	if guess > 0 {
		h.recent.add(guess)
		h.runs.add(guess)
		for k := range h.runMean {
			h.runMean[k].mean = guess
		}
	}
	return h
}

// ran is told of a run that ended. The first replaces the guess.
func (h *holds) ran(d float64) {
	if h.runMean[0].n == 0 {
		h.recent.clear()
		h.runs.clear()
	}
	h.recent.add(d)
	h.runs.add(d)
	for k := range h.runMean {
		h.runMean[k].add(d, memories[k])
	}
}

// atOnce is the share of the mean run below which a run that failed says nothing about those that don't.
const atOnce = 0.1

// failed is told of a run that failed. If that was at once, it doesn't count: those that come will not fail for that.
func (h *holds) failed(d float64) {
	if h.runMean[0].mean > 0 && d >= atOnce*h.runMean[0].mean {
		h.ran(d)
	}
}

// answered is told of a reservation that ended, with a claim or without.
func (h *holds) answered(d float64, claim bool) {
	h.claims.add(d)
	h.delay.add(d, claimsMemory)
	if claim {
		h.claimed.add(1, claimsMemory)
	} else {
		h.claimed.add(0, claimsMemory)
	}
}

// mean is that of the holds to come, by the running mean k.
func (h *holds) mean(k int) float64 {
	return h.delay.mean + h.claimed.mean*h.runMean[k].mean
}

// Slot is a busy slot: it is reserved, or its run is going.
type Slot struct {
	Reserved bool
	Stopping bool    // the run was told to end
	Since    float64 // seconds since the reservation or the run began
}

// rest is how long the slot is still held, by the running mean k.
func (h *holds) rest(s Slot, k int) float64 {
	switch {
	case s.Stopping:
		return 0
	case s.Reserved:
		return h.claims.after(s.Since) + h.claimed.mean*h.runMean[k].mean
	}
	return h.past(k).after(s.Since)
}

// past is the runs that go with the running mean k.
func (h *holds) past(k int) *excess {
	if k == 0 {
		return &h.recent
	}
	return &h.runs
}
