package sql

import (
	"fmt"

	"confluence/queue/runner"
)

// batchRows is how many rows go to the sink at once at most. Fewer go when no further one is there yet.
const batchRows = 500

// sinkError is an error of the sink, which is passed on as it is.
type sinkError struct{ error }

func (e *sinkError) Unwrap() error { return e.error }

// pass passes the child's answer to the sink until the last line, which it returns. A child's fault is not an error here.
func pass(p *process, options Options, out runner.Sink) (last reply, err error) {
	var batch [][]any
	columns, rows := -1, 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		defer func() { batch = nil }()
		if err := out.Rows(batch); err != nil {
			return &sinkError{err}
		}
		return nil
	}
	for {
		// What has come goes on before the wait for more.
		if len(batch) >= batchRows || !p.lines.ready() {
			if err := flush(); err != nil {
				return reply{}, err
			}
		}
		row, r, err := p.next(columns)
		switch {
		case err != nil:
			_ = flush() // an answer that breaks off is still shown as far as it came
			return reply{}, err
		case r.Columns != nil && columns >= 0:
			return reply{}, fmt.Errorf("%w: columns for a second time", ErrProtocol)
		case row != nil:
			batch = append(batch, row)
			rows++
		case r.Columns != nil:
			columns = len(*r.Columns)
			if err := out.Columns(namesOf(*r.Columns)); err != nil {
				return reply{}, &sinkError{err}
			}
		case r.End == nil && r.Error == nil, r.End != nil && columns < 0:
			return reply{}, fmt.Errorf("%w: a line out of place", ErrProtocol)
		default:
			if err := flush(); err != nil {
				return reply{}, err
			}
			if r.End != nil && r.End.Truncated != "" {
				out.Truncated(truncation(r.End.Truncated, rows, options))
			}
			return r, nil
		}
	}
}

func namesOf(names []string) []runner.Column {
	columns := make([]runner.Column, len(names))
	for i, name := range names {
		columns[i].Name = name
	}
	return columns
}
