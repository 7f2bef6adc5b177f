package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"
)

// askWidthRows is how many rows of a table are looked at for the widths of its columns. Those behind are printed as they come.
const askWidthRows = 200

// askOutput prints an answer as it comes.
type askOutput struct {
	out      *bufio.Writer
	terminal bool
	begun    bool // something has come

	newline bool       // the text ends with one
	text    bool       // it is a text
	columns []string   // of a table
	numbers []bool     // columns of numbers, as far as is known: they stand at the right
	waiting [][]string // rows that wait for the widths
	widths  []int      // nil until they are known
}

func newAskOutput(out io.Writer, terminal bool) *askOutput {
	return &askOutput{out: bufio.NewWriter(out), terminal: terminal}
}

// event prints an event of the output.
func (o *askOutput) event(ev askEvent) error {
	var piece struct {
		Text    string   `json:"text"`
		Columns []string `json:"columns"`
		Rows    [][]any  `json:"rows"`
	}
	decoder := json.NewDecoder(strings.NewReader(ev.data))
	decoder.UseNumber() // a number is printed as it was sent
	if err := decoder.Decode(&piece); err != nil {
		return err
	}
	o.begun = true
	if piece.Text != "" {
		o.text, o.newline = true, strings.HasSuffix(piece.Text, "\n")
		_, _ = o.out.WriteString(piece.Text) // Flush tells
	}
	if piece.Columns != nil {
		o.columns, o.numbers = piece.Columns, make([]bool, len(piece.Columns))
		for i := range o.numbers {
			o.numbers[i] = true
		}
		if !o.terminal {
			o.csv(piece.Columns)
		}
	}
	for _, row := range piece.Rows {
		o.row(row)
	}
	return o.out.Flush()
}

func (o *askOutput) row(row []any) {
	cells := make([]string, len(row))
	for i, cell := range row {
		number := false
		switch cell := cell.(type) {
		case string:
			cells[i] = cell
		case json.Number:
			cells[i], number = cell.String(), true
		case bool:
			cells[i] = map[bool]string{true: "true", false: "false"}[cell]
		}
		if o.terminal {
			cells[i] = askPlain(cells[i])
			if i < len(o.numbers) && o.widths == nil && !number && cell != nil {
				o.numbers[i] = false
			}
		}
	}
	switch {
	case !o.terminal:
		o.csv(cells)
	case o.widths == nil:
		if o.waiting = append(o.waiting, cells); len(o.waiting) >= askWidthRows {
			o.align()
		}
	default:
		o.aligned(cells)
	}
}

// csv writes a line of CSV. A lone empty cell is quoted: readers skip empty lines.
func (o *askOutput) csv(cells []string) {
	if len(cells) == 1 && cells[0] == "" {
		_, _ = o.out.WriteString("\"\"\n")
		return
	}
	w := csv.NewWriter(o.out)
	_ = w.Write(cells) // Flush of the output tells
	w.Flush()
}

// align finds the widths and prints what has waited for them.
func (o *askOutput) align() {
	o.widths = make([]int, len(o.columns))
	head := make([]string, len(o.columns))
	rule := make([]string, len(o.columns))
	for i, name := range o.columns {
		head[i] = askPlain(name)
	}
	for _, cells := range append([][]string{head}, o.waiting...) {
		for i := range min(len(cells), len(o.widths)) {
			o.widths[i] = max(o.widths[i], utf8.RuneCountInString(cells[i]))
		}
	}
	for i, width := range o.widths {
		rule[i] = strings.Repeat("-", width)
	}
	o.aligned(head)
	o.aligned(rule)
	for _, cells := range o.waiting {
		o.aligned(cells)
	}
	o.waiting = nil
}

func (o *askOutput) aligned(cells []string) {
	var line strings.Builder
	for i, cell := range cells {
		if i > 0 {
			line.WriteString("  ")
		}
		room := ""
		if i < len(o.widths) {
			room = strings.Repeat(" ", max(0, o.widths[i]-utf8.RuneCountInString(cell)))
		}
		if i < len(o.numbers) && o.numbers[i] {
			line.WriteString(room + cell)
		} else {
			line.WriteString(cell + room)
		}
	}
	_, _ = o.out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

// finish prints what has waited. A text without a last newline gets one on a terminal.
func (o *askOutput) finish() error {
	if o.terminal && o.columns != nil && o.widths == nil {
		o.align()
	}
	if o.terminal && o.text && !o.newline {
		_ = o.out.WriteByte('\n')
	}
	return o.out.Flush()
}
