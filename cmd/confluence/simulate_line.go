package main

import (
	"math/rand/v2"
	"time"

	"github.com/alecthomas/kong"

	"confluence/queue/simulation"
)

// simulatedLine is the line, and how those who wait there behave.
type simulatedLine struct {
	Slots       int           `name:"queue-slots" type:"count" min:"1" default:"1" group:"The line" help:"Runs at the same time."`
	MaxLength   int           `name:"queue-max-length" type:"length" min:"0" default:"none" group:"The line" help:"Tickets that may wait, or none for any number; 0: nobody waits."`
	Reservation time.Duration `name:"queue-reservation-seconds" type:"seconds" default:"60" group:"The line" help:"How long a called ticket may take to start its run."`
	Heartbeat   time.Duration `name:"queue-heartbeat-seconds" type:"seconds" min:"0" default:"0" group:"The line" help:"Who gives up falls silent, and is dropped so long after; 0: they say goodbye."`

	InitialRun time.Duration `name:"queue-initial-run-seconds" type:"seconds" min:"0" default:"0" group:"The line" help:"A first guess of how long a run takes, for who waits before one has ended; 0: none."`

	ClaimDelay  time.Duration `name:"claim-delay-seconds" type:"seconds" min:"0" default:"0" group:"Those who are called" help:"Mean time from being called to starting the run; 0: at once."`
	ClaimKind   spanKind      `name:"claim-delays" type:"span" default:"constant" group:"Those who are called" help:"How it spreads: constant, exponential, lognormal or bimodal."`
	ClaimSpread float64       `name:"claim-delay-spread" type:"amount" group:"Those who are called" placeholder:"1.5" help:"Standard deviation of a lognormal or bimodal delay, in means. Default: 1.5."`
	NeverClaim  float64       `name:"never-claim" type:"share" default:"0" group:"Those who are called" help:"Share of those who had to wait that don't claim at all, from 0 to 1."`
}

// anyLength is a line that takes everybody.
const anyLength = -1

func (l simulatedLine) check() error { return l.claims().check("--claim-delay-spread") }

func (l simulatedLine) claims() spans {
	return spans{kind: l.ClaimKind, mean: l.ClaimDelay, spread: l.ClaimSpread}
}

func (l simulatedLine) options() simulation.Options {
	o := simulation.Options{
		Slots: l.Slots, Unlimited: l.MaxLength == anyLength, MaxLength: max(l.MaxLength, 0),
		Reservation: l.Reservation, Heartbeat: l.Heartbeat, InitialRun: l.InitialRun, LapseShare: l.NeverClaim,
	}
	if delays := l.claims(); l.ClaimDelay > 0 {
		o.ClaimDelay = func(random *rand.Rand) time.Duration { return delays.draw(random) }
	}
	return o
}

// longestHold is what a slot is held at most beside the run.
func (l simulatedLine) longestHold() time.Duration {
	if l.ClaimDelay == 0 && l.NeverClaim == 0 && l.Heartbeat == 0 {
		return 0
	}
	return l.Reservation
}

// parseLength reads a length of the line, or none.
func parseLength(text string, tag *kong.Tag) (int, error) {
	if text == "none" {
		return anyLength, nil
	}
	n, err := parseCount(text, tag)
	if err != nil {
		return 0, notAllowed{allowed: "a whole number, 0 or more, or none for any length"}
	}
	return n, nil
}
