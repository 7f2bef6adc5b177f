package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// Options are the parts of an AdmissionController.
type Options struct {
	Store  Store
	Logger *slog.Logger // nil: slog.Default()
}

// AdmissionController decides who may use the runner, and when: a Store with timers, runs and watchers. Make one with
// NewAdmissionController, Start it, and Stop it at the end.
type AdmissionController struct {
	store Store
	log   *slog.Logger
	room  *room
	wake  chan struct{} // something changed or somebody came to watch; holds one

	mu      sync.Mutex
	going   map[uint64]*going // by term
	running sync.WaitGroup    // the calls of Run past their claim
	closed  bool              // nobody new is let in
	stopped bool
	observe func([]Change)
	cancel  context.CancelFunc // of the loop
	done    chan struct{}      // closed when the loop has ended
}

// going is a run of this controller's. It is made by the change that starts the run, before Run knows of it, so that a leave in between
// isn't missed.
type going struct {
	left   bool                    // its ticket has left
	cancel context.CancelCauseFunc // nil until Run has made its context
}

// NewAdmissionController wraps the store, whose changes it takes.
func NewAdmissionController(o Options) (*AdmissionController, error) {
	if o.Store == nil {
		return nil, errors.New("a controller needs a store")
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	c := &AdmissionController{
		store: o.Store, log: o.Logger, room: newRoom(o.Store, o.Logger),
		wake: make(chan struct{}, 1), going: make(map[uint64]*going), done: make(chan struct{}),
	}
	o.Store.Changes(c.changes)
	return c, nil
}

// Config is the line's configuration.
func (c *AdmissionController) Config() Config { return c.store.Config() }

// Start begins the timers and the pushes to watchers. They end with Stop, not with ctx.
func (c *AdmissionController) Start(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped || c.cancel != nil {
		return errors.New("a controller starts once")
	}
	ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go c.loop(ctx)
	return nil
}

// Drain begins a stop: it refuses new tickets and runs, calls nobody, lets nobody's time run out, and waits until the runs that go have ended.
// When ctx ends first, which may be at once, its error is ctx's. Stop must follow.
func (c *AdmissionController) Drain(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	halted := c.store.Halt(context.WithoutCancel(ctx))
	return errors.Join(halted, c.runsEnd(ctx))
}

// runsEnd waits for the runs. Its error is ctx's, when one has not ended.
func (c *AdmissionController) runsEnd(ctx context.Context) error {
	ended := make(chan struct{})
	go func() { c.running.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("a run has not ended: %w", ctx.Err())
	}
}

// Stop refuses new tickets and runs, cancels the runs that go (cause ErrRunInterrupted), waits for them until ctx ends, and ends the timers.
// It is idempotent. Its error is ctx's, when a run has not ended.
func (c *AdmissionController) Stop(ctx context.Context) error {
	c.mu.Lock()
	first := !c.stopped
	c.closed, c.stopped = true, true
	for _, g := range c.going {
		if g.cancel != nil {
			g.cancel(ErrRunInterrupted)
		}
	}
	started := c.cancel != nil
	c.mu.Unlock()

	err := c.runsEnd(ctx)
	if !started {
		return err
	}
	if first {
		c.cancel()
		<-c.done
		return err
	}
	select {
	case <-c.done:
	case <-ctx.Done(): // the first Stop is still waiting for a run, perhaps for longer than this one may
		err = fmt.Errorf("the controller has not ended: %w", ctx.Err())
	}
	return err
}

// Join gives the session a ticket, or its present one. A text in kept replaces what was kept before; without one nothing is replaced.
// It errs with ErrQueueFull and ErrStopped.
func (c *AdmissionController) Join(ctx context.Context, session string, kept Kept) (View, error) {
	if c.isClosed() {
		return View{}, ErrStopped
	}
	return c.store.Join(ctx, session, kept)
}

// Keep replaces what is kept with the session's ticket. It errs with ErrTicketNotFound.
func (c *AdmissionController) Keep(ctx context.Context, session string, kept Kept) error {
	return c.store.Keep(ctx, session, kept)
}

// Status is the session's standing, and its heartbeat. It errs with ErrTicketNotFound (*NotFoundError).
func (c *AdmissionController) Status(ctx context.Context, session string) (View, error) {
	return c.store.Status(ctx, session)
}

// Peek is Status without the heartbeat.
func (c *AdmissionController) Peek(ctx context.Context, session string) (View, error) {
	return c.store.Peek(ctx, session)
}

// Seen is the heartbeat alone, harmless without a ticket.
func (c *AdmissionController) Seen(ctx context.Context, session string) error {
	return c.store.Seen(ctx, session)
}

// Leave drops the session's ticket and cancels its run; harmless without one.
func (c *AdmissionController) Leave(ctx context.Context, session string) error {
	return c.store.Leave(ctx, session)
}

// ForgetLapse makes a session whose reservation ran out a newcomer, without the refusal that its next claim would get.
func (c *AdmissionController) ForgetLapse(ctx context.Context, session string) error {
	return c.store.ForgetLapse(ctx, session)
}

// Picture is what everybody may see.
func (c *AdmissionController) Picture(ctx context.Context) (Picture, error) {
	return c.store.Picture(ctx)
}

// SetRunner tells whether the runner can serve. While it cannot nobody is called, and nobody loses a place or a reservation.
func (c *AdmissionController) SetRunner(ctx context.Context, available bool) error {
	return c.store.SetRunner(ctx, available)
}

// SetPaused stops and resumes promotion and newcomers' short cuts.
func (c *AdmissionController) SetPaused(ctx context.Context, paused bool) error {
	return c.store.SetPaused(ctx, paused)
}

// SetNotice publishes the operator's words; empty takes them back.
func (c *AdmissionController) SetNotice(ctx context.Context, notice string) error {
	return c.store.SetNotice(ctx, notice)
}

type runIDKey struct{}

// RunID names the run that ctx, given by Run, belongs to; it is empty elsewhere.
func RunID(ctx context.Context) string {
	id, _ := ctx.Value(runIDKey{}).(string)
	return id
}

// Run claims the session's turn, calls fn, and gives the slot on when fn has returned or panicked. fn's context ends with ctx, when the
// session leaves (cause ErrRunCancelled) and at Stop (ErrRunInterrupted); RunID(ctx) names the run. fn must return only when all that it
// started has ended.
//
// Errors before fn is called: ErrBusy, ErrReservationExpired, ErrRunnerUnavailable, ErrStopped. After that: fn's own, which decides the
// outcome (its context's error stands for the cause of its end), or a *PanicError.
func (c *AdmissionController) Run(ctx context.Context, session string, fn func(ctx context.Context) error) error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return ErrStopped
	}
	c.running.Add(1)
	c.mu.Unlock()
	defer c.running.Done()

	grant, err := c.store.Claim(ctx, session)
	if err != nil {
		return err
	}
	return c.run(ctx, grant, fn)
}

