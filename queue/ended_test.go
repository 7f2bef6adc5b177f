package queue

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func endingOf(session string, at time.Duration, text string) *ending {
	return &ending{session: session, at: at, called: -1, ended: Ended{Reason: ReasonLeft, TicketID: "q_" + session, Kept: Kept{Query: text}}}
}

func TestEndingsAreForgottenAfterTenMinutes(t *testing.T) {
	var e endings
	e.remember(endingOf("a", time.Second, ""))
	e.remember(endingOf("b", 2*time.Second, ""))
	for _, c := range []struct {
		now  time.Duration
		a, b bool
	}{
		{2 * time.Second, true, true},
		{time.Second + 10*time.Minute - 1, true, true},
		{time.Second + 10*time.Minute, false, true},
		{2*time.Second + 10*time.Minute - 1, false, true},
		{2*time.Second + 10*time.Minute, false, false},
	} {
		if a, b := e.of("a", c.now) != nil, e.of("b", c.now) != nil; a != c.a || b != c.b {
			t.Errorf("at %v: a %v, b %v", c.now, a, b)
		}
	}
	if len(e.by) != 0 || e.first != nil || e.last != nil || e.bytes != 0 {
		t.Errorf("%d endings, %d bytes are left", len(e.by), e.bytes)
	}
}

func TestEndingsAreBoundedInNumber(t *testing.T) {
	var e endings
	for i := range endedMost + 10 {
		e.remember(endingOf(fmt.Sprint(i), 0, ""))
	}
	if len(e.by) != endedMost {
		t.Errorf("%d endings", len(e.by))
	}
	if e.of("9", 0) != nil || e.of("10", 0) == nil {
		t.Error("not the oldest were forgotten")
	}
}

func TestEndingsAreBoundedInBytes(t *testing.T) {
	var e endings
	text := strings.Repeat("x", endedBytes/4)
	for i := range 6 {
		e.remember(endingOf(fmt.Sprint(i), 0, text))
	}
	if e.bytes > endedBytes || len(e.by) != 4 {
		t.Errorf("%d bytes in %d endings", e.bytes, len(e.by))
	}
	if e.of("1", 0) != nil || e.of("2", 0) == nil {
		t.Error("not the oldest were forgotten")
	}
}

// TestEndingsKeepOneASession: one session that comes and goes fills nothing, and what it held before is given back.
func TestEndingsKeepOneASession(t *testing.T) {
	var e endings
	for i := range 3 * endedMost {
		e.remember(endingOf("a", time.Duration(i), "text"))
		if i == 0 {
			e.remember(endingOf("other", 0, "")) // of the second oldest instant
		}
	}
	if r := e.of("a", 0); r == nil || r.at != 3*endedMost-1 {
		t.Error("the last ending is not remembered")
	}
	if e.of("other", 0) == nil {
		t.Error("one session's coming and going made another's ending forgotten")
	}
	if len(e.by) != 2 || e.bytes != len("text") {
		t.Errorf("%d endings, %d bytes", len(e.by), e.bytes)
	}
	e.forget("a")
	if e.of("a", 0) != nil || e.bytes != 0 {
		t.Error("forgotten, and still there")
	}
}
