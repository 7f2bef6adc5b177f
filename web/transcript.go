package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"confluence/queue/runner"
)

// How much a follower is given at a time.
const (
	pieceRows  = 500
	pieceBytes = 64 << 10
)

var (
	errResultFull   = errors.New("the answer has reached its limit") // the sink's: the runner may stop, all is well
	errResultSealed = errors.New("the run has ended")                // the sink's: nobody takes the answer any more
	errResultMixed  = errors.New("the runner broke the rules of an answer")
)

// transcript is the answer of one run, recorded as it comes. Any number of readers follow it, each at its own pace from wherever it likes; none
// of them can hold the runner up. It is the runner's Sink.
//
// A place in it is a number: of a text the bytes that have been told; of a table 0 before its columns, then 1 and the rows that have been told.
type transcript struct {
	limit   int64  // bytes of text, or of the table's JSON
	tooLong string // why a longer answer was cut, in words

	mu      sync.Mutex
	text    strings.Builder // grows only, so what has been handed out stays as it is
	columns []string        // nil: no table, or not yet
	table   []byte          // the rows' JSON, with a comma between; grows only
	ends    []int           // where each row ends in table
	binary  []binaryColumn  // in order of their rows
	full    bool            // the limit is reached
	cut     bool            // by us or by the runner, and why
	why     string
	sealed  bool
	done    chan struct{} // closed when sealed
	changed chan struct{} // closed at the next change; nil while nobody waits
}

// binaryColumn says that from this row on the strings of a column are base64.
type binaryColumn struct{ row, column int }

// piece is a part of an answer, from one place to the next.
type piece struct {
	next    int      // the place behind it
	columns []string // of a table, once
	rows    []byte   // rows as JSON, with a comma between
	binary  []int    // columns whose strings are base64 in these rows
	text    string
	end     bool // there is nothing behind this place, and nothing will come
}

func newTranscript(limit int64) *transcript {
	return &transcript{limit: limit, done: make(chan struct{}), tooLong: "The answer is longer than the limit of " + sizeWords(limit) + "."}
}

// sizeWords is a number of bytes for a reader.
func sizeWords(n int64) string {
	switch {
	case n >= 1<<20:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/(1<<20)), ".0") + " MiB"
	case n >= 1<<10:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/(1<<10)), ".0") + " KiB"
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}

// Columns begins a table.
func (t *transcript) Columns(columns []runner.Column) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.sealed:
		return errResultSealed
	case t.columns != nil:
		return fmt.Errorf("%w: columns came twice", errResultMixed)
	case t.text.Len() > 0:
		return fmt.Errorf("%w: columns beside text", errResultMixed)
	}
	t.columns = make([]string, len(columns))
	for i, column := range columns {
		t.columns[i] = strings.ToValidUTF8(column.Name, "\uFFFD")
	}
	t.wake()
	return nil
}

// Rows adds rows, whole ones only: the one that would be too much is left out with all that follow.
func (t *transcript) Rows(rows [][]any) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.sealed:
		return errResultSealed
	case t.columns == nil:
		return fmt.Errorf("%w: rows before columns", errResultMixed)
	case t.full:
		return errResultFull
	}
	defer t.wake()
	for _, row := range rows {
		if len(row) != len(t.columns) {
			return fmt.Errorf("%w: a row of %d cells under %d columns", errResultMixed, len(row), len(t.columns))
		}
		t.markBinary(row)
		before := len(t.table)
		if len(t.ends) > 0 {
			t.table = append(t.table, ',')
		}
		table, err := appendRow(t.table, row, func(column int) bool { return t.isBinary(column, len(t.ends)) })
		if err != nil {
			t.table = t.table[:before]
			return err
		}
		if t.table = table; int64(len(t.table)) > t.limit {
			t.table = t.table[:before]
			return t.fill()
		}
		t.ends = append(t.ends, len(t.table))
	}
	return nil
}

// Text adds text, cut between two characters where it would be too much.
func (t *transcript) Text(text string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.sealed:
		return errResultSealed
	case t.columns != nil:
		return fmt.Errorf("%w: text beside columns", errResultMixed)
	case t.full:
		return errResultFull
	}
	defer t.wake()
	text = strings.ToValidUTF8(text, "\uFFFD")
	if room := int(t.limit) - t.text.Len(); len(text) > room {
		t.text.WriteString(text[:wholeRunes(text, room)])
		return t.fill()
	}
	t.text.WriteString(text)
	return nil
}

// Truncated says that the runner itself cut the answer.
func (t *transcript) Truncated(why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.sealed {
		t.truncate(why)
	}
}

// fill wants the lock.
func (t *transcript) fill() error {
	t.full = true
	t.truncate(t.tooLong)
	return errResultFull
}

// truncate wants the lock. The first reason stands.
func (t *transcript) truncate(why string) {
	if !t.cut {
		t.cut, t.why = true, why
	}
}

// seal says that nothing more comes; twice is harmless.
func (t *transcript) seal() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sealed {
		return
	}
	t.sealed = true
	close(t.done)
	t.table, t.ends = slices.Clone(t.table), slices.Clone(t.ends) // growing left them room
	t.wake()
}

