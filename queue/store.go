package queue

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Config is what an operator decides about the line.
type Config struct {
	Slots       int           // how many run at once; at least 1
	MaxLength   int           // queued tickets at most; 0: nobody waits
	Reservation time.Duration // how long a called ticket may take to claim; above 0
	Heartbeat   time.Duration // a queued ticket not seen for longer is dropped; above 0
	InitialRun  time.Duration // a first guess of a run's duration; 0: none
	Revision    int64         // the line's first revision; a store that forgets over a restart starts higher each time
}

// Validate names the first value that can't be, and what may be.
func (c Config) Validate() error {
	switch {
	case c.Slots < 1:
		return fmt.Errorf("slots is %d: it must be 1 or more", c.Slots)
	case c.MaxLength < 0:
		return fmt.Errorf("max_length is %d: it must be 0 or more", c.MaxLength)
	case c.Reservation <= 0:
		return fmt.Errorf("reservation is %v: it must be above 0", c.Reservation)
	case c.Heartbeat <= 0:
		return fmt.Errorf("heartbeat is %v: it must be above 0", c.Heartbeat)
	case c.InitialRun < 0:
		return errors.New("initial run is negative: it must be 0 (none) or more")
	}
	return nil
}

// ChangeKind says what a Change is about.
type ChangeKind int

// The kinds of change.
const (
	Joined    ChangeKind = iota + 1 // a ticket stands in the line
	Called                          // a ticket has a reservation
	Started                         // a reservation has become a run
	Gone                            // a ticket has ended
	Freed                           // a run has ended and its slot is free
	Published                       // a pause, a notice or the runner's availability, which everybody sees
	Changed                         // something else that the picture shows
)

// Change is one thing that happened in the line.
type Change struct {
	Kind    ChangeKind
	Session string
	Term    uint64        // of Started, Freed and, if the ticket was running, Gone
	Ended   Ended         // of Gone; its reason is none of a ticket that was taken back, since it could not be saved
	AtOnce  bool          // of Called: the ticket found a slot free, and never stood in the line
	Waited  time.Duration // of Called: how long the ticket stood in the line; below 0: that isn't known
}

// Monotonic is the process's own clock: the time since the call. Steps of the wall clock don't move it.
func Monotonic() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// Store holds the line. Each verb is one atomic transition at the store's own instant, and first lets everything happen that was due before.
// The verbs answer as Line's methods of the same name do; Status is Line's Seen and Status in one.
type Store interface {
	Config() Config
	Join(ctx context.Context, session string, kept Kept) (View, error)
	Keep(ctx context.Context, session string, kept Kept) error
	Status(ctx context.Context, session string) (View, error)
	Peek(ctx context.Context, session string) (View, error)
	Seen(ctx context.Context, session string) error
	Leave(ctx context.Context, session string) error
	ForgetLapse(ctx context.Context, session string) error
	Claim(ctx context.Context, session string) (Grant, error)
	Stopping(ctx context.Context, term uint64) error
	Finish(ctx context.Context, term uint64, outcome Outcome) error
	Picture(ctx context.Context) (Picture, error)
	Each(ctx context.Context, from, to int, fn func(session string, v View)) error
	SetRunner(ctx context.Context, available bool) error
	SetPaused(ctx context.Context, paused bool) error
	SetNotice(ctx context.Context, notice string) error

	// Halt has nothing happen by itself any more: nobody is called, and nobody's time runs out. There is no way back: the process is about to end.
	Halt(ctx context.Context) error
	// Advance lets everything happen that is due, and tells how long it is until something is due again; below 0: nothing will be.
	Advance(ctx context.Context) (next time.Duration, err error)
	// Changes sets who is told of what happened. The calls come in the order of the transitions, before the verb returns; fn must neither
	// block nor call the store, and the slice is not its own to keep.
	Changes(fn func([]Change))
}
