package web

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"confluence/queue"
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
}

// runDocument is a run as GET /api/v1/runs/{id} answers it.
type runDocument struct {
	result
	Outcome *queue.Outcome `json:"outcome"` // null while it goes
	State   string         `json:"state"`   // running, ended
	Number  int64          `json:"number"`
	Query   string         `json:"query"`
	Started time.Time      `json:"started_at"`
	Ended   *time.Time     `json:"ended_at"`
}

func resultOf(st runState) result {
	r := result{
		RunID: st.ID, Outcome: st.Outcome, Duration: st.Elapsed.Round(time.Millisecond).Seconds(),
		Truncated: st.Truncated, TruncatedWhy: st.TruncatedWhy, Code: st.Code, Detail: st.Detail,
	}
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
	return s.sendOutput(c, x, resultOf(st), st)
}

// runProblem is the problem that a run ended in.
func runProblem(st runState) problem {
	p := problemOf(st.Code)
	p.Detail, p.RunID = st.Detail, st.ID
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

// sendOutput answers with a document about the run, and the output of an ended run in it.
func (s *Server) sendOutput(c echo.Context, x *run, document any, st runState) error {
	head, err := json.Marshal(document)
	if err != nil {
		return err
	}
	head = head[:len(head)-1]
	parts := [][]byte{head, []byte("}\n")}
	switch {
	case st.Going:
	case st.Columns != nil:
		rows, binary := x.answer.rowsJSON()
		head = appendColumns(append(head, ','), st.Columns)
		if len(binary) > 0 {
			head = appendBinary(append(head, ','), binary)
		}
		parts = [][]byte{append(head, `,"rows":[`...), rows, []byte("]}\n")}
	default:
		text := appendString(append(head, `,"text":`...), st.Text)
		parts = [][]byte{text, []byte("}\n")}
	}
	c.Response().Header().Set(echo.HeaderContentType, typeJSON)
	c.Response().WriteHeader(http.StatusOK)
	out := s.newStream(c)
	defer out.end()
	for _, part := range parts {
		if err := out.write(part); err != nil {
			return nil // the client has gone
		}
	}
	return nil
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
