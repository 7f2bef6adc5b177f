package simulation

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"confluence/queue"
)

// Options are the line and its people.
type Options struct {
	Slots       int           // 0: one
	Unlimited   bool          // any number may wait
	MaxLength   int           // how many may, unless Unlimited
	Reservation time.Duration // 0: a minute
	Heartbeat   time.Duration // how long after falling silent who gives up is dropped; 0: they say goodbye
	InitialRun  time.Duration // a first guess of a run's duration; 0: none

	ClaimDelay func(*rand.Rand) time.Duration // how long who was called takes to claim; nil: no time
	LapseShare float64                        // of those who are called and never claim

	Seed   uint64 // of the claim delays and lapses
	Warm   int    // predictions are judged from the end of so many runs on
	Follow int    // each so-manieth who waits is followed over the wait; 0: 32
}

// Fixed is a claim delay that is always the same.
func Fixed(d time.Duration) func(*rand.Rand) time.Duration {
	return func(*rand.Rand) time.Duration { return d }
}

func (o Options) withDefaults() Options {
	if o.Slots == 0 {
		o.Slots = 1
	}
	if o.Reservation == 0 {
		o.Reservation = time.Minute
	}
	if o.ClaimDelay == nil {
		o.ClaimDelay = Fixed(0)
	}
	if o.Follow == 0 {
		o.Follow = 32
	}
	return o
}

// always is a heartbeat time that nobody outlasts: who is simulated is heard of all the time, and falls silent by leaving.
const always = math.MaxInt64 / 4

func (o Options) line() queue.Config {
	cfg := queue.Config{
		Slots: o.Slots, MaxLength: o.MaxLength, Reservation: o.Reservation, Heartbeat: always, InitialRun: o.InitialRun,
	}
	if o.Unlimited {
		cfg.MaxLength = math.MaxInt
	}
	return cfg
}

func (o Options) validate() error {
	switch {
	case o.Heartbeat < 0:
		return fmt.Errorf("heartbeat is %v: it must be 0 or more", o.Heartbeat)
	case !(o.LapseShare >= 0 && o.LapseShare <= 1):
		return fmt.Errorf("lapse share is %v: it must be from 0 to 1", o.LapseShare)
	case o.Follow < 0:
		return errors.New("follow is negative: it must be 1 or more")
	}
	return o.line().Validate()
}
