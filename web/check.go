package web

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"confluence/queue/runner"
)

// checkTimeout bounds the look at a text. Who can't tell in that time lets the text through; its mistake then costs the turn.
const checkTimeout = 5 * time.Second

// check refuses a text that has a mistake, before anything moves for it.
func (r *runs) check(ctx context.Context, text string) error {
	if strings.TrimSpace(text) == "" {
		return errInvalidQuery
	}
	bounded, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	err := r.look(bounded, text)
	var rejected *runner.RejectedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &rejected):
		return err
	case errors.Is(err, runner.ErrUnavailable):
		r.health.look()
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	r.log.Warn("a query could not be checked", "err", err)
	return nil
}

// look calls the runner's Check; a panic there is no more than a failure to tell.
func (r *runs) look(ctx context.Context, text string) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: %v", errRunPanicked, v)
		}
	}()
	return r.runner.Check(ctx, runner.Query{Text: text})
}
