package sql

import "sync"

// passed remembers queries that passed their check, since a text is checked at join and again before its turn, and many ask the same.
// It may outlive a change of the tables: then the run itself says what is wrong. A mistake is not remembered, so that it can be mended.
type passed struct {
	mu    sync.Mutex
	texts map[string]bool
}

const (
	passedTexts     = 256
	passedTextBytes = 8 << 10 // of the longest text that is kept
)

func (p *passed) has(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.texts[text]
}

func (p *passed) add(text string) {
	if len(text) > passedTextBytes {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.texts == nil || len(p.texts) >= passedTexts {
		p.texts = make(map[string]bool)
	}
	p.texts[text] = true
}