// run is Run past the claim. Whatever happens in fn, the slot is freed.
func (c *AdmissionController) run(ctx context.Context, grant Grant, fn func(ctx context.Context) error) (err error) {
	outlives := context.WithoutCancel(ctx)
	runCtx, cancel := context.WithCancelCause(context.WithValue(ctx, runIDKey{}, grant.RunID))
	defer cancel(nil)
	told := context.AfterFunc(runCtx, func() {
		if err := c.store.Stopping(outlives, grant.Term); err != nil {
			c.log.Error("a run could not be marked as stopping", "run", grant.RunID, "err", err)
		}
	})
	c.attach(grant.Term, cancel)

	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
		told()
		if ferr := c.store.Finish(outlives, grant.Term, outcomeOf(runCtx, err)); ferr != nil {
			c.log.Error("a run's end could not be recorded", "run", grant.RunID, "err", ferr)
		}
	}()
	err = errNotReturned
	err = fn(runCtx)
	return err
}

// errNotReturned is how a run ended that didn't return: its goroutine did (runtime.Goexit). Nobody is there to read it.
var errNotReturned = errors.New("the run ended its goroutine")

// attach lets leave and Stop cancel a run, which they may have done already.
func (c *AdmissionController) attach(term uint64, cancel context.CancelCauseFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.going[term]
	if g == nil {
		return // the run has ended in the store: nobody waits for it
	}
	g.cancel = cancel
	switch {
	case g.left:
		cancel(ErrRunCancelled)
	case c.stopped:
		cancel(ErrRunInterrupted)
	}
}

