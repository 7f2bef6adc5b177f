package web

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"

	"confluence/queue"
	"confluence/queue/runner"
)

func TestJoinStatusLeave(t *testing.T) {
	st := open(t, siteOptions{})
	runs := st.visitor()
	busy := st.visitor()
	st.runner.on("long", untilStopped)
	runs.post("/api/v1/queue/join", "")
	running := runs.background("long")
	eventually(t, "the long run goes", func() bool { return st.runner.count() == 1 })

	joined := busy.post("/api/v1/queue/join", query("select 1"))
	if joined.status != http.StatusOK || joined.header.Get("Content-Type") != "application/json" || joined.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("join: %d %v %s", joined.status, joined.header, joined.body)
	}
	view := joined.json(t)
	id, _ := view["ticket_id"].(string)
	if !strings.HasPrefix(id, "q_") || len(id) != 18 {
		t.Errorf("ticket_id %q", id)
	}
	for field, want := range map[string]any{
		"status": "queued", "position": 1.0, "ahead": 0.0, "eta_seconds": nil, "reservation_expires_in_seconds": nil, "runner": "running",
		"number": 2.0, "heartbeat_within_seconds": 30.0, "poll_after_seconds": 10.0, "run_id": nil, "paused": false, "notice": nil,
		"joined_position": 1.0, "query_kept": true, "auto_start": false,
		"wait": map[string]any{"low_seconds": nil, "likely_seconds": nil, "high_seconds": nil, "basis": "none"},
	} {
		if got, ok := view[field]; !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, want %v", field, got, want)
		}
	}
	if _, ok := view["revision"].(float64); !ok {
		t.Errorf("revision is %v", view["revision"])
	}

	status := busy.get("/api/v1/queue/status")
	if got := status.json(t)["ticket_id"]; status.status != http.StatusOK || got != id {
		t.Errorf("status: %d, ticket %v, want %v", status.status, got, id)
	}
	for range 2 { // harmless without a ticket
		if left := busy.delete("/api/v1/queue/ticket"); left.status != http.StatusNoContent {
			t.Errorf("leave: %d %s", left.status, left.body)
		}
	}
	gone := wantProblem(t, busy.get("/api/v1/queue/status"), http.StatusNotFound, "ticket_not_found")
	if gone["reason"] != "left" {
		t.Errorf("reason %v, want left", gone["reason"])
	}
	runs.delete("/api/v1/queue/ticket")
	wantProblem(t, <-running, http.StatusConflict, "run_cancelled")
}

// case: no-cookie
func TestCaseNoCookie(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.stranger()
	for range 3 {
		answer := v.get("/api/v1/queue/status")
		p := wantProblem(t, answer, http.StatusNotFound, "ticket_not_found")
		if p["reason"] != "none" || !strings.Contains(p["detail"].(string), "cookie") {
			t.Errorf("the answer doesn't say to keep the cookie: %s", answer.body)
		}
		if answer.header.Get("Set-Cookie") != "" {
			t.Errorf("a status call set a cookie: %s", answer.header.Get("Set-Cookie"))
		}
	}
	if left := v.delete("/api/v1/queue/ticket"); left.status != http.StatusNoContent || left.header.Get("Set-Cookie") != "" {
		t.Errorf("leave without a session: %d %v", left.status, left.header)
	}
	if picture, err := st.controller.Picture(t.Context()); err != nil || picture.Length != 0 || len(picture.Called) != 0 {
		t.Errorf("a status call made a ticket: %+v, %v", picture, err)
	}
	if joined := v.post("/api/v1/queue/join", ""); joined.header.Get("Set-Cookie") == "" {
		t.Error("a join without a cookie gives none")
	}
}

// case: look-first
func TestCaseLookFirst(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.visitor()
	for _, route := range st.server.handler.(*echo.Echo).Routes() {
		if route.Method != http.MethodGet || strings.HasPrefix(route.Path, "/live") {
			continue
		}
		path := strings.NewReplacer(":id", "r_1", ":code", "busy", "*", "x").Replace(route.Path)
		v.get(path)
		v.do(http.MethodHead, path, "")
	}
	if p, err := st.controller.Picture(t.Context()); err != nil || p.Length != 0 || len(p.Called)+len(p.Serving) != 0 {
		t.Errorf("a GET made a ticket: %+v, %v", p, err)
	}
}

