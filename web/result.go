package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"confluence/queue"
	"confluence/views/i18n"
)

// result is what is said of a run beside its output.
type result struct {
	RunID        string        `json:"run_id"`
	Outcome      queue.Outcome `json:"outcome"`
	Duration     float64       `json:"duration_seconds"`
	Truncated    bool          `json:"truncated"`
	TruncatedWhy string        `json:"truncated_reason,omitempty"`
	RowCount     *int          `json:"row_count,omitempty"` // of a table
	Code         string        `json:"code,omitempty"`      // of a run that didn't succeed
	Detail       string        `json:"detail,omitempty"`
	RetryAfter   int           `json:"retry_after_seconds,omitempty"` // of a runner that said so
}

// runDocument is a run as GET /api/v1/runs/{id} answers it.
type runDocument struct {
	result
	Outcome *queue.Outcome `json:"outcome"` // null until it is known
	State   string         `json:"state"`   // running, stopping, ended
	Number  int64          `json:"number"`
	Query   string         `json:"query"`
	Started time.Time      `json:"started_at"`
	Ended   *time.Time     `json:"ended_at"`
}

func resultOf(st runState, l *i18n.Language) result {
	r := result{
		RunID: st.ID, Outcome: st.Outcome, Duration: st.Elapsed.Round(time.Millisecond).Seconds(),
		Truncated: st.Truncated, TruncatedWhy: l.Tell(st.TruncatedWhy), Code: st.Code, Detail: l.Tell(st.Detail),
	}
	r.RetryAfter = wholeSeconds(st.RetryAfter)
	if st.Columns != nil {
		r.RowCount = &st.RowCount
	}
	return r
}

// sendResult waits for the run's end and answers with its result, or with the problem that it ended in.
func (s *Server) sendResult(c echo.Context, x *run) error {
	if !x.wait(c.Request().Context()) {
		return nil // nobody is there to be answered
	}
	st := x.state()
	if st.Outcome != queue.Succeeded {
		return s.sendProblem(c, runProblem(st), nil)
	}
	return s.sendOutput(c, x, resultOf(st, s.language(c)), st)
}

// runProblem is the problem that a run ended in.
func runProblem(st runState) problem {
	p := problemOf(st.Code)
	p.Detail, p.RunID = st.Detail, st.ID
	if st.RetryAfter > 0 {
		p.RetryAfter = wholeSeconds(st.RetryAfter)
	}
	return p
}

// wait returns when the run has ended, or false when ctx has.
func (x *run) wait(ctx context.Context) bool {
	select {
	case <-x.answer.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// sendOutput answers with a document about the run, and the output of an ended run in it, read piece by piece.
func (s *Server) sendOutput(c echo.Context, x *run, document any, st runState) error {
	head, err := json.Marshal(document)
	if err != nil {
		return err
	}
	answer := x.answer.follow()
	defer answer.close()
	var first piece // read before the answer begins: after that nothing can be said any more
	if !st.Going {
		if first, _, err = answer.read(0); err != nil {
			s.logUnreadable(c, x, err)
			return errNotFound
		}
	}
	c.Response().Header().Set(echo.HeaderContentType, typeJSON)
	c.Response().WriteHeader(http.StatusOK)
	out := s.newStream(c)
	defer out.end()
	head = head[:len(head)-1]
	switch {
	case st.Going:
		err = out.write(append(head, "}\n"...))
	case st.Columns != nil:
		err = writeTable(out, answer, head, st.Columns)
	default:
		err = writeText(out, answer, head, first)
	}
	if errors.Is(err, errAnswerLost) { // else the client has gone, and nobody is to be told
		s.logUnreadable(c, x, err)
		return cutOff(c)
	}
	return nil
}

// writeText ends a JSON object with the field text.
func writeText(out *stream, answer *follower, b []byte, p piece) error {
	b = append(b, `,"text":"`...)
	for p.text != "" {
		if err := out.write(appendEscaped(b, p.text)); err != nil {
			return err
		}
		var err error
		if p, _, err = answer.read(p.next); err != nil {
			return err
		}
		b = b[:0]
	}
	return out.write(append(b, "\"}\n"...))
}

// writeTable ends a JSON object with the fields columns and rows, and base64_columns where there are any. A column that turned out to be
// binary in the middle of the table has its earlier strings encoded too.
func writeTable(out *stream, answer *follower, b []byte, columns []string) error {
	b = appendColumns(append(b, ','), columns)
	binary := answer.t.binaryColumns()
	if len(binary) > 0 {
		b = appendBinary(append(b, ','), columnsOf(binary))
	}
	b = append(b, `,"rows":[`...)
	for at := 1; ; {
		p, changed, err := answer.read(at)
		switch {
		case err != nil:
			return err
		case p.end, changed != nil:
			return out.write(append(b, "]}\n"...))
		}
		if at > 1 {
			b = append(b, ',')
		}
		if len(binary) == 0 {
			b = append(b, p.rows...)
		} else {
			b = appendInBase64(b, p.rows, binary, at-1)
		}
		if err := out.write(b); err != nil {
			return err
		}
		b, at = b[:0], p.next
	}
}

// appendInBase64 appends rows, of which the first is number from, with the texts of binary columns as base64: those in brackets, and those that
// came before the column was known to be one of the given ones.
func appendInBase64(b, rows []byte, binary []binaryColumn, from int) []byte {
	for i, row := range decodeCells(rows) {
		if i > 0 {
			b = append(b, ',')
		}
		for column, cell := range row {
			if text, ok := bracketed(cell); ok {
				row[column] = []byte(text)
			}
		}
		for _, column := range binary {
			if text, ok := row[column.column].(string); ok && from+i < column.row {
				row[column.column] = []byte(text)
			}
		}
		b, _ = appendRow(b, row, func(int) bool { return false }) // it was a row before
	}
	return b
}

func columnsOf(binary []binaryColumn) []int {
	var columns []int
	for _, b := range binary {
		columns = append(columns, b.column)
	}
	slices.Sort(columns)
	return columns
}

func appendColumns(b []byte, columns []string) []byte {
	b = append(b, `"columns":[`...)
	for i, column := range columns {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, column)
	}
	return append(b, ']')
}

func appendBinary(b []byte, columns []int) []byte {
	numbers := make([]int64, len(columns))
	for i, column := range columns {
		numbers[i] = int64(column)
	}
	return appendNumbers(append(b, `"base64_columns":`...), numbers)
}
