package queue_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"confluence/queue"
)

// hooked is a store that something can be done to.
type hooked struct {
	queue.Store
	mu      sync.Mutex
	fault   bool                 // Advance errs
	onPeek  func(session string) // called before each Peek
	onEach  func(from, to int)   // called after each Each
	onClaim func(session string) // called after each Claim
}

func (h *hooked) around(s queue.Store) queue.Store {
	h.Store = s
	return h
}

func (h *hooked) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
}

func (h *hooked) Advance(ctx context.Context) (time.Duration, error) {
	h.mu.Lock()
	fault := h.fault
	h.mu.Unlock()
	if fault {
		return 0, errors.New("the store doesn't answer")
	}
	return h.Store.Advance(ctx)
}

func (h *hooked) Peek(ctx context.Context, session string) (queue.View, error) {
	h.mu.Lock()
	onPeek := h.onPeek
	h.mu.Unlock()
	if onPeek != nil {
		onPeek(session)
	}
	return h.Store.Peek(ctx, session)
}

func (h *hooked) Each(ctx context.Context, from, to int, fn func(session string, v queue.View)) error {
	err := h.Store.Each(ctx, from, to, fn)
	h.mu.Lock()
	onEach := h.onEach
	h.mu.Unlock()
	if onEach != nil {
		onEach(from, to)
	}
	return err
}

// Finish and Stopping are as strict as a store with a network in between: they don't begin with a context that has ended.

func (h *hooked) Finish(ctx context.Context, term uint64, outcome queue.Outcome) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return h.Store.Finish(ctx, term, outcome)
}

func (h *hooked) Stopping(ctx context.Context, term uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return h.Store.Stopping(ctx, term)
}

func (h *hooked) Claim(ctx context.Context, session string) (queue.Grant, error) {
	g, err := h.Store.Claim(ctx, session)
	h.mu.Lock()
	onClaim := h.onClaim
	h.mu.Unlock()
	if onClaim != nil {
		onClaim(session)
	}
	return g, err
}
