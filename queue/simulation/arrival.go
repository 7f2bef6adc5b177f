package simulation

import (
	"iter"
	"time"

	"confluence/queue"
)

// Arrival is one person who comes to the line.
type Arrival struct {
	At       time.Duration // never before the one before
	Run      time.Duration // how long the run takes
	Patience time.Duration // who has not been called after so long gives up; 0: never
	Outcome  queue.Outcome // of the run; empty: succeeded
}

// Arrivals come in their order. An error ends the simulation.
type Arrivals = iter.Seq2[Arrival, error]
