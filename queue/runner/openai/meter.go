package openai

import (
	"bytes"
	"io"
	"time"
)

const (
	bytesPerByte = 64      // how many bytes are received at most for a byte of text: a token of four comes in some 200
	eventBytes   = 8 << 20 // of one event of the stream, which is held in memory
)

// meter bounds what is received of a stream, and its silences.
type meter struct {
	io.ReadCloser
	room    int64       // bytes that may still come
	event   int         // bytes since the last blank line
	blank   bool        // the line that goes on has nothing in it yet
	silence *time.Timer // runs while a read waits
	limit   time.Duration
}

func (m *meter) Read(b []byte) (int, error) {
	m.silence.Reset(m.limit)
	n, err := m.ReadCloser.Read(b)
	m.silence.Stop()
	m.room -= int64(n)
	if m.count(b[:n]); m.room < 0 || m.event > eventBytes {
		return 0, errTooMuch
	}
	return n, err
}

// count follows where events end: at a blank line.
func (m *meter) count(b []byte) {
	for len(b) > 0 {
		end := bytes.IndexByte(b, '\n')
		line := b
		if end >= 0 {
			line = b[:end]
		}
		m.event += len(line) + 1
		if len(bytes.TrimRight(line, "\r")) > 0 {
			m.blank = false
		}
		if end < 0 {
			return
		}
		if m.blank {
			m.event = 0
		}
		m.blank = true
		b = b[end+1:]
	}
}