func TestPicture(t *testing.T) {
	st := open(t, siteOptions{})
	st.visitor().post("/api/v1/queue/join", "")
	for range 3 {
		st.visitor().post("/api/v1/queue/join", "")
	}
	v := st.stranger()
	answer := v.get("/api/v1/queue")
	picture := answer.json(t)
	for field, want := range map[string]any{
		"slots": 1.0, "runner": "reserved", "length": 3.0, "serving": []any{}, "called": []any{1.0}, "next": []any{2.0, 3.0, 4.0},
		"paused": false, "notice": nil, "free": false, "full": false,
	} {
		if got := picture[field]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, want %v", field, got, want)
		}
	}
	tag := answer.header.Get("ETag")
	if again := v.get("/api/v1/queue", "If-None-Match", tag); again.status != http.StatusNotModified || again.body != "" {
		t.Errorf("unchanged: %d %q", again.status, again.body)
	}
	must(t, st.controller.SetNotice(t.Context(), `closing at "five" <soon>`))
	changed := v.get("/api/v1/queue", "If-None-Match", tag)
	if changed.status != http.StatusOK || changed.json(t)["notice"] != `closing at "five" <soon>` {
		t.Errorf("changed: %d %s", changed.status, changed.body)
	}
}

// case: full-house (the API's part)
func TestCaseFullHouse(t *testing.T) {
	st := open(t, siteOptions{line: queue.Config{MaxLength: 2}})
	var all []*visitor
	for range 3 { // one is called, two wait
		v := st.visitor()
		if joined := v.post("/api/v1/queue/join", ""); joined.status != http.StatusOK {
			t.Fatalf("join: %d %s", joined.status, joined.body)
		}
		all = append(all, v)
	}
	late := st.visitor()
	spread := map[string]bool{}
	for range 50 {
		answer := late.post("/api/v1/queue/join", query("select 1"))
		p := wantProblem(t, answer, http.StatusServiceUnavailable, "queue_full")
		after := answer.header.Get("Retry-After")
		if after == "" || fmt.Sprint(p["retry_after_seconds"]) != after {
			t.Fatalf("Retry-After %q, retry_after_seconds %v", after, p["retry_after_seconds"])
		}
		spread[after] = true
	}
	if len(spread) < 5 {
		t.Errorf("Retry-After is not spread: %v", spread)
	}
	all[1].delete("/api/v1/queue/ticket")
	if joined := late.post("/api/v1/queue/join", ""); joined.status != http.StatusOK {
		t.Errorf("after one has left: %d %s", joined.status, joined.body)
	}
}

// case: retry-spread (what refusals say; how pages come back after a restart is in static/testdata/scripts.mjs)
func TestCaseRetrySpread(t *testing.T) {
	st := open(t, siteOptions{line: queue.Config{MaxLength: 1}})
	called, waits, late := st.visitor(), st.visitor(), st.visitor()
	for _, v := range []*visitor{called, waits} {
		v.post("/api/v1/queue/join", "")
	}
	spread := func(code, path string, v *visitor) {
		t.Helper()
		told := map[int]int{}
		for range 200 {
			answer := v.post(path, query("select 1"))
			wantProblem(t, answer, problemIndex[code].status, code)
			after, err := strconv.Atoi(answer.header.Get("Retry-After"))
			must(t, err)
			told[after]++
		}
		values := slices.Collect(maps.Keys(told))
		if slices.Max(values)-slices.Min(values) < 5 {
			t.Errorf("%s: all come back within %d to %d s", code, slices.Min(values), slices.Max(values))
		}
		for after, n := range told {
			if n > 100 {
				t.Errorf("%s: %d of 200 come back after %d s", code, n, after)
			}
		}
	}
	spread("queue_full", "/api/v1/queue/join", late)
	spread("busy", "/api/v1/query", late)
	must(t, st.controller.SetRunner(t.Context(), false))
	spread("runner_unavailable", "/api/v1/query", called)
	must(t, st.controller.Drain(t.Context()))
	spread("restarting", "/api/v1/queue/join", late)
}

// case: double-click (the API's part)
func TestCaseDoubleClick(t *testing.T) {
	st := open(t, siteOptions{})
	hold := make(gate)
	st.runner.on("slow", hold.wait)
	v := st.visitor()
	v.post("/api/v1/queue/join", query("slow"))

	var mu sync.Mutex
	tickets := map[string]bool{}
	var joins sync.WaitGroup
	for range 20 {
		joins.Go(func() {
			id, _ := v.post("/api/v1/queue/join", query("slow")).json(t)["ticket_id"].(string)
			mu.Lock()
			defer mu.Unlock()
			tickets[id] = true
		})
	}
	joins.Wait()
	if len(tickets) != 1 {
		t.Errorf("20 joins made the tickets %v", tickets)
	}

	answers := make(chan reply, 10)
	for range 10 {
		go func() { answers <- v.post("/api/v1/query", "") }()
	}
	for range 9 {
		refused := wantProblem(t, <-answers, http.StatusConflict, "busy")
		if standing, _ := refused["standing"].(map[string]any); standing["status"] != "running" {
			t.Errorf("standing %v", refused["standing"])
		}
	}
	close(hold)
	if served := <-answers; served.status != http.StatusOK {
		t.Errorf("the one that runs: %d %s", served.status, served.body)
	}
	if n := st.runner.count(); n != 1 {
		t.Errorf("the runner ran %d times", n)
	}
}

