package queue

import (
	"context"
	"log/slog"
)

// Watcher is told what to show to one session. Calls come from the controller's own goroutine, one at a time and in order; they must not block.
type Watcher interface {
	Standing(View) // the present state; a newer one replaces an older one
	Ended(Ended)   // the ticket is gone; it may be followed by the Standing of a new one
}

// Options are the parts of an AdmissionController.
type Options struct {
	Store  Store
	Logger *slog.Logger // nil: slog.Default()
}

// AdmissionController decides who may use the runner, and when.
type AdmissionController struct {
	store Store
	log   *slog.Logger
}

// Join gives the session a ticket, or its present one. A text in kept replaces the one kept before; an empty one does not.
// It errs with ErrQueueFull.
func (c *AdmissionController) Join(ctx context.Context, session string, kept Kept) (View, error) {
	panic("soon")
}

// Keep replaces what is kept with the session's ticket. It errs with ErrTicketNotFound.
func (c *AdmissionController) Keep(ctx context.Context, session string, kept Kept) error {
	panic("soon")
}

// Status is the session's standing, and its heartbeat. It errs with ErrTicketNotFound (*NotFoundError).
func (c *AdmissionController) Status(ctx context.Context, session string) (View, error) {
	panic("soon")
}

// Peek is Status without the heartbeat.
func (c *AdmissionController) Peek(ctx context.Context, session string) (View, error) { panic("soon") }

// Seen is the heartbeat alone, harmless without a ticket.
func (c *AdmissionController) Seen(ctx context.Context, session string) error { panic("soon") }

// Leave drops the session's ticket and cancels its run; harmless without one.
func (c *AdmissionController) Leave(ctx context.Context, session string) error { panic("soon") }

// ForgetLapse makes a session whose reservation ran out a newcomer, without the refusal that its next claim would get.
func (c *AdmissionController) ForgetLapse(ctx context.Context, session string) error { panic("soon") }

// Run claims the session's turn, calls fn and gives the slot on when fn has returned or panicked. Errors before fn is called: ErrBusy,
// ErrReservationExpired, ErrRunnerUnavailable, ErrStopped. After that: fn's error. fn's context ends when ctx does and when the session
// leaves (cause ErrRunCancelled); RunID(ctx) names the run.
func (c *AdmissionController) Run(ctx context.Context, session string, fn func(ctx context.Context) error) error {
	panic("soon")
}

// RunID names the run that ctx, given by Run, belongs to; it is empty elsewhere.
func RunID(ctx context.Context) string { panic("soon") }

// Picture is what everybody may see.
func (c *AdmissionController) Picture(ctx context.Context) (Picture, error) { panic("soon") }

// Watch tells w of every change of the session's standing, by the push policy, until stop is called. Subscribe first, then read with Status
// or Peek: nothing that happens in between is missed. After stop has returned w isn't called any more.
func (c *AdmissionController) Watch(session string, w Watcher) (stop func()) { panic("soon") }

// WatchPicture calls fn with each new Picture until stop is called. fn must not block.
func (c *AdmissionController) WatchPicture(fn func(Picture)) (stop func()) { panic("soon") }

// SetRunner tells whether the runner can serve. While it cannot nobody is called, and nobody loses a place or a reservation.
func (c *AdmissionController) SetRunner(ctx context.Context, available bool) error { panic("soon") }

// SetPaused stops and resumes promotion and newcomers' short cuts.
func (c *AdmissionController) SetPaused(ctx context.Context, paused bool) error { panic("soon") }

// SetNotice publishes the operator's words; empty takes them back.
func (c *AdmissionController) SetNotice(ctx context.Context, notice string) error { panic("soon") }

// Config is the line's configuration.
func (c *AdmissionController) Config() Config { panic("soon") }

// Start begins the timers; Stop ends them, refuses new runs, cancels those that go (cause ErrRunInterrupted) and waits for them until ctx ends.
func (c *AdmissionController) Start(ctx context.Context) error { panic("soon") }

// Stop is idempotent.
func (c *AdmissionController) Stop(ctx context.Context) error { panic("soon") }
