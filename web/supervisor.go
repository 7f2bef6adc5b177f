package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"confluence/queue"
	"confluence/queue/runner"
)

// tellTimeout bounds the telling of the line, so that a store that hangs doesn't hang the runs.
const tellTimeout = 5 * time.Second

// supervisor knows whether the runner can serve, and tells the line: while it can't nobody is called and all places are kept. It can't while its
// health check fails, and while each slot is held by a run that doesn't stop. One goroutine asks; it begins with newSupervisor and ends
// with stop.
type supervisor struct {
	controller *queue.AdmissionController
	checker    runner.HealthChecker // nil: the runner can't be asked
	log        *slog.Logger
	every      time.Duration // between two checks, and the time limit of each
	slots      int

	asked  chan struct{} // look now; holds one
	cancel context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex // held while the line is told, so that it hears things in their order
	failing bool       // the last check failed, or a run was told that the runner is away
	going   int        // runs that hold a slot
	stuck   int        // those that didn't stop within the grace
	told    bool       // what the line was told last
}

func newSupervisor(o Options) *supervisor {
	checker, _ := o.Runner.(runner.HealthChecker)
	ctx, cancel := context.WithCancel(context.Background())
	s := &supervisor{
		controller: o.Controller, checker: checker, log: o.Logger, every: o.HealthEvery, slots: o.Controller.Config().Slots,
		asked: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{}), told: true,
	}
	go s.watch(ctx)
	return s
}

// stop ends the checks and waits for the one that is under way, until ctx ends. Twice is harmless.
func (s *supervisor) stop(ctx context.Context) error {
	s.cancel()
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the health check has not ended: %w", ctx.Err())
	}
}

// look has the runner checked at once.
func (s *supervisor) look() {
	select {
	case s.asked <- struct{}{}:
	default: // it will be anyway
	}
}

// begin says that a run holds a slot now.
func (s *supervisor) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.going++
}

// away says that the runner told a run that it can't serve. It counts as away until a check has said otherwise, so that nobody is called in vain.
func (s *supervisor) away(err error) {
	s.mu.Lock()
	s.judge(err)
	s.mu.Unlock()
	s.look()
}

// hold says that a run has not stopped within the grace.
func (s *supervisor) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stuck++
	s.tell()
}

// end says that a run has given its slot back, whether it had been held beyond the grace, and whether it failed: then the runner is looked at.
func (s *supervisor) end(held, failed bool) {
	s.mu.Lock()
	s.going--
	if held {
		s.stuck--
	}
	s.tell()
	s.mu.Unlock()
	if held || failed {
		s.look()
	}
}

// watch checks the runner at once and then every so often. Where the runner can't be asked, one that was away is believed to be back after
// the time between two checks.
func (s *supervisor) watch(ctx context.Context) {
	defer close(s.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		now := false
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-s.asked:
			now = true
		}
		begun := time.Now()
		switch {
		case s.checker == nil && now:
		case s.checker == nil:
			s.verdict(nil)
			continue
		case now, s.due():
			if err := s.check(ctx); ctx.Err() == nil { // a check that stop ended says nothing
				s.verdict(err)
			}
		default:
			s.verdict(nil) // all slots are taken and nothing is wrong
		}
		if ctx.Err() == nil {
			timer.Reset(max(0, s.every-time.Since(begun)))
		}
	}
}

// due: a runner that serves as many as it can is not asked, as it may be too busy to answer.
func (s *supervisor) due() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failing || s.going < s.slots
}

// check asks the runner. One that doesn't answer in time counts as failing at once, even if it then takes its time to give up.
func (s *supervisor) check(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, s.every)
	defer cancel()
	answered := make(chan error, 1)
	go func() {
		err := errors.New("the check ended its goroutine")
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("the check panicked: %v", v)
			}
			answered <- err
		}()
		err = s.checker.Health(bounded)
	}()
	select {
	case err := <-answered:
		return err
	case <-bounded.Done():
	}
	late := fmt.Errorf("no answer within %v", s.every)
	if ctx.Err() == nil {
		s.verdict(late)
	}
	<-answered
	return late
}

// verdict takes what a check said.
func (s *supervisor) verdict(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.judge(err)
}

// judge wants the lock.
func (s *supervisor) judge(err error) {
	switch failing := err != nil; {
	case failing && !s.failing:
		s.log.Warn("the runner does not answer: nobody is called until it does", "err", detailOf(err))
	case !failing && s.failing:
		s.log.Info("the runner answers again")
	}
	s.failing = err != nil
	s.tell()
}

// detailOf is all that a runner said for the operator.
func detailOf(err error) string {
	var failed *runner.FailedError
	if errors.As(err, &failed) && failed.Log != "" {
		return failed.Detail + ": " + failed.Log
	}
	return err.Error()
}

// tell wants the lock. What the line could not be told is told with the next check.
func (s *supervisor) tell() {
	available := !s.failing && s.stuck < s.slots
	if available == s.told {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), tellTimeout)
	defer cancel()
	if err := s.controller.SetRunner(ctx, available); err != nil {
		s.log.Error("the line could not be told of the runner", "available", available, "err", err)
		return
	}
	s.told = available
}
