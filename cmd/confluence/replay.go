package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"confluence/queue"
	"confluence/queue/memory"
	"confluence/queue/trace"
)

// The exit codes of a replay.
const (
	replayMet        = 0 // every want is met
	replayUnmet      = 1 // one isn't
	replayUnreadable = 2 // the file can't be read
)

// replayFile replays a file of operations; - is in.
func replayFile(name string, in io.Reader, out, errs io.Writer) int {
	if name == "-" {
		return replay(in, "standard input", out, errs)
	}
	file, err := os.Open(name)
	if err != nil {
		fmt.Fprintf(errs, "confluence: %v\n", err)
		return replayUnreadable
	}
	defer file.Close()
	return replay(file, name, out, errs)
}

// replay plays a trace through the store that serves. name is how errors call it.
func replay(in io.Reader, name string, out, errs io.Writer) int {
	unmet, err := trace.Replay(in, func(cfg queue.Config, clock func() time.Duration) (queue.Store, error) {
		return memory.New(memory.Options{Config: cfg, Clock: clock})
	}, out)
	switch {
	case err != nil:
		fmt.Fprintf(errs, "%s: %v\n", name, err)
		return replayUnreadable
	case unmet.Operations > 0:
		fmt.Fprintf(errs, "%s: %d of the operations got something else than they want, the first in line %d\n", name, unmet.Operations, unmet.FirstLine)
		return replayUnmet
	}
	return replayMet
}
