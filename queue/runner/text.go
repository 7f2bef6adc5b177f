package runner

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ErrTextFull says that an answer in text has reached its limit. The sink was told.
var ErrTextFull = errors.New("the text has reached its limit")

// TextWriter passes bytes on to a Sink as text while they come: a character that is split over two writes is joined, what is no UTF-8
// becomes U+FFFD, and at the limit the text is cut between two characters. It is for one goroutine.
type TextWriter struct {
	out     Sink
	max     int64 // bytes
	room    int64 // bytes that are left of max
	partial []byte
	err     error // final
}

// NewTextWriter makes a writer of at most limit bytes of text.
func NewTextWriter(out Sink, limit int64) *TextWriter {
	return &TextWriter{out: out, max: limit, room: limit}
}

// Write passes b on. Errors: ErrTextFull, the Sink's; both are final.
func (w *TextWriter) Write(b []byte) (int, error) {
	whole := b
	if len(w.partial) > 0 {
		whole = append(w.partial, b...)
	}
	end := len(whole) - unfinished(whole)
	err := w.pass(whole[:end])
	w.partial = append([]byte(nil), whole[end:]...)
	return len(b), err
}

// Close passes on what waits for the rest of its character, as a broken one. Errors as with Write.
func (w *TextWriter) Close() error {
	rest := w.partial
	w.partial = nil
	return w.pass(rest)
}

func (w *TextWriter) pass(b []byte) error {
	if w.err != nil || len(b) == 0 {
		return w.err
	}
	text := strings.ToValidUTF8(string(b), "\uFFFD")
	full := int64(len(text)) > w.room
	if full {
		end := w.room
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	w.room -= int64(len(text))
	if text != "" {
		w.err = w.out.Text(text)
	}
	if full && w.err == nil {
		w.out.Truncated(fmt.Sprintf("Only the first %s are here: an answer has at most that.", Size(w.max)))
		w.err = ErrTextFull
	}
	return w.err
}

// unfinished is how many bytes at the end of b are the beginning of a character.
func unfinished(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if start := b[len(b)-n:]; utf8.RuneStart(start[0]) {
			if utf8.FullRune(start) {
				return 0
			}
			return n
		}
	}
	return 0
}

// Size writes a number of bytes in the largest unit that it fills, rounded down.
func Size(bytes int64) string {
	for _, unit := range []struct {
		shift int
		name  string
	}{{30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if bytes >= 1<<unit.shift {
			return fmt.Sprintf("%d %s", bytes>>unit.shift, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}
