package queue

import (
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

// Store soon.
type Store interface{}
