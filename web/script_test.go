package web

import (
	"context"
	"sync"

	"confluence/queue/runner"
)

// script is a runner whose answers are written in the test: one for each query text. Texts that it doesn't know bring a small table.
type script struct {
	mu      sync.Mutex
	answers map[string]func(ctx context.Context, out runner.Sink) error
	checks  map[string]error
	ran     []string
	at      int // runs at this moment
	atMost  int // at any moment
}

func (s *script) on(text string, answer func(ctx context.Context, out runner.Sink) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answers == nil {
		s.answers = map[string]func(ctx context.Context, out runner.Sink) error{}
	}
	s.answers[text] = answer
}

func (s *script) reject(text, detail string) { s.fail(text, &runner.RejectedError{Detail: detail}) }

// fail has the look at a text err.
func (s *script) fail(text string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.checks == nil {
		s.checks = map[string]error{}
	}
	s.checks[text] = err
}

func (s *script) Describe() runner.Description { return runner.Description{Title: "Ask the script"} }

func (s *script) Check(_ context.Context, q runner.Query) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.checks[q.Text]
}

func (s *script) Run(ctx context.Context, q runner.Query, out runner.Sink) error {
	s.mu.Lock()
	s.ran = append(s.ran, q.Text)
	s.at++
	s.atMost = max(s.at, s.atMost)
	answer := s.answers[q.Text]
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.at--
	}()
	if answer != nil {
		return answer(ctx, out)
	}
	if err := out.Columns([]runner.Column{{Name: "query"}, {Name: "n"}}); err != nil {
		return err
	}
	return out.Rows([][]any{{q.Text, int64(1)}})
}

func (s *script) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ran)
}

// most is how many runs there were at once.
func (s *script) most() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.atMost
}

// untilStopped runs until it is told to stop, and says nothing.
func untilStopped(ctx context.Context, _ runner.Sink) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// gate holds a run until it is opened.
type gate chan struct{}

func (g gate) wait(ctx context.Context, _ runner.Sink) error {
	select {
	case <-g:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
