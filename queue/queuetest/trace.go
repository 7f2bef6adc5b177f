package queuetest

import (
	"bufio"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"confluence/queue"
)

// Trace is a file of operations at virtual times, each with the right answer.
type Trace struct {
	Name   string
	Config queue.Config
	Ops    []TraceOp
}

// TraceOp is one operation.
type TraceOp struct {
	Line    int // in the file
	At      time.Duration
	Op      string // join, status, leave, claim, finish
	Session string
	Outcome queue.Outcome // of a finish
	Want    any           // as decoded from JSON
}

// Traces reads the folder of vectors.
func Traces(t testing.TB, folder string) []Trace {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(names) < 24 {
		t.Fatalf("%d vectors in %s, %v", len(names), folder, err)
	}
	traces := make([]Trace, 0, len(names))
	for _, name := range names {
		traces = append(traces, readTrace(t, name))
	}
	return traces
}

func readTrace(t testing.TB, name string) Trace {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	trace := Trace{Name: filepath.Base(name)}
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		if n == 1 {
			trace.Config = readConfig(t, name, lines.Bytes())
			continue
		}
		var op struct {
			At                   float64
			Op, Session, Outcome string
			Want                 any
		}
		if err := json.Unmarshal(lines.Bytes(), &op); err != nil {
			t.Fatalf("%s:%d: %v", name, n, err)
		}
		trace.Ops = append(trace.Ops, TraceOp{n, seconds(op.At), op.Op, op.Session, queue.Outcome(op.Outcome), op.Want})
	}
	if lines.Err() != nil || len(trace.Ops) == 0 {
		t.Fatalf("%s: %d operations, %v", name, len(trace.Ops), lines.Err())
	}
	return trace
}

func readConfig(t testing.TB, name string, line []byte) queue.Config {
	t.Helper()
	var head struct {
		Config struct {
			Reservation float64 `json:"reservation_seconds"`
			Heartbeat   float64 `json:"heartbeat_seconds"`
			MaxLength   int     `json:"max_length"`
			Slots       int
		}
	}
	head.Config.Slots = 1
	if err := json.Unmarshal(line, &head); err != nil {
		t.Fatalf("%s:1: %v", name, err)
	}
	return queue.Config{
		Slots: head.Config.Slots, MaxLength: head.Config.MaxLength,
		Reservation: seconds(head.Config.Reservation), Heartbeat: seconds(head.Config.Heartbeat),
	}
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }

// Check compares an operation's answer with the right one; v is nil for leave and finish. With several slots the eta is not compared.
func (tr Trace) Check(t testing.TB, op TraceOp, v *queue.View, err error) {
	t.Helper()
	got := map[string]any{"view": v}
	if err != nil {
		got = map[string]any{"error": code(err)}
	} else if v != nil {
		got["view"] = map[string]any{
			"status": v.Status, "position": v.Position, "ahead": v.Ahead, "eta_seconds": v.ETA,
			"reservation_expires_in_seconds": v.ReservationIn, "runner": v.Runner,
		}
	}
	encoded, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var same any
	if err := json.Unmarshal(encoded, &same); err != nil {
		t.Fatal(err)
	}
	if tr.Config.Slots > 1 {
		withoutETA(same)
		withoutETA(op.Want)
	}
	if !reflect.DeepEqual(same, op.Want) {
		t.Fatalf("%s:%d: %s of %s at %v: got %v, want %v", tr.Name, op.Line, op.Op, op.Session, op.At, same, op.Want)
	}
}

func withoutETA(answer any) {
	if view, ok := answer.(map[string]any)["view"].(map[string]any); ok {
		delete(view, "eta_seconds")
	}
}

// code is how a trace calls a refusal.
func code(err error) string {
	for _, known := range []struct {
		err  error
		code string
	}{
		{queue.ErrTicketNotFound, "ticket_not_found"}, {queue.ErrQueueFull, "queue_full"}, {queue.ErrBusy, "busy"},
		{queue.ErrReservationExpired, "reservation_expired"}, {queue.ErrRunnerUnavailable, "runner_unavailable"},
	} {
		if errors.Is(err, known.err) {
			return known.code
		}
	}
	return err.Error()
}

func playOnStore(t *testing.T, open Open, trace Trace) {
	l := newLine(t, open, trace.Config)
	for _, op := range trace.Ops {
		l.after(op.At - l.clock.Now())
		var v *queue.View
		var err error
		switch op.Op {
		case "join":
			var joined queue.View
			joined, err = l.store.Join(l.ctx, op.Session, queue.Kept{})
			v = &joined
		case "status":
			var standing queue.View
			standing, err = l.store.Status(l.ctx, op.Session)
			v = &standing
		case "leave":
			l.leave(op.Session)
		case "claim":
			var g queue.Grant
			if g, err = l.store.Claim(l.ctx, op.Session); err == nil {
				l.runs[op.Session] = append(l.runs[op.Session], g.Term)
			}
			v = &g.View
		case "finish":
			if len(l.runs[op.Session]) > 0 {
				l.finish(op.Session, op.Outcome)
			}
		default:
			t.Fatalf("%s:%d: no operation %q", trace.Name, op.Line, op.Op)
		}
		trace.Check(t, op, v, err)
	}
}
