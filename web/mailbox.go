package web

import (
	"sync"

	"confluence/queue"
)

// mailbox is a queue.Watcher that keeps the newest of what it is told until somebody takes it.
type mailbox struct {
	news chan struct{} // holds one

	mu    sync.Mutex
	view  *queue.View
	ended *queue.Ended
}

func newMailbox() *mailbox { return &mailbox{news: make(chan struct{}, 1)} }

// Standing is a queue.Watcher's.
func (m *mailbox) Standing(v queue.View) {
	m.mu.Lock()
	m.view = &v
	m.mu.Unlock()
	m.ring()
}

// Ended is a queue.Watcher's. A standing before it is no longer of interest.
func (m *mailbox) Ended(e queue.Ended) {
	m.mu.Lock()
	m.view, m.ended = nil, &e
	m.mu.Unlock()
	m.ring()
}

func (m *mailbox) ring() {
	select {
	case m.news <- struct{}{}:
	default:
	}
}

// take empties the mailbox. What ended did so before the standing, if both are there.
func (m *mailbox) take() (*queue.View, *queue.Ended) {
	m.mu.Lock()
	defer m.mu.Unlock()
	view, ended := m.view, m.ended
	m.view, m.ended = nil, nil
	return view, ended
}
