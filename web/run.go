package web

import (
	"context"
	"time"

	"confluence/queue"
)

// runState is a run as its owner sees it at one moment.
type runState struct {
	ID         string
	Session    string
	Number     int64 // the public number of its ticket
	Query      string
	Started    time.Time // wall time, for display
	Ended      time.Time // zero while it goes
	Elapsed    time.Duration
	Going      bool
	Outcome    queue.Outcome // empty while it goes
	Code       string        // the problem's code, of a run that didn't succeed
	Detail     string        // what went wrong, in words for the owner
	Columns    []string      // of a table
	Binary     []int         // the columns whose strings are base64
	RowCount   int
	Text       string // of an answer that is no table
	Truncated  bool
	TruncateBy string // why it was cut
}

// runs is the registry of the runs that go and of those that are kept.
type runs struct{}

// run is one run and its transcript.
type run struct{}

// start claims the session's turn and runs text. It returns when the run has really begun, or with the refusal. An attached run ends as
// disconnected when ctx does; another belongs to the server and ends as disconnected when nobody has watched it for a while.
func (r *runs) start(ctx context.Context, session, text string, attached bool) (*run, error) {
	panic("soon")
}

// get finds a run of the session; an unknown one and somebody else's are alike.
func (r *runs) get(session, id string) (*run, bool) { panic("soon") }

// watch says that a socket of the session is open: all its runs count as watched until release is called.
func (r *runs) watch(session string) (release func()) { panic("soon") }

// watch says that somebody follows this run, until release is called.
func (x *run) watch() (release func()) { panic("soon") }

// touch says that somebody has looked at this run.
func (x *run) touch() { panic("soon") }

// cancel ends the run as cancelled; twice is harmless.
func (x *run) cancel() { panic("soon") }

// state is the run at this moment.
func (x *run) state() runState { panic("soon") }

// rows decodes at most limit rows of a table, the first being number from (counted from 0). A cell is nil, bool, json.Number or string.
func (x *run) rows(from, limit int) [][]any { panic("soon") }