// wake wants the lock.
func (t *transcript) wake() {
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}

// read is what comes after a place. If there is nothing yet it gives a channel that is closed when something has changed; else nil.
// A place that isn't one counts as the nearest.
func (t *transcript) read(at int) (piece, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at = max(at, 0)
	if t.columns != nil {
		if p, more := t.readTable(at); more {
			return p, nil
		}
	} else if at < t.text.Len() {
		text := t.text.String()[at:]
		text = text[:wholeRunes(text, pieceBytes)]
		return piece{text: text, next: at + len(text)}, nil
	}
	if t.sealed {
		return piece{next: at, end: true}, nil
	}
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return piece{next: at}, t.changed
}

// readTable wants the lock.
func (t *transcript) readTable(at int) (p piece, more bool) {
	if at == 0 {
		p.columns, at = t.columns, 1
		more = true
	}
	from := at - 1
	to := min(len(t.ends), from+pieceRows)
	if from >= to {
		p.next = at
		return p, more
	}
	begin := t.begin(from)
	for to > from+1 && t.ends[to-1]-begin > pieceBytes {
		to = from + (to-from)/2
	}
	for _, b := range t.binary { // a piece has one set of binary columns
		if b.row > from && b.row < to {
			to = b.row
			break
		}
	}
	for _, b := range t.binary {
		if b.row <= from {
			p.binary = append(p.binary, b.column)
		}
	}
	slices.Sort(p.binary)
	p.rows, p.next = t.table[begin:t.ends[to-1]], to+1
	return p, true
}

// begin is where a row begins in table. It wants the lock.
func (t *transcript) begin(row int) int {
	if row == 0 {
		return 0
	}
	return t.ends[row-1] + 1
}

// markBinary wants the lock.
func (t *transcript) markBinary(row []any) {
	for i, cell := range row {
		if _, ok := cell.([]byte); ok && !t.isBinary(i, len(t.ends)) {
			t.binary = append(t.binary, binaryColumn{row: len(t.ends), column: i})
		}
	}
}

// isBinary wants the lock.
func (t *transcript) isBinary(column, row int) bool {
	for _, b := range t.binary {
		if b.column == column {
			return row >= b.row
		}
	}
	return false
}

// rows decodes at most limit rows from one on, counted from 0.
func (t *transcript) rows(from, limit int) [][]any {
	t.mu.Lock()
	from = max(from, 0)
	to := min(len(t.ends), from+max(limit, 0))
	if from >= to {
		t.mu.Unlock()
		return nil
	}
	rows := t.table[t.begin(from):t.ends[to-1]]
	t.mu.Unlock()
	return decodeRows(rows)
}

// rowsJSON is all rows, with a comma between, and the columns whose strings are base64 in every one of them. A column that turned out to be binary
// in the middle of a table has its earlier strings encoded too.
func (t *transcript) rowsJSON() ([]byte, []int) {
	t.mu.Lock()
	table, binary := t.table, slices.Clone(t.binary)
	late := 0
	if len(binary) > 0 {
		late = binary[len(binary)-1].row
	}
	split := t.begin(late)
	t.mu.Unlock()

	var columns []int
	for _, b := range binary {
		columns = append(columns, b.column)
	}
	slices.Sort(columns)
	if late == 0 {
		return table, columns
	}
	out := make([]byte, 0, len(table)+len(table)/8)
	for i, row := range decodeRows(table[:split-1]) {
		for _, b := range binary {
			if text, ok := row[b.column].(string); ok && i < b.row {
				row[b.column] = []byte(text)
			}
		}
		out, _ = appendRow(out, row, func(int) bool { return false })
		out = append(out, ',')
	}
	return append(out, table[split:]...), columns
}

// describe tells a state what there is of the answer.
func (t *transcript) describe(st *runState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	st.Columns, st.RowCount, st.Text = t.columns, len(t.ends), t.text.String()
	st.Truncated, st.TruncatedWhy = t.cut, t.why
	for _, b := range t.binary {
		st.Binary = append(st.Binary, b.column)
	}
	slices.Sort(st.Binary)
}

// size is what the transcript holds in memory, in bytes, about.
func (t *transcript) size() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return int64(t.text.Cap() + cap(t.table) + 8*cap(t.ends))
}

// decodeRows reads back what appendRow wrote: cells are nil, bool, json.Number or string.
func decodeRows(rows []byte) [][]any {
	var decoded [][]any
	d := json.NewDecoder(strings.NewReader("[" + string(rows) + "]"))
	d.UseNumber()
	if err := d.Decode(&decoded); err != nil {
		panic(fmt.Sprintf("web: a transcript that is not JSON: %v", err)) // we wrote it ourselves
	}
	return decoded
}

// wholeRunes is the longest prefix of s of at most limit bytes that doesn't cut a character, but at least one character if limit is above 0.
func wholeRunes(s string, limit int) int {
	if len(s) <= limit {
		return len(s)
	}
	n := max(limit, 0)
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return n
}
