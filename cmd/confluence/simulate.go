package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/google/renameio/v2"

	"confluence/queue/simulation"
)

// simulateInterrupted is the exit code of a simulation that Ctrl-C ended, as shells count it.
const simulateInterrupted = 130

const simulateHelp = `FILE is a CSV whose header names the columns arrival_seconds and duration_seconds, and perhaps patience_seconds; - is standard input. Without a file people are drawn at random from the load that the flags describe.

Exit codes: 0 · 1 the result could not be written · 2 the command line or the file is wrong · 130 Ctrl-C.`

// simulateCommand is the command line of simulate.
type simulateCommand struct {
	simulatedLine `embed:""`
	simulatedLoad `embed:""`

	Seed int    `type:"count" min:"0" default:"1" help:"Of all that is drawn at random: the same seed, the same people."`
	JSON bool   `name:"json" type:"switch" help:"Print the result as JSON."`
	Plot string `type:"text" placeholder:"FILE.svg" help:"Draw the waits over time, and predicted against actual, into this file."`
	File string `arg:"" optional:"" help:"CSV with arrival_seconds and duration_seconds, perhaps patience_seconds; - is standard input."`
}

// Help is what --help says beside the flags.
func (simulateCommand) Help() string { return simulateHelp }

// check finds flags that don't go together.
func (c simulateCommand) check() error {
	if c.File != "" && c.simulatedLoad != (simulatedLoad{}) {
		return errors.New("a file and a described load are both given: who arrives is in the file, or in flags")
	}
	if err := c.simulatedLine.check(); err != nil {
		return err
	}
	return c.simulatedLoad.check()
}

// simulate simulates and is the exit code.
func simulate(asked simulateCommand, in io.Reader, out, errs io.Writer) int {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer release()
	context.AfterFunc(ctx, release) // the second signal ends the process at once

	var picture *renameio.PendingFile
	if asked.Plot != "" { // first, since to learn that it can't be written at the end would be late
		var err error
		if picture, err = openPicture(asked.Plot); err != nil {
			fmt.Fprintf(errs, "confluence: --plot: %v\n", err)
			return exitFailed
		}
		defer picture.Cleanup()
	}
	people, err := asked.people(in)
	if err != nil {
		fmt.Fprintf(errs, "confluence: %v\n", err)
		return exitMisused
	}
	defer people.Close()
	shown := newSimulateProgress(errs, people.size())
	result, err := simulation.Run(asked.options(), followed(ctx, people, shown))
	shown.clear()
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(errs, "confluence: stopped")
		return simulateInterrupted
	case err != nil:
		fmt.Fprintf(errs, "confluence: %v\n", err)
		return exitMisused
	}

	if picture != nil {
		err := drawSimulated(picture, result)
		if err == nil {
			err = picture.CloseAtomicallyReplace()
		}
		if err != nil {
			fmt.Fprintf(errs, "confluence: --plot: %v\n", err)
			return exitFailed
		}
	}
	tell := printSimulated
	if asked.JSON {
		tell = printSimulatedJSON
	}
	if err := tell(out, result); err != nil {
		fmt.Fprintf(errs, "confluence: %v\n", err)
		return exitFailed
	}
	return exitDone
}

// openPicture makes a file that takes the name's place when it is whole.
func openPicture(name string) (*renameio.PendingFile, error) {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() { // to be replaced, a device or a link would be lost
		return nil, fmt.Errorf("%s is there, and no plain file", name)
	}
	return renameio.NewPendingFile(name, renameio.WithPermissions(0o666))
}

// options are those of the simulation.
func (c simulateCommand) options() simulation.Options {
	o := c.simulatedLine.options()
	o.Seed = uint64(c.Seed)
	return o
}

// arrivalSource is where people come from.
type arrivalSource interface {
	arrivals(yield func(simulation.Arrival, error) bool)
	size() int64 // of all of it, in people or bytes; below 0: nobody knows
	done() int64 // how much of it has come
	io.Closer
}

func (c simulateCommand) people(in io.Reader) (arrivalSource, error) {
	bounds := horizon{hold: c.simulatedLine.longestHold()}
	if c.File == "" {
		return &drawnArrivals{load: c.simulatedLoad.withDefaults(), seed: uint64(c.Seed), horizon: bounds}, nil
	}
	return openArrivals(c.File, in, bounds)
}

// followed are the arrivals of a source until ctx ends, and how far they are is shown now and then.
func followed(ctx context.Context, people arrivalSource, shown *simulateProgress) simulation.Arrivals {
	const often = 1000
	return func(yield func(simulation.Arrival, error) bool) {
		n := 0
		for a, err := range people.arrivals {
			if n++; n%often == 0 {
				if ctx.Err() != nil {
					yield(a, ctx.Err())
					return
				}
				shown.set(people.done())
			}
			if !yield(a, err) {
				return
			}
		}
	}
}

// horizon keeps a simulation within a hundred years of arrivals and a hundred years of runs, so that the virtual clock can count them.
type horizon struct {
	hold time.Duration // that each adds to their run at most
	busy time.Duration // so far
}

const hundredYears = 100 * 365 * 24 * time.Hour

func (h *horizon) admit(a simulation.Arrival) error {
	h.busy += a.Run + h.hold
	switch {
	case a.At > hundredYears:
		return errors.New("people come for more than a hundred years")
	case h.busy > hundredYears:
		return errors.New("all runs together take more than a hundred years")
	}
	return nil
}
