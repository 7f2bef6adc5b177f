package runnertest

import (
	"fmt"
	"sync"
	"unicode/utf8"

	"confluence/queue/runner"
)

// Recorder is a runner.Sink that keeps what it is given and notes each breach of the contract. The zero value is ready.
type Recorder struct {
	// Refuse makes each call err, if not nil.
	Refuse error
	// OnOutput is called at each Columns, Rows and Text, if not nil.
	OnOutput func()

	mu        sync.Mutex
	columns   []runner.Column
	tabular   bool // Columns was called
	rows      [][]any
	batches   int
	text      string
	truncated []string
	breaches  []string
	refused   bool
}

// Columns keeps the columns.
func (r *Recorder) Columns(columns []runner.Column) error {
	return r.output(func() {
		if r.tabular {
			r.breach("Columns came twice")
		}
		if r.text != "" {
			r.breach("Columns beside Text")
		}
		r.tabular = true
		r.columns = append(r.columns, columns...)
		for _, column := range columns {
			if !utf8.ValidString(column.Name) {
				r.breach("the column %q is not valid UTF-8", column.Name)
			}
		}
	})
}

// Rows keeps the rows.
func (r *Recorder) Rows(rows [][]any) error {
	return r.output(func() {
		if !r.tabular {
			r.breach("Rows before Columns")
		}
		r.batches++
		for _, row := range rows {
			if len(row) != len(r.columns) {
				r.breach("a row of %d for %d columns", len(row), len(r.columns))
			}
			r.rows = append(r.rows, append([]any(nil), row...))
			for _, cell := range row {
				r.inspect(cell)
			}
		}
	})
}

func (r *Recorder) inspect(cell any) {
	switch v := cell.(type) {
	case nil, bool, int64, float64, []byte:
	case string:
		if !utf8.ValidString(v) {
			r.breach("the text %q is not valid UTF-8", v)
		}
	default:
		r.breach("a cell of type %T", v)
	}
}

// Text keeps the text.
func (r *Recorder) Text(text string) error {
	return r.output(func() {
		if r.tabular {
			r.breach("Text beside Columns")
		}
		if !utf8.ValidString(text) {
			r.breach("the text %q is not valid UTF-8", text)
		}
		r.text += text
	})
}

// Truncated keeps the reason.
func (r *Recorder) Truncated(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.truncated) > 0 {
		r.breach("Truncated came twice")
	}
	if why == "" {
		r.breach("Truncated without a reason")
	}
	r.truncated = append(r.truncated, why)
}

func (r *Recorder) output(keep func()) error {
	r.mu.Lock()
	if r.refused {
		r.breach("a call after one that erred")
	}
	keep()
	r.refused = r.Refuse != nil
	r.mu.Unlock()
	if r.OnOutput != nil {
		r.OnOutput()
	}
	return r.Refuse
}

// breach needs the lock.
func (r *Recorder) breach(format string, args ...any) {
	r.breaches = append(r.breaches, fmt.Sprintf(format, args...))
}

// Table returns the names of the columns and the rows so far.
func (r *Recorder) Table() (columns []string, rows [][]any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, column := range r.columns {
		columns = append(columns, column.Name)
	}
	return columns, append([][]any(nil), r.rows...)
}

// Batches is in how many calls the rows came so far.
func (r *Recorder) Batches() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.batches
}

// Output is the text so far.
func (r *Recorder) Output() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text
}

// Cut is why the answer was truncated; empty if it wasn't.
func (r *Recorder) Cut() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.truncated) == 0 {
		return ""
	}
	return r.truncated[0]
}

// Empty says whether nothing at all has come.
func (r *Recorder) Empty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.tabular && r.text == "" && len(r.truncated) == 0
}

// Breaches are the breaches of the contract so far.
func (r *Recorder) Breaches() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.breaches...)
}