// case: late-claim (the API's part)
func TestCaseLateClaim(t *testing.T) {
	for _, late := range []time.Duration{0, time.Millisecond, 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			st := open(t, siteOptions{})
			defer st.stop()
			v := st.visitor()
			v.post("/api/v1/queue/join", query("select 1"))
			time.Sleep(time.Minute + late)
			p := wantProblem(t, v.post("/api/v1/query", ""), http.StatusConflict, "reservation_expired")
			if !strings.Contains(p["detail"].(string), "/api/v1/queue/join") {
				t.Errorf("no way back: %v", p["detail"])
			}
			if n := st.runner.count(); n != 0 {
				t.Errorf("%v late: the runner ran", late)
			}
			if again := v.post("/api/v1/query", query("select 1")); again.status != http.StatusOK {
				t.Errorf("a newcomer after the refusal: %d %s", again.status, again.body)
			}
		})
	}
}

func TestJoinChecksTheText(t *testing.T) {
	st := open(t, siteOptions{})
	st.runner.reject("selekt 1", `near "selekt": syntax error`)
	v := st.visitor()
	p := wantProblem(t, v.post("/api/v1/queue/join", query("selekt 1")), http.StatusUnprocessableEntity, "query_rejected")
	if p["detail"] != `near "selekt": syntax error` {
		t.Errorf("detail %v", p["detail"])
	}
	wantProblem(t, v.post("/api/v1/query", query("selekt 1")), http.StatusUnprocessableEntity, "query_rejected")
	wantProblem(t, v.get("/api/v1/queue/status"), http.StatusNotFound, "ticket_not_found")
}

func TestStatusTagsAndHeldCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{})
		defer st.stop()
		first, second := st.visitor(), st.visitor()
		first.post("/api/v1/queue/join", "")
		second.post("/api/v1/queue/join", "")
		tag := second.get("/api/v1/queue/status").header.Get("ETag")
		if same := second.get("/api/v1/queue/status", "If-None-Match", tag); same.status != http.StatusNotModified {
			t.Errorf("unchanged: %d", same.status)
		}

		begin := time.Now()
		held := second.get("/api/v1/queue/status", "If-None-Match", tag, "Prefer", "wait=500")
		if took := time.Since(begin); held.status != http.StatusNotModified || took != 30*time.Second {
			t.Errorf("held without a change: %d after %v", held.status, took)
		}
		if got := held.header.Get("Preference-Applied"); got != "wait=30" {
			t.Errorf("Preference-Applied %q", got)
		}

		begin = time.Now()
		var leaving sync.WaitGroup
		defer leaving.Wait()
		leaving.Go(func() { time.Sleep(5 * time.Second); first.delete("/api/v1/queue/ticket") })
		held = second.get("/api/v1/queue/status", "If-None-Match", tag, "Prefer", "respond-async, wait=20")
		if took := time.Since(begin); held.status != http.StatusOK || took > 6*time.Second {
			t.Errorf("held until a change: %d after %v", held.status, took)
		}
		if held.json(t)["status"] != "ready" {
			t.Errorf("held until a change: %s", held.body)
		}
	})
}

func TestStatusStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{})
		defer st.stop()
		first, second := st.visitor(), st.visitor()
		first.post("/api/v1/queue/join", "")
		second.post("/api/v1/queue/join", query("select 1"))
		stream := second.follow(http.MethodGet, "/api/v1/queue/status", "")
		defer stream.close()
		standing := stream.want("standing")
		if view := standing.json(t); view["position"] != 2.0 || standing.id != fmt.Sprint(int64(view["revision"].(float64))) {
			t.Errorf("first event: %+v", standing)
		}
		if comment, ok := stream.next(); !ok || !comment.comment {
			t.Errorf("no sign of life in the silence: %+v", comment)
		}
		// The first doesn't claim. Its window is twice the second's heartbeat, which the open stream is.
		for view := stream.want("standing").json(t); view["status"] != "ready"; view = stream.want("standing").json(t) {
		}
		hold := make(gate)
		st.runner.on("slow", hold.wait)
		served := second.background("slow")
		if view := stream.want("standing").json(t); view["status"] != "running" || view["run_id"] == nil {
			t.Errorf("running: %v", view)
		}
		close(hold)
		answer := (<-served).json(t)
		end := stream.rest()
		if len(end) != 1 || end[0].name != "finished" || end[0].json(t)["run_id"] != answer["run_id"] {
			t.Errorf("last events: %+v, want one finished of %v", end, answer["run_id"])
		}
	})
}

