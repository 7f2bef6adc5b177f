package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const loadtestHelp = `Play a crowd of browsers and programs against a running Confluence, check what the line promises while they do, and report how long things take.

A browser loads pages, sends forms, holds a websocket, starts its run when it is called, and reads the answer. Of the programs one half asks for its place at the pace that it is told, the other follows a stream. Some click or send twice. When the time is over, or at Ctrl-C, everybody leaves. The line should have nobody else in it, and must be long enough (--queue-max-length).

The query really runs: choose a harmless one. Only this machine may be the target, unless --allow-remote says that the server is yours.

Exit codes: 0 every promise held · 1 one was broken, with the evidence, or the server can't be reached · 2 the command line is wrong.`

// loadtestCommand is the command line of loadtest.
type loadtestCommand struct {
	Server      string        `type:"text" default:"http://127.0.0.1:8080" placeholder:"URL" help:"Where Confluence is."`
	Browsers    int           `type:"count" min:"0" default:"100" help:"How many browsers come."`
	Clients     int           `type:"count" min:"0" default:"10" help:"How many programs come that use the API."`
	Arrival     time.Duration `type:"seconds" min:"0" default:"5" placeholder:"SECONDS" help:"They come spread over so long; 0: all at once."`
	Duration    time.Duration `type:"seconds" default:"60" placeholder:"SECONDS" help:"The test ends after so long, an hour at most, or when everybody is through."`
	Leave       float64       `type:"share" default:"0" placeholder:"SHARE" help:"Share of those that leave before their turn, from 0 to 1."`
	Patience    time.Duration `type:"seconds" default:"30" placeholder:"SECONDS" help:"Who leaves does so at a random moment within so long."`
	Query       string        `type:"text" default:"SELECT 1" help:"What each runs."`
	Seed        int           `type:"count" min:"0" default:"1" help:"Decides who comes and leaves when."`
	Sources     int           `type:"count" min:"1" default:"1" help:"Come from so many addresses, 127.0.0.1 and on, when one has no ports left. On Linux, to this machine."`
	JSON        bool          `name:"json" type:"switch" help:"Print the report as JSON."`
	Picture     string        `type:"folder" placeholder:"FILE" help:"Draw the latencies into this file, as SVG."`
	AllowRemote bool          `type:"switch" help:"The server may be on another machine."`
}

// Help is what --help says beside the flags.
func (loadtestCommand) Help() string { return loadtestHelp }

const (
	loadtestLongest = time.Hour
	loadtestMost    = 100_000 // players of one process
	sourcesMost     = 200
	leaveWithin     = 20 * time.Second
)

// check refuses what can't be, or mustn't.
func (l loadtestCommand) check() error {
	switch {
	case l.Browsers+l.Clients == 0 || l.Browsers+l.Clients > loadtestMost:
		return fmt.Errorf("--browsers and --clients are %d together: it must be from 1 to %d", l.Browsers+l.Clients, loadtestMost)
	case l.Duration > loadtestLongest:
		return fmt.Errorf("--duration is %v: it must be an hour or less", l.Duration)
	case l.Arrival > l.Duration:
		return fmt.Errorf("--arrival is %v: it must not be longer than the test, %v", l.Arrival, l.Duration)
	case l.Sources > sourcesMost:
		return fmt.Errorf("--sources is %d: it must be from 1 to %d", l.Sources, sourcesMost)
	case l.Sources > 1 && l.AllowRemote:
		return fmt.Errorf("--sources are addresses of this machine, from which no other can be reached")
	}
	return nil
}

// runLoadtest is the command, and the exit code.
func runLoadtest(asked loadtestCommand, out, errs io.Writer) int {
	misuse := func(err error) int {
		fmt.Fprintf(errs, "confluence: %v\n", err)
		return exitMisused
	}
	if err := asked.check(); err != nil {
		return misuse(err)
	}
	calls, err := callsBeside(asked.Browsers + asked.Clients)
	if err != nil {
		return misuse(err)
	}
	target, err := findTarget(asked.Server, asked.AllowRemote, asked.Sources, calls)
	if err != nil {
		return misuse(fmt.Errorf("--server is %q: %w", asked.Server, err))
	}
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer release()
	context.AfterFunc(ctx, release) // the second signal ends the process at once

	test := newLoadtest(asked, target)
	progress := &askProgress{out: errs, terminal: isTerminal(errs)}
	if err := test.look(ctx); err != nil {
		fmt.Fprintf(errs, "confluence: %s can't be tested: %v\n", asked.Server, err)
		return exitFailed
	}
	test.play(ctx, progress)
	progress.clear()

	report := test.report()
	if asked.JSON {
		lines := json.NewEncoder(out)
		lines.SetIndent("", "  ")
		err = lines.Encode(report)
	} else {
		err = report.print(out)
	}
	if err == nil && asked.Picture != "" {
		err = test.times.draw(asked.Picture)
	}
	if err != nil {
		fmt.Fprintf(errs, "confluence: %v\n", err)
		return exitFailed
	}
	if !report.Held {
		return exitFailed
	}
	return exitDone
}
