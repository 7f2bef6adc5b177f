package command

import "sync"

// tail keeps the end of what is written to it, where a program says what went wrong.
type tail struct {
	max int // bytes

	mu   sync.Mutex
	kept []byte
	cut  bool // something before was dropped
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if n > t.max {
		b = b[n-t.max:]
		t.cut = true
	}
	if over := len(t.kept) + len(b) - t.max; over > 0 {
		t.kept = t.kept[:copy(t.kept, t.kept[over:])]
		t.cut = true
	}
	t.kept = append(t.kept, b...)
	return n, nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cut {
		return "…" + string(t.kept)
	}
	return string(t.kept)
}
