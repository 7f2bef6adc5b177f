package queue

import (
	"errors"
	"fmt"
)

// The refusals of the line. Each leaves everything as it was.
var (
	ErrTicketNotFound     = errors.New("no ticket") // always as *NotFoundError
	ErrQueueFull          = errors.New("the line is full")
	ErrBusy               = errors.New("the runner is busy and it is not this session's turn")
	ErrReservationExpired = errors.New("the reservation ran out before it was claimed")
	ErrRunnerUnavailable  = errors.New("the runner is not available")
	ErrStopped            = errors.New("the controller has stopped")
	ErrStale              = errors.New("the term has passed") // the transition came too late and changed nothing
	ErrStore              = errors.New("the line can't be saved at the moment")
)

// Why a run's context was cancelled (context.Cause). A run that returns one of them, wrapped or not, has that outcome.
var (
	ErrRunTimedOut     = errors.New("the run reached its time limit")
	ErrRunCancelled    = errors.New("the run was cancelled by its owner")
	ErrRunDisconnected = errors.New("nobody was there any more to read the answer")
	ErrRunInterrupted  = errors.New("the server stopped during the run")
)

// NotFoundError is the ErrTicketNotFound of a session, with what is remembered of its last ticket.
type NotFoundError struct {
	Ended Ended // Reason is ReasonNone if nothing is remembered
}

func (e *NotFoundError) Error() string { return "no ticket: " + string(e.Ended.Reason) }

// Is makes errors.Is(err, ErrTicketNotFound) true.
func (e *NotFoundError) Is(target error) bool { return target == ErrTicketNotFound }

// PanicError is a run that panicked.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("the run panicked: %v", e.Value) }
