package main

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// simulateProgress shows how far a simulation is, on a terminal alone.
type simulateProgress struct{ bar *progressbar.ProgressBar }

// newSimulateProgress shows nothing on what isn't a terminal. all may be unknown: below 0.
func newSimulateProgress(out io.Writer, all int64) *simulateProgress {
	if !isTerminal(out) {
		return &simulateProgress{}
	}
	return &simulateProgress{bar: progressbar.NewOptions64(all,
		progressbar.OptionSetWriter(out),
		progressbar.OptionSetDescription("Simulating"),
		progressbar.OptionSetWidth(30),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

// What a bar can't show it shows the next time.
func (p *simulateProgress) set(done int64) {
	if p.bar != nil {
		_ = p.bar.Set64(done)
	}
}

// clear takes the bar off.
func (p *simulateProgress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
