package web

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"confluence/queue/runner"
	"confluence/views/i18n"
)

var (
	errResultFull   = errors.New("the answer has reached its limit") // the sink's: the runner may stop, all is well
	errResultSealed = errors.New("the run has ended")                // the sink's: nobody takes the answer any more
	errResultMixed  = errors.New("the runner broke the rules of an answer")
)

var noRoom = i18n.Msg("answer.noRoom")

// markEvery is how many bytes of a table lie between two marks, about: so much is read in vain at most to find a row.
const markEvery = 16 << 10

// transcript is the answer of one run, recorded as it comes. Any number of followers read it, each at its own pace from wherever it likes; none
// of them can hold the runner up. It is the runner's Sink.
//
// A place in it is a number: of a text the bytes that have been told; of a table 0 before its columns, then 1 and the rows that have been told.
type transcript struct {
	limit   int64        // bytes of text, or of the table's JSON
	tooLong i18n.Message // why a longer answer was cut, in words

	mu      sync.Mutex
	scroll  scroll   // the text, or the rows as JSON, each with a line feed behind it
	trouble error    // why the scroll takes no more, for the log
	columns []string // nil: no table, or not yet
	rows    int
	marks   []mark         // where some of the rows begin, in order
	binary  []binaryColumn // in order of their rows
	half    []byte         // the first bytes of a character whose others may come with the next text
	words   int
	inWord  bool // the text doesn't end with a space
	full    bool // the limit is reached
	cut     bool // by us or by the runner, and why
	why     i18n.Message
	closed  bool          // it takes no more
	sealed  bool          // and its readers are told so
	done    chan struct{} // closed when sealed
	changed chan struct{} // closed at the next change; nil while nobody waits
}

// mark says where a row begins.
type mark struct {
	row int
	at  int64
}

// binaryColumn says that from this row on the strings of a column are base64, and its texts stand in brackets.
type binaryColumn struct{ row, column int }

// newTranscript makes one of at most limit bytes, of which those beyond a size lie in the folder; nil: all are kept in memory.
func newTranscript(limit int64, folder *resultFolder) *transcript {
	return &transcript{
		limit: limit, tooLong: i18n.Msg("answer.tooLong", "most", i18n.Bytes(limit)),
		scroll: scroll{folder: folder}, done: make(chan struct{}),
	}
}

// Columns begins a table.
func (t *transcript) Columns(columns []runner.Column) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
		return errResultSealed
	case t.columns != nil:
		return fmt.Errorf("%w: columns came twice", errResultMixed)
	case t.scroll.size > 0 || len(t.half) > 0:
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
	case t.closed:
		return errResultSealed
	case t.columns == nil:
		return fmt.Errorf("%w: rows before columns", errResultMixed)
	case t.full:
		return errResultFull
	}
	defer t.wake()
	var line []byte
	for _, row := range rows {
		if len(row) != len(t.columns) {
			return fmt.Errorf("%w: a row of %d cells under %d columns", errResultMixed, len(row), len(t.columns))
		}
		binary := len(t.binary)
		t.markBinary(row)
		var err error
		line, err = appendRow(line[:0], row, func(column int) bool { return t.isBinary(column, t.rows) })
		if err != nil {
			t.binary = t.binary[:binary]
			return err
		}
		if t.scroll.size+int64(len(line)) > t.limit {
			t.binary = t.binary[:binary]
			return t.fill(t.tooLong)
		}
		at := t.scroll.size
		if err := t.add(append(line, '\n')); err != nil {
			return err
		}
		if len(t.marks) == 0 || at-t.marks[len(t.marks)-1].at >= markEvery {
			t.marks = append(t.marks, mark{row: t.rows, at: at})
		}
		t.rows++
	}
	return nil
}

// Text adds text, cut between two characters where it would be too much. Bytes that aren't UTF-8 become U+FFFD; those of a character may
// come in two calls.
func (t *transcript) Text(text string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
		return errResultSealed
	case t.columns != nil:
		return fmt.Errorf("%w: text beside columns", errResultMixed)
	case t.full:
		return errResultFull
	}
	if len(t.half) > 0 {
		text = string(t.half) + text
	}
	whole := len(text) - unfinished(text)
	t.half = append(t.half[:0], text[whole:]...)
	return t.write(text[:whole])
}

