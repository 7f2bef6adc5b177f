package queue_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"confluence/queue"
)

// aLine is a line that is saved, at an instant.
type aLine struct {
	*queue.Line
	now   time.Duration
	terms []uint64
}

var lineSessions = []string{"a", "b", "c", "d", "e", "f", "g", "h"}

// do is one random step, and with back it is taken back at once.
func (l *aLine) do(random *rand.Rand, back bool) {
	session := lineSessions[random.IntN(len(lineSessions))]
	undo := func(time.Duration) {}
	if back {
		undo = l.Undo(l.now, session)
	}
	kinds := 7
	if back {
		kinds = 3
	}
	switch random.IntN(kinds) {
	case 0:
		_, _ = l.Join(l.now, session, queue.Kept{Query: []string{"", "a text", "another"}[random.IntN(3)]})
	case 1:
		if g, err := l.Claim(l.now, session); err == nil && !back {
			l.terms = append(l.terms, g.Term)
		}
	case 2:
		_ = l.Keep(l.now, session, queue.Kept{Query: fmt.Sprint("kept ", random.IntN(9))})
	case 3:
		l.Leave(l.now, session)
	case 4:
		if n := len(l.terms); n > 0 {
			_ = l.Finish(l.now, l.terms[random.IntN(n)], queue.Succeeded)
		}
	case 5:
		l.now += time.Duration(random.IntN(20)) * time.Second
		l.Advance(l.now)
	case 6:
		l.ForgetLapse(l.now, session)
	}
	undo(l.now)
}

// shown is all that can be asked, but for what counts changes.
func (l *aLine) shown(t *testing.T) []any {
	t.Helper()
	var all []any
	for _, session := range lineSessions {
		v, err := l.Status(l.now, session)
		var gone *queue.NotFoundError
		if errors.As(err, &gone) {
			all = append(all, gone.Ended)
			continue
		}
		all = append(all, v)
	}
	l.Each(l.now, 0, 100, func(session string, v queue.View) { all = append(all, session) })
	return append(all, l.Picture(l.now))
}

// TestUndoLeavesNoTrace: a join, a text or a claim that is taken back changes nothing that anybody can see, whatever the state, nor what is saved.
func TestUndoLeavesNoTrace(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	counts := cmp.Options{cmpopts.IgnoreFields(queue.View{}, "Revision"), cmpopts.IgnoreUnexported(queue.View{}), cmpopts.IgnoreFields(queue.Picture{}, "Revision")}
	for range 100 {
		cfg := queue.Config{Slots: 1 + random.IntN(3), MaxLength: 4, Reservation: 20 * time.Second, Heartbeat: 60 * time.Second}
		line, err := queue.RestoreLine(cfg, queue.State{})
		if err != nil {
			t.Fatal(err)
		}
		l := &aLine{Line: line}
		saved := map[int64]queue.Record{}
		for range 60 {
			l.do(random, false)
			saveInto(saved, l.Unsaved())
			before, kept := l.shown(t), fmt.Sprint(saved)
			l.do(random, true)
			if diff := cmp.Diff(before, l.shown(t), counts); diff != "" {
				t.Fatalf("at %v (-before +after):\n%s", l.now, diff)
			}
			saveInto(saved, l.Unsaved())
			if is := fmt.Sprint(saved); is != kept {
				t.Fatalf("at %v was saved\n%s\nand is\n%s", l.now, kept, is)
			}
		}
	}
}

// saveInto does what a store does.
func saveInto(saved map[int64]queue.Record, u queue.Unsaved) {
	for _, number := range u.Forgotten {
		delete(saved, number)
	}
	for _, r := range u.Records {
		if !r.TextChanged {
			r.Kept.Query = saved[r.Number].Kept.Query
		}
		r.TextChanged = false
		saved[r.Number] = r
	}
}

// TestRestoreRefusesWhatCantBe, in words that name the ticket.
func TestRestoreRefusesWhatCantBe(t *testing.T) {
	for name, records := range map[string][]queue.Record{
		"a status that there isn't":       {{Session: "a", Number: 1, Status: "asleep"}},
		"two tickets of a session":        {{Session: "a", Number: 1, Status: queue.Queued}, {Session: "a", Number: 2, Status: queue.Ready}},
		"a ticket and one that has ended": {{Session: "a", Number: 1, Status: queue.Queued}, {Session: "a", Number: 2}},
	} {
		if _, err := queue.RestoreLine(config(), queue.State{Records: records}); err == nil {
			t.Errorf("%s is fine", name)
		}
	}
}
