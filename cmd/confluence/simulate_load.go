package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/alecthomas/kong"

	"confluence/queue/simulation"
)

// simulatedLoad describes who arrives. What is 0 has a default, so that a described load differs from none.
type simulatedLoad struct {
	People      int           `name:"arrivals" type:"count" min:"1" group:"Who arrives, without a file" placeholder:"10000" help:"How many people arrive. Default: 10000."`
	PerHour     float64       `name:"arrivals-per-hour" type:"amount" group:"Who arrives, without a file" placeholder:"45" help:"At random, so many an hour. Default: 45."`
	Runs        spanKind      `name:"runs" type:"span" group:"Who arrives, without a file" placeholder:"KIND" help:"How durations spread: exponential, lognormal (a few very long ones), bimodal (one of five is long) or constant. Default: exponential."`
	RunMean     time.Duration `name:"run-seconds" type:"seconds" group:"Who arrives, without a file" placeholder:"60" help:"Mean duration of a run. Default: 60."`
	RunSpread   float64       `name:"run-spread" type:"amount" group:"Who arrives, without a file" placeholder:"1.5" help:"Standard deviation of a lognormal or bimodal duration, in means. Default: 1.5."`
	Abandonment float64       `name:"abandonment" type:"share" group:"Who arrives, without a file" placeholder:"0" help:"Share of people who give up when they have waited for too long, from 0 to 1. Default: 0."`
	Patience    time.Duration `name:"patience-seconds" type:"seconds" group:"Who arrives, without a file" placeholder:"300" help:"How long those wait in the mean; exponential. Default: 300."`
}

func (l simulatedLoad) withDefaults() simulatedLoad {
	if l.People == 0 {
		l.People = 10_000
	}
	if l.PerHour == 0 {
		l.PerHour = 45
	}
	if l.Runs == "" {
		l.Runs = exponentialSpans
	}
	if l.RunMean == 0 {
		l.RunMean = time.Minute
	}
	if l.Patience == 0 {
		l.Patience = 5 * time.Minute
	}
	return l
}

func (l simulatedLoad) check() error {
	if l.Patience > 0 && l.Abandonment == 0 {
		return errors.New("--patience-seconds says how long people wait who give up: say with --abandonment what share of all they are")
	}
	return l.withDefaults().runs().check("--run-spread")
}

func (l simulatedLoad) runs() spans { return spans{kind: l.Runs, mean: l.RunMean, spread: l.RunSpread} }

// drawnArrivals draws people at random. It is an arrivalSource.
type drawnArrivals struct {
	load    simulatedLoad
	seed    uint64
	horizon horizon
	come    int
}

func (d *drawnArrivals) size() int64  { return int64(d.load.People) }
func (d *drawnArrivals) done() int64  { return int64(d.come) }
func (d *drawnArrivals) Close() error { return nil }

func (d *drawnArrivals) arrivals(yield func(simulation.Arrival, error) bool) {
	random := rand.New(rand.NewPCG(d.seed, 0x10ad))
	gap, runs, patience := 3600/d.load.PerHour, d.load.runs(), spans{kind: exponentialSpans, mean: d.load.Patience}
	at := 0.0
	for range d.load.People {
		at += gap * random.ExpFloat64()
		a := simulation.Arrival{At: lengthOf(at), Run: runs.draw(random)}
		if random.Float64() < d.load.Abandonment {
			a.Patience = max(patience.draw(random), 1)
		}
		d.come++
		err := d.horizon.admit(a)
		if !yield(a, err) || err != nil {
			return
		}
	}
}

// spanKind is how lengths of time spread around their mean.
type spanKind string

const (
	exponentialSpans spanKind = "exponential"
	lognormalSpans   spanKind = "lognormal"
	bimodalSpans     spanKind = "bimodal"
	constantSpans    spanKind = "constant"
)

// spans are lengths of time, drawn at random.
type spans struct {
	kind   spanKind
	mean   time.Duration
	spread float64 // standard deviation ÷ mean, of lognormal and bimodal ones; 0: usualSpread
}

const (
	usualSpread = 1.5
	longShare   = 0.2 // of bimodal ones
)

// bimodalMost is the spread at which the short ones would take no time.
var bimodalMost = math.Sqrt((1 - longShare) / longShare)

// check says what can't be; flag is the spread's.
func (s spans) check(flag string) error {
	switch {
	case s.spread > 0 && (s.kind == exponentialSpans || s.kind == constantSpans):
		return fmt.Errorf("%s is for lognormal and bimodal: %s has its own", flag, s.kind)
	case s.kind == bimodalSpans && s.spread >= bimodalMost:
		return fmt.Errorf("%s is %v: of bimodal it must be below %v", flag, s.spread, bimodalMost)
	}
	return nil
}

func (s spans) draw(random *rand.Rand) time.Duration {
	spread := s.spread
	if spread == 0 {
		spread = usualSpread
	}
	times := 1.0
	switch s.kind {
	case exponentialSpans:
		times = random.ExpFloat64()
	case lognormalSpans:
		variance := math.Log1p(spread * spread)
		times = math.Exp(math.Sqrt(variance)*random.NormFloat64() - variance/2)
	case bimodalSpans: // two lengths, with that mean and spread
		times = 1 - spread/bimodalMost
		if random.Float64() < longShare {
			times = 1 + spread*bimodalMost
		}
	case constantSpans:
	}
	return lengthOf(times * s.mean.Seconds())
}

// lengthOf is so many seconds, and what exceeds a hundred years is just that.
func lengthOf(seconds float64) time.Duration {
	if seconds > hundredYears.Seconds() {
		return hundredYears + 1
	}
	return time.Duration(math.Round(seconds * float64(time.Second)))
}

func parseSpanKind(text string, _ *kong.Tag) (spanKind, error) {
	switch kind := spanKind(text); kind {
	case exponentialSpans, lognormalSpans, bimodalSpans, constantSpans:
		return kind, nil
	}
	return "", notAllowed{allowed: "exponential, lognormal, bimodal or constant"}
}

// parseAmount reads a number above 0.
func parseAmount(text string, _ *kong.Tag) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n > 0 && n <= 1e9) {
		return 0, notAllowed{allowed: "a number above 0, such as 45 or 1.5"}
	}
	return n, nil
}