// write wants the lock.
func (t *transcript) write(text string) error {
	defer t.wake()
	text = strings.ToValidUTF8(text, "\uFFFD")
	room := t.limit - t.scroll.size
	fits := int64(len(text)) <= room
	if !fits {
		text = text[:wholeRunes(text, int(room))]
	}
	if err := t.add([]byte(text)); err != nil {
		return err
	}
	for _, r := range text {
		space := unicode.IsSpace(r)
		if !space && !t.inWord {
			t.words++
		}
		t.inWord = !space
	}
	if !fits {
		return t.fill(t.tooLong)
	}
	return nil
}

// Truncated says that the runner itself cut the answer.
func (t *transcript) Truncated(why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.truncate(i18n.Verbatim(strings.ToValidUTF8(why, "\uFFFD")))
	}
}

// add wants the lock. What can't be kept ends the answer.
func (t *transcript) add(b []byte) error {
	if err := t.scroll.add(b); err != nil {
		t.trouble = err
		return t.fill(noRoom)
	}
	return nil
}

// fill wants the lock.
func (t *transcript) fill(why i18n.Message) error {
	t.full = true
	t.truncate(why)
	return errResultFull
}

// truncate wants the lock. The first reason stands.
func (t *transcript) truncate(why i18n.Message) {
	if !t.cut {
		t.cut, t.why = true, why
	}
}

// close takes nothing more, and doesn't tell the readers yet; twice is harmless. Its error is why something could not be kept.
func (t *transcript) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	if len(t.half) > 0 && !t.full {
		_ = t.write(string(t.half)) // it is told in the answer if it didn't fit
	}
	t.closed = true
	t.wake()
	return errors.Join(t.trouble, t.scroll.close())
}

// seal closes it, if that wasn't done, and tells the readers that nothing more comes; twice is harmless. Its error is close's.
func (t *transcript) seal() error {
	err := t.close()
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.sealed {
		t.sealed = true
		close(t.done)
		t.wake()
	}
	return err
}

// discard drops what lies in a file, once the transcript is sealed and nobody will ask for it any more.
func (t *transcript) discard() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.scroll.remove()
}

// wake wants the lock.
func (t *transcript) wake() {
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}

// markBinary wants the lock.
func (t *transcript) markBinary(row []any) {
	for i, cell := range row {
		if _, ok := cell.([]byte); ok && !t.isBinary(i, t.rows) {
			t.binary = append(t.binary, binaryColumn{row: t.rows, column: i})
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

// binaryColumns are the columns with base64 in them, each with the row from which on it has.
func (t *transcript) binaryColumns() []binaryColumn {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.binary)
}

// describe tells a state what there is of the answer.
func (t *transcript) describe(st *runState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	st.Columns, st.RowCount, st.Words = t.columns, t.rows, t.words
	st.Truncated, st.TruncatedWhy = t.cut, t.why
	if t.columns == nil {
		st.TextBytes = t.scroll.size
	}
}

// empty: nothing has come.
func (t *transcript) empty() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.columns == nil && t.scroll.size == 0
}

// size is what the transcript holds in memory and on disk, in bytes, about.
func (t *transcript) size() (memory, disk int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	memory = int64(cap(t.scroll.memory) + 16*cap(t.marks))
	if t.scroll.path != "" {
		disk = t.scroll.size
	}
	return memory, disk
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

// unfinished is how many bytes at the end of s may be the beginning of a character.
func unfinished(s string) int {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if c := s[len(s)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRuneInString(s[len(s)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// joined is rows as JSON with a comma between, of lines; no line feed is in a row, as JSON escapes it.
func joined(lines []byte) []byte {
	return bytes.ReplaceAll(bytes.TrimSuffix(lines, []byte("\n")), []byte("\n"), []byte(","))
}
