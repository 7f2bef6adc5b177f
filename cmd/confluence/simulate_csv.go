package main

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"confluence/queue/simulation"
)

// arrivalFile reads arrivals from a CSV, one row after the other. It is an arrivalSource.
type arrivalFile struct {
	in      io.ReadCloser
	name    string // as errors call it
	bytes   int64  // of the file; below 0: nobody knows
	read    int64
	rows    *csv.Reader
	horizon horizon
}

// The columns. The header decides in which order they are; others are ignored.
const (
	arrivalColumn  = "arrival_seconds"
	durationColumn = "duration_seconds"
	patienceColumn = "patience_seconds" // may be missing, or empty: nobody gives up
)

// openArrivals opens a file, or in for -.
func openArrivals(name string, in io.Reader, bounds horizon) (*arrivalFile, error) {
	if name == "-" {
		return &arrivalFile{in: io.NopCloser(in), name: "standard input", bytes: -1, horizon: bounds}, nil
	}
	opened, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	file := &arrivalFile{in: opened, name: name, bytes: -1, horizon: bounds}
	if info, err := opened.Stat(); err == nil && info.Mode().IsRegular() {
		file.bytes = info.Size()
	}
	return file, nil
}

func (f *arrivalFile) size() int64  { return f.bytes }
func (f *arrivalFile) done() int64  { return f.read }
func (f *arrivalFile) Close() error { return f.in.Close() }

// Read counts what is read.
func (f *arrivalFile) Read(p []byte) (int, error) {
	n, err := f.in.Read(p)
	f.read += int64(n)
	return n, err
}

func (f *arrivalFile) arrivals(yield func(simulation.Arrival, error) bool) {
	columns, err := f.header()
	if err != nil {
		yield(simulation.Arrival{}, err)
		return
	}
	var last simulation.Arrival
	for n := 0; ; n++ {
		row, err := f.rows.Read()
		if errors.Is(err, io.EOF) {
			if n == 0 {
				yield(simulation.Arrival{}, f.wrong(columns.line+1, errors.New("nobody arrives: there must be a row for each arrival below the header")))
			}
			return
		}
		if err != nil {
			yield(simulation.Arrival{}, f.unread(err, row, columns.all))
			return
		}
		a, err := columns.arrival(row)
		switch {
		case err != nil:
		case a.At < last.At:
			err = fmt.Errorf("%s is %v, after %v in the row above: they must not fall", arrivalColumn, a.At.Seconds(), last.At.Seconds())
		default:
			err = f.horizon.admit(a)
		}
		if err != nil {
			line, _ := f.rows.FieldPos(0)
			yield(simulation.Arrival{}, f.wrong(line, err))
			return
		}
		if !yield(a, nil) {
			return
		}
		last = a
	}
}

// header reads the first row.
func (f *arrivalFile) header() (arrivalColumns, error) {
	const byteOrderMark = "\uFEFF"
	text := bufio.NewReaderSize(f, 1<<16)
	if mark, _ := text.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		text.Discard(len(byteOrderMark))
	}
	f.rows = csv.NewReader(text)
	f.rows.ReuseRecord = true
	names, err := f.rows.Read()
	if errors.Is(err, io.EOF) {
		return arrivalColumns{}, f.wrong(1, fmt.Errorf("it is empty: the first row must name the columns %s and %s", arrivalColumn, durationColumn))
	}
	if err != nil {
		return arrivalColumns{}, f.unread(err, nil, 0)
	}
	columns, err := columnsOf(names)
	columns.line, _ = f.rows.FieldPos(0)
	if err != nil {
		return columns, f.wrong(columns.line, err)
	}
	return columns, nil
}

func (f *arrivalFile) wrong(line int, err error) error {
	return fmt.Errorf("%s: line %d: %w", f.name, line, err)
}

// unread is why a row can't be read; columns is how many the header has.
func (f *arrivalFile) unread(err error, row []string, columns int) error {
	wrong, ok := errors.AsType[*csv.ParseError](err)
	switch {
	case !ok:
		return fmt.Errorf("%s: %w", f.name, err)
	case errors.Is(err, csv.ErrFieldCount):
		return f.wrong(wrong.Line, fmt.Errorf("it has %d columns, and the header %d", len(row), columns))
	}
	return f.wrong(wrong.Line, wrong.Err)
}

// arrivalColumns tell where in a row what is; a missing patience is below 0.
type arrivalColumns struct {
	at, duration, patience int
	all                    int // how many there are
	line                   int // of the header
}

func columnsOf(header []string) (arrivalColumns, error) {
	where := map[string]int{arrivalColumn: -1, durationColumn: -1, patienceColumn: -1}
	for i, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
		before, known := where[name]
		if known && before >= 0 {
			return arrivalColumns{}, fmt.Errorf("the column %s is there twice", name)
		}
		if known {
			where[name] = i
		}
	}
	for _, name := range []string{arrivalColumn, durationColumn} {
		if where[name] < 0 {
			return arrivalColumns{}, fmt.Errorf("the column %s is missing: the first row must name %s and %s, and may name %s", name, arrivalColumn, durationColumn, patienceColumn)
		}
	}
	return arrivalColumns{at: where[arrivalColumn], duration: where[durationColumn], patience: where[patienceColumn], all: len(header)}, nil
}

// arrival reads a row.
func (c arrivalColumns) arrival(row []string) (a simulation.Arrival, err error) {
	if a.At, err = secondsIn(row[c.at]); err != nil {
		return a, fmt.Errorf("%s %w", arrivalColumn, err)
	}
	if a.Run, err = secondsIn(row[c.duration]); err != nil {
		return a, fmt.Errorf("%s %w", durationColumn, err)
	}
	if c.patience >= 0 && strings.TrimSpace(row[c.patience]) != "" {
		if a.Patience, err = secondsIn(row[c.patience]); err != nil {
			return a, fmt.Errorf("%s %w", patienceColumn, err)
		}
		a.Patience = max(a.Patience, 1) // who has none gives up at once, and 0 is who never does
	}
	return a, nil
}

// secondsIn reads a length of time.
func secondsIn(text string) (time.Duration, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(n >= 0 && n <= hundredYears.Seconds()) {
		return 0, fmt.Errorf("is %q: it must be a number of seconds, from 0 to a hundred years", text)
	}
	return time.Duration(math.Round(n * float64(time.Second))), nil
}
