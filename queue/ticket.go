package queue

import (
	"strconv"
	"time"
)

// Status is where a ticket stands.
type Status string

// The three statuses of a ticket.
const (
	Queued  Status = "queued"  // in the line
	Ready   Status = "ready"   // called: holds a reservation that must be claimed
	Running Status = "running" // its run is going
)

// RunnerState is what the slots are doing, in one word.
type RunnerState string

// The states of the runner. A slot that is running outshines one that is reserved.
const (
	RunnerIdle        RunnerState = "idle"
	RunnerReserved    RunnerState = "reserved"
	RunnerRunning     RunnerState = "running"
	RunnerStopping    RunnerState = "stopping"
	RunnerUnavailable RunnerState = "unavailable"
)

// Seconds is a whole number of seconds, or nothing: null on the wire.
type Seconds struct {
	N     int64
	Known bool
}

// MarshalJSON writes the number, or null.
func (s Seconds) MarshalJSON() ([]byte, error) {
	if !s.Known {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, s.N, 10), nil
}

// Kept is what a session wants to have at its turn. The line carries it with the ticket and never looks inside.
type Kept struct {
	Query     string // the text to run; empty: none kept
	AutoStart bool   // an open page claims by itself when the turn comes
}

// Basis says what a wait is estimated from.
type Basis string

// The bases of a wait.
const (
	BasisNone    Basis = "none"    // nothing known: the numbers are null
	BasisPrior   Basis = "prior"   // a configured guess
	BasisHistory Basis = "history" // the runs that have ended
)

// Wait is the time until a run can start: an 80 % range and a middle.
type Wait struct {
	Low    Seconds `json:"low_seconds"`
	Likely Seconds `json:"likely_seconds"`
	High   Seconds `json:"high_seconds"`
	Basis  Basis   `json:"basis"`
}

// View is what a session is told of its own standing.
type View struct {
	TicketID       string
	Number         int64 // the public number, as on the kiosk
	Status         Status
	Position       int // from 1 over reservations, then the line; 0 when running
	Ahead          int // max(0, Position-1)
	JoinedAt       int // the position that the ticket had at its join, for "Joined at place 12"
	ETA            Seconds
	ReservationIn  Seconds // until the reservation's deadline; known only when Ready
	Runner         RunnerState
	Wait           Wait
	Revision       int64
	RunID          string // known only when Running
	Paused         bool
	Notice         string
	Kept           Kept
	RunElapsed     time.Duration // of the oldest run that is going, the session's own if it runs; 0 if none
	UsualLow       Seconds       // what most runs take: the 10 % and 90 % quantiles of the last runs
	UsualHigh      Seconds
	HeartbeatEvery time.Duration // how soon the next heartbeat must come
	ClaimWithin    time.Duration // how long a reservation is

	inputs    int64 // these two count what changes a view beside time: calls, starts and ends;
	published int64 // pauses, notices and the runner's availability
}

// Picture is what everybody may see: display numbers only.
type Picture struct {
	Slots      int
	Runner     RunnerState
	Length     int     // queued tickets
	Serving    []int64 // numbers whose run is going, oldest first
	Called     []int64 // numbers that hold a reservation, oldest first
	Next       []int64 // numbers of the first in line, at most PictureNext
	Taken      []Slot  // the slots that aren't idle: runs, then reservations, oldest first
	Wait       Wait    // for who joins now
	Free       bool    // who joins now is served at once
	Full       bool    // who joins now is refused
	Paused     bool
	Notice     string
	Revision   int64
	RunElapsed time.Duration // of the oldest run that is going; 0 if none
	UsualLow   Seconds
	UsualHigh  Seconds
	Estimate   Estimate
}

// Slot is a slot that isn't idle.
type Slot struct {
	Number int64
	State  RunnerState   // running, stopping or reserved
	For    time.Duration // since the run began, or since the call
}

// Estimate is how good the waits were that people were told as they joined, as far as was found out in the last hours.
type Estimate struct {
	Predictions int     // 0: nothing was found out yet
	Hours       int     // that they span, at most 24
	Coverage    float64 // share of the waits that were within their range
	MeanError   float64 // mean absolute error of the middle, in seconds

	ClassicKnown bool    // the same people were told the classic estimate, too
	ClassicError float64 // and this is its mean absolute error, in seconds
}

// PictureNext is how many of the line's first numbers a Picture shows.
const PictureNext = 10

// Reason says why a ticket ended.
type Reason string

// The reasons. None is for a session that has had no ticket that is still remembered.
const (
	ReasonNone          Reason = "none"
	ReasonLeft          Reason = "left"
	ReasonLapsed        Reason = "reservation_expired"
	ReasonHeartbeatLost Reason = "heartbeat_lost"
	ReasonFinished      Reason = "finished"
)

// Outcome is how a run ended.
type Outcome string

// The outcomes of a run.
const (
	Succeeded    Outcome = "succeeded"
	Failed       Outcome = "failed"
	TimedOut     Outcome = "timed_out"
	Cancelled    Outcome = "cancelled"
	Disconnected Outcome = "disconnected"
	Interrupted  Outcome = "interrupted"
)

// Ended is what is remembered of a session's last ticket, for ten minutes.
type Ended struct {
	Reason   Reason
	TicketID string
	Number   int64
	RunID    string        // of a ticket that ran
	Outcome  Outcome       // of a ticket that finished
	Since    time.Duration // since the ticket ended
	Called   time.Duration // since it was called (became Ready); 0 if it never was
	Kept     Kept
}