// outcomeOf reads the outcome from what a run with that context returned.
func outcomeOf(ctx context.Context, err error) Outcome {
	if err == nil {
		return Succeeded
	}
	if ended := ctx.Err(); ended != nil && errors.Is(err, ended) {
		err = errors.Join(context.Cause(ctx), err)
	}
	switch {
	case errors.Is(err, ErrRunTimedOut), ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded):
		return TimedOut
	case errors.Is(err, ErrRunCancelled):
		return Cancelled
	case errors.Is(err, ErrRunInterrupted):
		return Interrupted
	case errors.Is(err, ErrRunDisconnected), errors.Is(err, context.Canceled):
		return Disconnected
	}
	return Failed
}

// Watch tells w of the session's standing: first, from the controller's goroutine and without delay, the present one, then each change by
// the push policy (see room), until stop is called; a call that is under way then may still end. Watching is no heartbeat.
func (c *AdmissionController) Watch(session string, w Watcher) (stop func()) {
	stop = c.room.watch(session, w)
	c.nudge()
	return stop
}

// WatchPicture calls fn with the present Picture and each new one, ten a second at most, until stop is called. fn must not block.
func (c *AdmissionController) WatchPicture(fn func(Picture)) (stop func()) {
	stop = c.room.watchPicture(fn)
	c.nudge()
	return stop
}

// Observe has fn told of all changes from now on, in their order and within the transition, in place of whoever was told before. fn must neither
// block nor call the controller, and the slice is not its own to keep.
func (c *AdmissionController) Observe(fn func([]Change)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.observe = fn
}

func (c *AdmissionController) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

func (c *AdmissionController) nudge() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// changes takes what happened in the store, in its order and within the transition.
func (c *AdmissionController) changes(changes []Change) {
	for _, ch := range changes {
		switch ch.Kind {
		case Started:
			c.mu.Lock()
			c.going[ch.Term] = &going{}
			c.mu.Unlock()
		case Freed:
			c.mu.Lock()
			delete(c.going, ch.Term)
			c.mu.Unlock()
		case Gone:
			if ch.Ended.Reason == ReasonLeft && ch.Term != 0 {
				c.leave(ch.Term)
			}
		}
	}
	c.mu.Lock()
	observe := c.observe
	c.mu.Unlock()
	if observe != nil {
		observe(changes)
	}
	c.room.post(changes)
	c.nudge()
}

func (c *AdmissionController) leave(term uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := c.going[term]; g != nil {
		g.left = true
		if g.cancel != nil {
			g.cancel(ErrRunCancelled)
		}
	}
}

// loop fires the deadlines at their own time and pushes what changed.
func (c *AdmissionController) loop(ctx context.Context) {
	defer close(c.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-c.wake:
		}
		next, err := c.store.Advance(ctx)
		if err != nil {
			c.log.Error("the line could not advance", "err", err)
			next = time.Second
		}
		push := c.room.push(ctx)
		if next < 0 || push >= 0 && push < next {
			next = push
		}
		if next < 0 {
			next = time.Hour // a change will wake it
		}
		timer.Reset(next)
	}
}
