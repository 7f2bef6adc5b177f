// Package trace plays recorded operations on a line, on a virtual clock: what happened when, and what each was to get.
package trace

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"time"

	"confluence/queue"
)

// byteOrderMark is what some editors begin a file with.
const byteOrderMark = "\uFEFF"

// Open makes the store that a trace is played on.
type Open func(cfg queue.Config, clock func() time.Duration) (queue.Store, error)

// head is the first line of a trace.
type head struct {
	Config *config `json:"config"`
}

// config is the line's configuration. Times are in seconds.
type config struct {
	Reservation float64 `json:"reservation_seconds"`
	Heartbeat   float64 `json:"heartbeat_seconds"`
	MaxLength   int     `json:"max_length"`
	Slots       *int    `json:"slots"` // absent: 1
}

// operation is one operation of a trace.
type operation struct {
	At      *float64       `json:"at"` // seconds, never falling
	Op      string         `json:"op"`
	Session string         `json:"session"`
	Outcome string         `json:"outcome"`
	Want    map[string]any `json:"want"`

	Got json.RawMessage `json:"got"` // of an earlier replay, which is forgotten
}

// view is the part of a view that a trace fixes.
type view struct {
	Status        queue.Status      `json:"status"`
	Position      int               `json:"position"`
	Ahead         int               `json:"ahead"`
	ETA           queue.Seconds     `json:"eta_seconds"`
	ReservationIn queue.Seconds     `json:"reservation_expires_in_seconds"`
	Runner        queue.RunnerState `json:"runner"`
}

// replayer plays a trace on a virtual clock.
type replayer struct {
	store queue.Store
	slots int
	now   time.Duration
	terms map[string][]uint64 // of the going runs, by session, oldest first
}

// Unmet tells of the operations that got something else than they want.
type Unmet struct {
	Operations int
	FirstLine  int // of the first of them, from 1
}

// Replay plays the trace that in holds, and prints each of its lines with what the operation got. The error says which line can't be read, and
// why; what comes before it is printed.
func Replay(in io.Reader, open Open, out io.Writer) (unmet Unmet, err error) {
	lines := bufio.NewReader(in)
	if mark, _ := lines.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		lines.Discard(len(byteOrderMark)) // it is there
	}
	w := bufio.NewWriter(out)
	defer func() { err = errors.Join(err, w.Flush()) }()
	var r *replayer
	for n := 1; ; n++ {
		line, read := lines.ReadBytes('\n')
		if read != nil && !errors.Is(read, io.EOF) {
			return unmet, read
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			ok := true
			if r == nil {
				r, err = newReplayer(line, open)
			} else {
				line, ok, err = r.play(line)
			}
			if err != nil {
				return unmet, fmt.Errorf("line %d: %w", n, err)
			}
			if !ok {
				unmet.Operations++
				if unmet.FirstLine == 0 {
					unmet.FirstLine = n
				}
			}
			w.Write(append(line, '\n')) // Flush tells its error
		}
		if read != nil {
			break
		}
	}
	if r == nil {
		return unmet, errors.New("line 1: it is empty; the first line must be {\"config\": …}")
	}
	return unmet, nil
}

func newReplayer(line []byte, open Open) (*replayer, error) {
	var first head
	if err := decodeStrict(line, &first); err != nil {
		return nil, fmt.Errorf("%w; the first line must be {\"config\": {\"reservation_seconds\": …, \"heartbeat_seconds\": …, \"max_length\": …, \"slots\": …}}", err)
	}
	if first.Config == nil {
		return nil, errors.New("the first line must be {\"config\": …}")
	}
	reservation, err := instant(first.Config.Reservation)
	if err != nil {
		return nil, fmt.Errorf("reservation_seconds: %w", err)
	}
	heartbeat, err := instant(first.Config.Heartbeat)
	if err != nil {
		return nil, fmt.Errorf("heartbeat_seconds: %w", err)
	}
	r := &replayer{slots: 1, terms: make(map[string][]uint64)}
	if first.Config.Slots != nil {
		r.slots = *first.Config.Slots
	}
	cfg := queue.Config{Slots: r.slots, MaxLength: first.Config.MaxLength, Reservation: reservation, Heartbeat: heartbeat}
	r.store, err = open(cfg, func() time.Duration { return r.now })
	return r, err
}

