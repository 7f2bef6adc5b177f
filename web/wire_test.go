package web

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"confluence/queue"
)

func TestViewOnTheWire(t *testing.T) {
	v := queue.View{
		TicketID: "q_8Rsx2OZJqcSQKeJ4", Number: 42, Status: queue.Ready, Position: 3, Ahead: 2, JoinedAt: 12,
		ETA: queue.Seconds{N: 130, Known: true}, ReservationIn: queue.Seconds{N: 0, Known: true}, Runner: queue.RunnerRunning,
		Wait:     queue.Wait{Low: queue.Seconds{N: 95, Known: true}, High: queue.Seconds{N: 210, Known: true}, Basis: queue.BasisHistory},
		Revision: 1<<53 - 1, RunID: "r_1", Paused: true, Notice: "a \"b\" \u2028 </script>", Kept: queue.Kept{Query: "secret", AutoStart: true},
		RunElapsed: 4500 * time.Millisecond, UsualHigh: queue.Seconds{N: 7, Known: true}, HeartbeatEvery: 30 * time.Second, ClaimWithin: time.Minute,
	}
	want := `{"type":"standing","ticket_id":"q_8Rsx2OZJqcSQKeJ4","status":"ready","position":3,"ahead":2,"eta_seconds":130,
		"reservation_expires_in_seconds":0,"runner":"running","number":42,
		"wait":{"low_seconds":95,"likely_seconds":null,"high_seconds":210,"basis":"history"},
		"heartbeat_within_seconds":30,"poll_after_seconds":10,"revision":9007199254740991,"run_id":"r_1","paused":true,
		"notice":"a \"b\" \u2028 </script>","joined_position":12,"query_kept":true,"auto_start":true,
		"run_elapsed_seconds":4,"usual_low_seconds":null,"usual_high_seconds":7}`
	sameJSON(t, string(appendViewMessage(nil, v)), want)

	reused := make([]byte, 0, 1024)
	if n := testing.AllocsPerRun(100, func() { reused = appendViewMessage(reused[:0], v) }); n != 0 {
		t.Errorf("a push allocates %v times", n)
	}
}

func TestEndedOnTheWire(t *testing.T) {
	for reason, want := range map[queue.Reason]string{
		queue.ReasonLeft: "left", queue.ReasonLapsed: "lapsed", queue.ReasonHeartbeatLost: "lost", queue.ReasonFinished: "finished",
	} {
		got := reply{body: string(endedMessage(endedType(reason), queue.Ended{Reason: reason, TicketID: "q_1", Number: 7}))}.json(t)
		if got["type"] != want || got["reason"] != string(reason) || got["run_id"] != nil || got["number"] != 7.0 {
			t.Errorf("%s: %v", reason, got)
		}
	}
}

// sameJSON compares two documents field by field.
func sameJSON(t *testing.T, got, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	must(t, json.Unmarshal([]byte(want), &w))
	if !reflect.DeepEqual(g, w) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTheGuideNamesEveryCodeWithItsStatus(t *testing.T) {
	guide, err := os.ReadFile("README.md")
	must(t, err)
	for _, row := range problemCodes {
		line, _ := json.Marshal(row.status)
		if !strings.Contains(string(guide), "| "+string(line)+" | `"+row.code+"` |") {
			t.Errorf("README.md lacks %d %s", row.status, row.code)
		}
	}
}

// TestAppendEstimate: what nobody knows yet is null.
func TestAppendEstimate(t *testing.T) {
	for _, c := range []struct {
		e    queue.Estimate
		want string
	}{
		{queue.Estimate{}, `null`},
		{queue.Estimate{Predictions: 230, Hours: 5, Coverage: 0.81234, MeanError: 12.36}, `{"coverage":0.812,"mean_error_seconds":12.4,"classic_mean_error_seconds":null,"predictions":230,"hours":5}`},
		{queue.Estimate{Predictions: 2, Hours: 1, Coverage: 1, MeanError: 1, ClassicKnown: true, ClassicError: 2.25}, `{"coverage":1.000,"mean_error_seconds":1.0,"classic_mean_error_seconds":2.2,"predictions":2,"hours":1}`},
	} {
		if got := string(appendEstimate(nil, c.e)); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
