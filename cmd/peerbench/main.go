// Command peerbench measures Confluence against floors and peers on this machine, on loopback alone, in bounded time: how much a waiting
// browser costs, how fast all of them are told, how many requests are answered. It prints one table and writes it as JSON and as a picture.
//
// It is a module of its own, so that the peers stay out of the product's go.mod.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

func main() {
	var err error
	switch {
	case len(os.Args) == 3 && os.Args[1] == "serve":
		err = serve(os.Args[2])
	case len(os.Args) == 3 && os.Args[1] == "crowd":
		err = crowd(os.Args[2])
	default:
		err = bench()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peerbench:", err)
		os.Exit(1)
	}
}

// plan is what is measured, and how much of it.
type plan struct {
	sockets int
	rounds  int
	root    string // of the product's module
	only    string // measure the parts whose name has this in it
}

func (p plan) wants(part string) bool { return strings.Contains(part, p.only) }

func bench() error {
	var p plan
	flag.IntVar(&p.sockets, "sockets", 15_000, "how many browsers wait")
	flag.IntVar(&p.rounds, "rounds", 7, "how often a message to all is timed; the best counts")
	flag.StringVar(&p.root, "root", "../..", "the folder of the product's go.mod")
	flag.StringVar(&p.only, "only", "", "measure only the parts with this in their name: sockets, requests")
	out := flag.String("out", "../../.cache/bench", "the folder for bench.json and bench.svg")
	within := flag.Duration("within", 10*time.Minute, "give up after so long")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *within)
	defer cancel()

	var t table
	started := time.Now()
	for _, part := range []struct {
		name    string
		measure func(context.Context, plan, *table) error
	}{
		{"sockets", measureSockets}, {"requests", measureRequests},
	} {
		if !p.wants(part.name) {
			continue
		}
		begin := time.Now()
		fmt.Fprintf(os.Stderr, "%s …\n", part.name)
		if err := part.measure(ctx, p, &t); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		fmt.Fprintf(os.Stderr, "%s: %v\n", part.name, time.Since(begin).Round(time.Second))
	}
	t.print(os.Stdout)
	fmt.Println(foot(time.Since(started)))
	return t.save(*out)
}