// play makes one operation and gives its line back with what it got, and whether that is what it wants.
func (r *replayer) play(line []byte) (out []byte, met bool, err error) {
	var op operation
	if err := decodeStrict(line, &op); err != nil {
		return nil, false, err
	}
	if op.At == nil {
		return nil, false, errors.New("\"at\" is missing: it must be the time of the operation in seconds")
	}
	at, err := instant(*op.At)
	if err != nil {
		return nil, false, fmt.Errorf("at: %w", err)
	}
	if at < r.now {
		return nil, false, fmt.Errorf("at: %v is before the operation above it, at %v", *op.At, r.now.Seconds())
	}
	if op.Session == "" {
		return nil, false, errors.New("\"session\" is missing: it must be a name")
	}
	r.now = at

	standing, err := r.do(op)
	if errors.Is(err, errBadOperation) {
		return nil, false, err
	}
	got := map[string]any{"view": nil}
	switch {
	case err != nil:
		code := codeOf(err)
		if code == "" {
			return nil, false, err
		}
		got = map[string]any{"error": code}
	case standing != nil:
		v := *standing
		got["view"] = view{v.Status, v.Position, v.Ahead, v.ETA, v.ReservationIn, v.Runner}
	}
	encoded, err := json.Marshal(got)
	if err != nil {
		return nil, false, err
	}
	met = op.Want == nil || r.same(op.Want, encoded)
	if op.Got != nil {
		if line, err = withoutGot(line); err != nil {
			return nil, false, err
		}
	}
	out = append(bytes.TrimRight(line[:len(line)-1], " "), `, "got": `...)
	return append(append(out, encoded...), '}'), met, nil
}

// withoutGot is an operation's line without what it got earlier.
func withoutGot(line []byte) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return nil, err
	}
	delete(fields, "got")
	return json.Marshal(fields)
}

var errBadOperation = errors.New("bad operation")

// do calls the store. The view is nil for leave and finish.
func (r *replayer) do(op operation) (*queue.View, error) {
	ctx := context.Background()
	switch op.Op {
	case "join":
		v, err := r.store.Join(ctx, op.Session, queue.Kept{})
		return &v, err
	case "status":
		v, err := r.store.Status(ctx, op.Session)
		return &v, err
	case "leave":
		return nil, r.store.Leave(ctx, op.Session)
	case "claim":
		g, err := r.store.Claim(ctx, op.Session)
		if err == nil {
			r.terms[op.Session] = append(r.terms[op.Session], g.Term)
		}
		return &g.View, err
	case "finish":
		outcome := queue.Outcome(op.Outcome)
		switch outcome {
		case queue.Succeeded, queue.Failed, queue.TimedOut, queue.Cancelled, queue.Disconnected, queue.Interrupted:
		default:
			return nil, fmt.Errorf("%w: outcome is %q; it must be succeeded, failed, timed_out, cancelled, disconnected or interrupted", errBadOperation, op.Outcome)
		}
		terms := r.terms[op.Session]
		if len(terms) == 0 {
			return nil, nil
		}
		r.terms[op.Session] = terms[1:]
		return nil, r.store.Finish(ctx, terms[0], outcome)
	}
	return nil, fmt.Errorf("%w: op is %q; it must be join, status, leave, claim or finish", errBadOperation, op.Op)
}

// same compares as JSON; with several slots the eta is left out.
func (r *replayer) same(want map[string]any, encoded []byte) bool {
	var got map[string]any
	if json.Unmarshal(encoded, &got) != nil {
		return false
	}
	if r.slots > 1 {
		for _, side := range []map[string]any{want, got} {
			if view, ok := side["view"].(map[string]any); ok {
				delete(view, "eta_seconds")
			}
		}
	}
	return reflect.DeepEqual(want, got)
}

// codeOf is how a trace calls a refusal; empty for an error that is none.
func codeOf(err error) string {
	for _, r := range []struct {
		err  error
		code string
	}{
		{queue.ErrTicketNotFound, "ticket_not_found"},
		{queue.ErrQueueFull, "queue_full"},
		{queue.ErrBusy, "busy"},
		{queue.ErrReservationExpired, "reservation_expired"},
		{queue.ErrRunnerUnavailable, "runner_unavailable"},
	} {
		if errors.Is(err, r.err) {
			return r.code
		}
	}
	return ""
}

// instant is seconds as a duration, to the nearest nanosecond.
func instant(seconds float64) (time.Duration, error) {
	if seconds < 0 || seconds > (100*365*24*time.Hour).Seconds() {
		return 0, fmt.Errorf("%v must be seconds from 0 to a hundred years", seconds)
	}
	return time.Duration(math.Round(seconds * float64(time.Second))), nil
}

// decodeStrict takes exactly one JSON object and no unknown names.
func decodeStrict(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("not an operation: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value in a line")
	}
	return nil
}
