package postgres

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"confluence/queue/runner"
)

const (
	fetchMost = 200                   // rows that are fetched at once
	fetchSlow = 20 * time.Millisecond // a fetch that takes longer is followed by a smaller one
	batchMost = 256 << 10             // bytes that go to the sink at once, a large row aside
)

// sinkError is an error of the sink, which is passed on as it is.
type sinkError struct{ error }

func (e *sinkError) Unwrap() error { return e.error }

// answer passes the rows of the declared cursor to a sink.
type answer struct {
	session *session
	options Options
	out     runner.Sink

	types []uint32
	rows  int   // that were taken
	bytes int64 // that they count
	batch [][]any
	size  int64 // of batch
	cut   bool
}

// pass fetches until the end, a cap or an error. After an error or a cut the server may still be at work.
func (a *answer) pass(ctx context.Context) error {
	// No row, but their columns, before the first row may take its time to be found.
	if _, err := a.fetch(0); err != nil {
		return err
	}
	for n := 1; ; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n = min(n, a.options.MaxRows+1-a.rows) // one more, to know that there is more
		start := time.Now()
		got, err := a.fetch(n)
		if err != nil || a.cut || got < n {
			return err
		}
		if took := time.Since(start); took > fetchSlow {
			n = max(1, n/8)
		} else if took < fetchSlow/2 {
			n = min(n*2, fetchMost)
		}
	}
}

// fetch fetches n rows at most and gives them to the sink.
func (a *answer) fetch(n int) (got int, err error) {
	result := a.session.conn.ExecParams(context.Background(), "FETCH FORWARD "+strconv.Itoa(n)+" FROM confluence", nil, nil, nil, nil)
	for err == nil && !a.cut && result.NextRow() {
		got++
		err = a.take(result.Values())
	}
	if err == nil && !a.cut && a.types == nil {
		err = a.columns(result.FieldDescriptions())
	}
	if e := a.flush(); err == nil {
		err = e
	}
	if err != nil || a.cut {
		a.session.abandon() // so that the rest of the rows comes to an end
	}
	if _, e := result.Close(); err == nil && !a.cut {
		err = e
	}
	return got, err
}

func (a *answer) columns(fields []pgconn.FieldDescription) error {
	if fields == nil {
		return nil // the fetch failed
	}
	columns := make([]runner.Column, len(fields))
	a.types = make([]uint32, len(fields))
	for i, field := range fields {
		columns[i].Name = text([]byte(field.Name))
		a.types[i] = field.DataTypeOID
	}
	if err := a.out.Columns(columns); err != nil {
		return &sinkError{err}
	}
	return nil
}

// take takes a row, or notes that it is beyond a cap.
func (a *answer) take(values [][]byte) error {
	if a.rows == a.options.MaxRows {
		a.cut = true
		return a.truncate(runner.CutAtRows(a.rows, a.options.MaxRows))
	}
	row := make([]any, len(values))
	size := int64(0)
	for i, value := range values {
		var err error
		if row[i], err = cell(value, a.types[i]); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
		size += cellBytes(row[i], value)
	}
	if a.bytes+size > a.options.MaxBytes {
		a.cut = true
		return a.truncate(runner.CutAtBytes(a.rows, a.options.MaxBytes))
	}
	a.rows++
	a.bytes += size
	a.batch = append(a.batch, row)
	if a.size += size; a.size >= batchMost {
		return a.flush()
	}
	return nil
}

// truncate says why the answer is cut, after the rows before the cut.
func (a *answer) truncate(why string) error {
	if err := a.flush(); err != nil {
		return err
	}
	a.out.Truncated(why)
	return nil
}

func (a *answer) flush() error {
	if len(a.batch) == 0 {
		return nil
	}
	batch := a.batch
	a.batch, a.size = nil, 0
	if err := a.out.Rows(batch); err != nil {
		return &sinkError{err}
	}
	return nil
}
