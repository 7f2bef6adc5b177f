package sqlitestore

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"confluence/queue"
)

// ledger is what a crowd was answered, to be held against what a crash has left. Each session comes once.
type ledger struct {
	mu    sync.Mutex
	lines map[string]*entry // by session
}

// entry is one session's story. What was asked for and not answered may have happened.
type entry struct {
	asked  map[string]bool // join, leave, claim, finish
	number int64           // of its ticket, once that was answered; 0: it was not
	id     string
	run    string // once that was answered
	left   bool   // answered
	ended  bool   // likewise, of its run
}

func newLedger() *ledger { return &ledger{lines: make(map[string]*entry)} }

// note takes one line: "? verb session" is asked, "! verb session …" is answered, with number and id of a join, the run of a claim.
func (l *ledger) note(line string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	words := strings.Fields(line)
	if len(words) < 3 {
		return fmt.Errorf("the line %q", line)
	}
	e := l.lines[words[2]]
	if e == nil {
		e = &entry{asked: make(map[string]bool)}
		l.lines[words[2]] = e
	}
	if words[0] == "?" {
		e.asked[words[1]] = true
		return nil
	}
	switch words[1] {
	case "join":
		number, err := strconv.ParseInt(words[3], 10, 64)
		if err != nil {
			return err
		}
		e.number, e.id = number, words[4]
	case "claim":
		if e.run != "" {
			return fmt.Errorf("%s runs twice: %s and %s", words[2], e.run, words[3])
		}
		e.run = words[3]
	case "leave":
		e.left = true
	case "finish":
		e.ended = true
	}
	return nil
}

// check holds what a file has against what was answered: acknowledged ⊆ recovered ∪ ended, the order is kept, and at most one run a ticket. It
// is to be called once a crash, before the file is opened anew.
func (l *ledger) check(t testing.TB, c Contents) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	found := make(map[string]Ticket)
	last, running := int64(0), 0
	for _, ticket := range c.Tickets {
		found[ticket.Session] = ticket
		if ticket.Status == string(queue.Running) {
			running++
		}
		if ticket.Status == string(queue.Queued) {
			if ticket.Number <= last {
				t.Fatalf("ticket %d stands behind %d", ticket.Number, last)
			}
			last = ticket.Number
		}
	}
	if running > 1 {
		t.Fatalf("%d run in one slot", running)
	}
	for _, ticket := range c.Ended {
		if _, twice := found[ticket.Session]; twice {
			t.Fatalf("%s has two tickets", ticket.Session)
		}
		found[ticket.Session] = ticket
	}
	for session, ticket := range found {
		e := l.lines[session]
		if e == nil || !e.asked["join"] {
			t.Fatalf("nobody asked for ticket %+v", ticket)
		}
		if ticket.Number > c.Number {
			t.Fatalf("ticket %+v, and the last number is %d", ticket, c.Number)
		}
	}
	for session, e := range l.lines {
		e.check(t, session, found[session])
	}
}

func (e *entry) check(t testing.TB, session string, ticket Ticket) {
	t.Helper()
	if e.number != 0 && (ticket.Number != e.number || ticket.ID != e.id || ticket.Query != "text-of-"+session) {
		t.Fatalf("%s was answered ticket %d %s, and has %+v", session, e.number, e.id, ticket)
	}
	waits := ticket.Status == string(queue.Queued) || ticket.Status == string(queue.Ready)
	switch {
	case e.run != "" && (waits || ticket.RunID != e.run):
		t.Fatalf("%s was answered run %s, and has %+v", session, e.run, ticket)
	case e.ended && (ticket.Status != statusEnded || ticket.Outcome != queue.Succeeded):
		t.Fatalf("%s was answered the end of its run, and has %+v", session, ticket)
	case e.left && ticket.Reason != queue.ReasonLeft:
		t.Fatalf("%s was answered that it left, and has %+v", session, ticket)
	case ticket.Reason == queue.ReasonLeft && !e.asked["leave"], ticket.RunID != "" && !e.asked["claim"]:
		t.Fatalf("%s has %+v without having asked", session, ticket)
	}
}
