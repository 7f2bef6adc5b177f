package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// How much a follower is given at a time.
const (
	pieceRows  = 500
	pieceBytes = 64 << 10
)

// errAnswerLost is a follower's: the answer lies in a file that can't be read, most likely since it has been forgotten.
var errAnswerLost = errors.New("the answer can't be read any more")

// piece is a part of an answer, from one place to the next.
type piece struct {
	next    int      // the place behind it
	columns []string // of a table, once
	rows    []byte   // rows as JSON, with a comma between
	binary  []int    // columns with bytes in them, from before these rows on
	text    string
	end     bool // there is nothing behind this place, and nothing will come
}

// follower reads a transcript, with a file of its own where the answer lies in one. It is for one goroutine; close it at the end.
type follower struct {
	t    *transcript
	file *os.File
}

func (t *transcript) follow() *follower { return &follower{t: t} }

func (f *follower) close() {
	if f.file != nil {
		_ = f.file.Close() // it was only read
	}
}

// read is what comes after a place. If there is nothing yet it gives a channel that is closed when something has changed; else nil.
// A place that isn't one counts as the nearest. It errs with errAnswerLost.
func (f *follower) read(at int) (piece, <-chan struct{}, error) {
	t := f.t
	at = max(at, 0)
	t.mu.Lock()
	switch {
	case t.columns != nil && at <= t.rows:
		p, part := t.nextRows(at)
		t.mu.Unlock()
		err := f.readRows(&p, part)
		return p, nil, err
	case t.columns == nil && int64(at) < t.scroll.size:
		part := t.part(int64(at), min(int64(at)+pieceBytes, t.scroll.size))
		t.mu.Unlock()
		p, err := f.readText(at, part)
		return p, nil, err
	}
	defer t.mu.Unlock()
	if t.sealed {
		return piece{next: at, end: true}, nil, nil
	}
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return piece{next: at}, t.changed, nil
}

// part is some bytes of a scroll: those in memory, or where they are in the file.
type part struct {
	memory []byte
	path   string
	from   int64
	to     int64
	skip   int // rows at its beginning that are not asked for
	take   int // rows at most
}

// part wants the lock.
func (t *transcript) part(from, to int64) part {
	p := part{path: t.scroll.path, from: from, to: to}
	if p.path == "" {
		p.memory = t.scroll.memory[from:to]
	}
	return p
}

// bytes are those of a part. They are not the caller's to change.
func (f *follower) bytes(p part) ([]byte, error) {
	if p.path == "" {
		return p.memory, nil
	}
	if f.file == nil {
		file, err := os.Open(p.path)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errAnswerLost, err)
		}
		f.file = file
	}
	b := make([]byte, p.to-p.from)
	if _, err := f.file.ReadAt(b, p.from); err != nil {
		return nil, fmt.Errorf("%w: %w", errAnswerLost, err)
	}
	return b, nil
}

// readText makes a piece of whole characters of a part of the text. What is in the part begins with a whole character, unless its place is
// none: then the rest of that character is left out.
func (f *follower) readText(at int, of part) (piece, error) {
	b, err := f.bytes(of)
	if err != nil {
		return piece{}, err
	}
	torn := 0
	for torn < len(b) && !utf8.RuneStart(b[torn]) {
		torn++
	}
	end := len(b) - unfinished(string(b[max(torn, len(b)-utf8.UTFMax):]))
	return piece{text: string(b[torn:end]), next: at + end}, nil
}

// nextRows wants the lock, and that the place is at most that of the last row.
func (t *transcript) nextRows(at int) (piece, part) {
	var p piece
	if at == 0 {
		p.columns, at = t.columns, 1
	}
	from := at - 1
	p.next = at
	if from >= t.rows {
		return p, part{}
	}
	to := min(t.rows, from+pieceRows)
	for _, b := range t.binary { // a piece has one set of binary columns
		if b.row > from {
			to = min(to, b.row)
			break
		}
	}
	for _, b := range t.binary {
		if b.row <= from {
			p.binary = append(p.binary, b.column)
		}
	}
	slices.Sort(p.binary)
	first := sort.Search(len(t.marks), func(i int) bool { return t.marks[i].row > from }) - 1
	begin, end := t.marks[first], t.scroll.size
	for _, m := range t.marks[first+1:] {
		if m.row > from && m.at-begin.at >= pieceBytes+markEvery || m.row >= to {
			end = m.at
			break
		}
	}
	of := t.part(begin.at, end)
	of.skip, of.take = from-begin.row, to-from
	return p, of
}

// readRows fills a piece with the rows of a part, as many as a piece holds, but at least one.
func (f *follower) readRows(p *piece, of part) error {
	if of.take == 0 {
		return nil
	}
	b, err := f.bytes(of)
	if err != nil {
		return err
	}
	for range of.skip {
		b = b[bytes.IndexByte(b, '\n')+1:]
	}
	n, size := 0, 0
	for n < of.take && size < len(b) {
		length := bytes.IndexByte(b[size:], '\n') + 1
		if n > 0 && size+length > pieceBytes {
			break
		}
		n, size = n+1, size+length
	}
	p.rows, p.next = joined(b[:size]), p.next+n
	return nil
}

// rows decodes at most limit rows from one on, counted from 0, of a table.
func (f *follower) rows(from, limit int) ([][]any, error) {
	var all [][]any
	for at := max(from, 0) + 1; len(all) < limit; {
		p, changed, err := f.read(at)
		if err != nil {
			return nil, err
		}
		if p.end || changed != nil || p.rows == nil {
			break
		}
		all, at = append(all, decodeRows(p.rows)...), p.next
	}
	return all[:min(len(all), max(limit, 0))], nil
}

// text is at most limit bytes of a text, in whole characters.
func (f *follower) text(limit int) (string, error) {
	var b strings.Builder
	for at := 0; b.Len() < limit; {
		p, changed, err := f.read(at)
		if err != nil {
			return "", err
		}
		if p.end || changed != nil || p.text == "" {
			break
		}
		b.WriteString(p.text)
		at = p.next
	}
	text := b.String()
	return text[:wholeRunes(text, limit)], nil
}

// decodeRows reads back what appendRow wrote: cells are nil, bool, json.Number or string; bytes are base64.
func decodeRows(rows []byte) [][]any {
	decoded := decodeCells(rows)
	for _, row := range decoded {
		for i, cell := range row {
			if text, ok := bracketed(cell); ok {
				row[i] = text
			}
		}
	}
	return decoded
}

// bracketed is the text of a cell that stands in a binary column.
func bracketed(cell any) (text string, ok bool) {
	of, ok := cell.([]any)
	if !ok || len(of) != 1 {
		return "", false
	}
	text, ok = of[0].(string)
	return text, ok
}

// decodeCells is decodeRows with the brackets.
func decodeCells(rows []byte) [][]any {
	var decoded [][]any
	d := json.NewDecoder(strings.NewReader("[" + string(rows) + "]"))
	d.UseNumber()
	if err := d.Decode(&decoded); err != nil {
		panic(fmt.Sprintf("web: a transcript that is not JSON: %v", err)) // we wrote it ourselves
	}
	return decoded
}