func TestStatusStreamTellsOfALapse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{})
		defer st.stop()
		v := st.visitor()
		v.post("/api/v1/queue/join", "")
		stream := v.follow(http.MethodGet, "/api/v1/queue/status", "")
		defer stream.close()
		stream.want("standing")
		end := stream.rest()
		if len(end) != 1 || end[0].name != "lapsed" || end[0].json(t)["reason"] != "reservation_expired" {
			t.Errorf("last events: %+v", end)
		}
		missing := wantProblem(t, v.get("/api/v1/queue/status", "Accept", "text/event-stream"), http.StatusNotFound, "ticket_not_found")
		if missing["reason"] != "reservation_expired" {
			t.Errorf("reason %v", missing["reason"])
		}
	})
}

func TestLostHeartbeatIsToldByName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{})
		defer st.stop()
		first, second := st.visitor(), st.visitor()
		first.post("/api/v1/queue/join", "")
		second.post("/api/v1/queue/join", "")
		time.Sleep(31 * time.Second)
		missing := wantProblem(t, second.get("/api/v1/queue/status"), http.StatusNotFound, "ticket_not_found")
		if missing["reason"] != "heartbeat_lost" {
			t.Errorf("reason %v", missing["reason"])
		}
	})
}

func TestFractionsOfTheHeartbeat(t *testing.T) {
	for _, test := range []struct {
		heartbeat, reservation time.Duration
		within, poll           string
	}{
		{30 * time.Second, time.Minute, "30", "10"}, {time.Second, time.Minute, "1", "1"}, {2500 * time.Millisecond, time.Minute, "2.5", "1"},
		{500 * time.Millisecond, time.Minute, "0.5", "1"}, {30 * time.Second, 10 * time.Second, "30", "5"}, {time.Hour, 2 * time.Second, "3600", "1"},
	} {
		var view struct {
			Within json.Number `json:"heartbeat_within_seconds"`
			Poll   json.Number `json:"poll_after_seconds"`
		}
		must(t, json.Unmarshal(appendView(nil, queue.View{HeartbeatEvery: test.heartbeat, ClaimWithin: test.reservation}), &view))
		if view.Within.String() != test.within || view.Poll.String() != test.poll {
			t.Errorf("%v: within %s, poll %s", test.heartbeat, view.Within, view.Poll)
		}
	}
}

// Who asks as often as it is told keeps the place, hears of the turn in time to claim it, and is never limited: also with the shortest times
// and the lowest rate that the settings allow.
func TestObedientPollerClaimsItsTurn(t *testing.T) {
	for _, test := range []struct {
		heartbeat, reservation time.Duration
		burst, rate            int
	}{
		{2 * time.Second, 2 * time.Second, 2, 2}, {30 * time.Second, 2 * time.Second, 2, 2}, {2 * time.Second, time.Minute, 2, 2},
		{6 * time.Second, 4 * time.Second, 2, 1}, {time.Minute, 10 * time.Second, 20, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			st := open(t, siteOptions{line: queue.Config{Heartbeat: test.heartbeat, Reservation: test.reservation},
				options: Options{PollBurst: test.burst, PollRate: test.rate}})
			defer st.stop()
			st.runner.on("hold", func(ctx context.Context, _ runner.Sink) error {
				select {
				case <-time.After(10*time.Minute + 1700*time.Millisecond): // between two polls
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
			st.server.runs.timeout = time.Hour
			held := st.visitor().background("hold")
			eventually(t, "the run", func() bool {
				p, err := st.controller.Picture(t.Context())
				return err == nil && len(p.Serving) == 1
			})
			poller := st.visitor()
			view := poller.post("/api/v1/queue/join", query("mine")).json(t)
			for view["status"] != "ready" {
				time.Sleep(time.Duration(view["poll_after_seconds"].(float64)) * time.Second)
				answer := poller.get("/api/v1/queue/status")
				if answer.status != http.StatusOK {
					t.Fatalf("%+v: %d %s", test, answer.status, answer.body)
				}
				view = answer.json(t)
			}
			if got := poller.post("/api/v1/query", ""); got.status != http.StatusOK {
				t.Errorf("%+v: the claim: %d %s", test, got.status, got.body)
			}
			<-held
		})
	}
}

func TestHeldCallEndsWithItsClient(t *testing.T) {
	st := open(t, siteOptions{tcp: true})
	v := st.visitor()
	v.post("/api/v1/queue/join", "")
	tag := v.get("/api/v1/queue/status").header.Get("ETag")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := v.request(ctx, http.MethodGet, "/api/v1/queue/status", "", "If-None-Match", tag, "Prefer", "wait=30")
	if err == nil {
		t.Fatal("the call was answered")
	}
	if strings.Contains(st.log.String(), "a request failed") {
		t.Errorf("a client that goes is logged as our mistake:\n%s", st.log)
	}
}
