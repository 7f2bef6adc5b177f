package sql

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

const (
	writeSize  = 32 << 10              // bytes that wait at most before they are written
	writeDelay = 20 * time.Millisecond // and how long they wait
)

// lineWriter gathers whole lines and writes them soon: a fast answer takes few writes, a slow one is seen row by row. It writes in the
// background, since the next row may take minutes to come.
type lineWriter struct {
	mu    sync.Mutex
	out   io.Writer
	lines []byte
	err   error // the first error of out; final

	stop chan struct{}
	done chan struct{}
}

func newLineWriter(out io.Writer) *lineWriter {
	w := &lineWriter{out: out, stop: make(chan struct{}), done: make(chan struct{})}
	go w.writeSoon()
	return w
}

func (w *lineWriter) writeSoon() {
	defer close(w.done)
	tick := time.NewTicker(writeDelay)
	defer tick.Stop()
	for {
		select {
		case <-w.stop:
			return
		case <-tick.C:
			w.mu.Lock()
			w.write()
			w.mu.Unlock()
		}
	}
}

// add takes one line, its end included.
func (w *lineWriter) add(line []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.lines)+len(line) > writeSize {
		w.write()
	}
	if len(line) > writeSize {
		w.writeOut(line) // not copied: it may be very long
	} else {
		w.lines = append(w.lines, line...)
	}
	return w.err
}

// addNow takes a reply and writes it at once.
func (w *lineWriter) addNow(r reply) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(append(w.lines, line...), '\n')
	w.write()
	return w.err
}

// write writes the lines that wait. It needs the lock.
func (w *lineWriter) write() {
	if len(w.lines) > 0 {
		w.writeOut(w.lines)
		w.lines = w.lines[:0]
	}
}

func (w *lineWriter) writeOut(lines []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(lines)
	}
}

// close writes what is left and ends the background's work.
func (w *lineWriter) close() error {
	close(w.stop)
	<-w.done
	w.mu.Lock()
	defer w.mu.Unlock()
	w.write()
	return w.err
}
