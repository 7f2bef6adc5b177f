package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue/runner"
)

func (v *visitor) keyed(key, text string, header ...string) reply {
	v.site.t.Helper()
	return v.post("/api/v1/query", query(text), append(header, keyHeader, key)...)
}

func TestAKeyRunsOnce(t *testing.T) {
	st := open(t, siteOptions{})
	st.runner.on("fails", func(context.Context, runner.Sink) error { return &runner.FailedError{Detail: "Out of paper."} })
	v, other := st.visitor(), st.visitor()
	first := v.keyed("k 1", "select 1")
	if first.status != http.StatusOK || first.header.Get(replayHeader) != "" {
		t.Fatalf("first: %d %v %s", first.status, first.header, first.body)
	}
	for range 3 {
		again := v.keyed("k 1", "select 1")
		if again.status != http.StatusOK || again.body != first.body || again.header.Get(replayHeader) != "true" ||
			again.header.Get("Confluence-Run-Id") != first.header.Get("Confluence-Run-Id") {
			t.Errorf("again: %d %v %s", again.status, again.header, again.body)
		}
	}
	if table := v.keyed("k 1", "select 1", "Accept", "text/csv"); table.body != "query,n\nselect 1,1\n" {
		t.Errorf("again as CSV: %d %q", table.status, table.body)
	}
	stream := v.follow(http.MethodPost, "/api/v1/query", query("select 1"), keyHeader, "k 1")
	if id := stream.want("accepted").json(t)["run_id"]; id != first.header.Get("Confluence-Run-Id") {
		t.Errorf("again as a stream: run %v", id)
	}
	if events := stream.rest(); events[len(events)-1].name != "end" {
		t.Errorf("again as a stream: %+v", events)
	}
	p := wantProblem(t, v.keyed("k 1", "select 2"), http.StatusUnprocessableEntity, "idempotency_conflict")
	if p["run_id"] != first.header.Get("Confluence-Run-Id") {
		t.Errorf("the conflict is about run %v", p["run_id"])
	}
	wantProblem(t, v.post("/api/v1/query", "", keyHeader, "k 1"), http.StatusUnprocessableEntity, "idempotency_conflict")
	if n := st.runner.count(); n != 1 {
		t.Errorf("it ran %d times", n)
	}

	if theirs := other.keyed("k 1", "select 2"); theirs.status != http.StatusOK || theirs.header.Get(replayHeader) != "" {
		t.Errorf("another session's key: %d %s", theirs.status, theirs.body)
	}
	failed := wantProblem(t, v.keyed("k 2", "fails"), http.StatusBadGateway, "run_failed")
	again := wantProblem(t, v.keyed("k 2", "fails"), http.StatusBadGateway, "run_failed")
	if failed["run_id"] != again["run_id"] || again["detail"] != "Out of paper." {
		t.Errorf("a failure again: %v, first %v", again, failed)
	}
	if n := st.runner.count(); n != 3 {
		t.Errorf("it ran %d times", n)
	}
}

func TestAKeyOfAKeptText(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.visitor()
	v.post("/api/v1/queue/join", query("kept"))
	first := v.post("/api/v1/query", "", keyHeader, "k")
	again := v.post("/api/v1/query", "{}", keyHeader, "k")
	if first.status != http.StatusOK || again.body != first.body || st.runner.count() != 1 {
		t.Errorf("%d %s, again %d %s", first.status, first.body, again.status, again.body)
	}
}

func TestAKeyWhoseRunIsGoing(t *testing.T) {
	st := open(t, siteOptions{})
	hold := make(gate)
	st.runner.on("slow", hold.wait)
	v := st.visitor()
	v.post("/api/v1/queue/join", "")
	answered := v.background("slow", keyHeader, "k")
	eventually(t, "the run goes", func() bool { return st.runner.count() == 1 })
	eventually(t, "the key names its run", func() bool { // which it may do a moment after the runner was called
		again := v.keyed("k", "slow")
		p := wantProblem(t, again, http.StatusConflict, "run_in_progress")
		if again.header.Get("Retry-After") == "" {
			t.Errorf("%v %v", p, again.header)
		}
		return p["run_id"] != nil
	})
	wantProblem(t, v.keyed("k", "other"), http.StatusUnprocessableEntity, "idempotency_conflict")
	close(hold)
	first := <-answered
	if again := v.keyed("k", "slow"); again.status != http.StatusOK || again.body != first.body {
		t.Errorf("after the end: %d %s, first %s", again.status, again.body, first.body)
	}
}

func TestParallelCallsOfAKeyRunOnce(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.visitor()
	v.post("/api/v1/queue/join", "")
	answers := make(chan reply)
	for range 10 {
		go func() { answers <- v.keyed("k", "select 1") }()
	}
	for range 10 {
		if answer := <-answers; answer.status != http.StatusOK {
			wantProblem(t, answer, http.StatusConflict, "run_in_progress")
		}
	}
	if n := st.runner.count(); n != 1 {
		t.Errorf("it ran %d times", n)
	}
}

func TestRefusalsOfAKeyAreNotStored(t *testing.T) {
	st := open(t, siteOptions{})
	st.runner.reject("selekt", "near selekt")
	first, v := st.visitor(), st.visitor()
	first.post("/api/v1/queue/join", "")
	wantProblem(t, v.keyed("k", "select 1"), http.StatusConflict, "busy")
	wantProblem(t, v.keyed("k", "selekt"), http.StatusUnprocessableEntity, "query_rejected")
	first.delete("/api/v1/queue/ticket")
	if answer := v.keyed("k", "select 1"); answer.status != http.StatusOK || answer.header.Get(replayHeader) != "" {
		t.Errorf("after the refusals: %d %s", answer.status, answer.body)
	}
}

func TestAKeyIsFreeAgainWhenItsClientWent(t *testing.T) {
	st := open(t, siteOptions{tcp: true})
	st.runner.on("silent", untilStopped)
	v := st.visitor()
	v.post("/api/v1/queue/join", "")
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if _, err := v.request(ctx, http.MethodPost, "/api/v1/query", query("silent"), keyHeader, "k"); err == nil {
			t.Error("the call was answered")
		}
	}()
	eventually(t, "the run goes", func() bool { return st.runner.count() == 1 })
	cancel()
	<-gone
	st.runner.on("silent", func(_ context.Context, out runner.Sink) error { return out.Text("now") })
	eventually(t, "the key is free", func() bool {
		answer := v.keyed("k", "silent")
		if answer.status == http.StatusOK {
			return answer.json(t)["text"] == "now"
		}
		if code := answer.json(t)["code"]; code != "run_in_progress" && code != "busy" { // the slot is given on in a moment
			t.Fatalf("%s", answer.body)
		}
		return false
	})
}

func TestAKeyIsKeptForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{})
		defer st.stop()
		v := st.visitor()
		first := v.keyed("k", "select 1")
		v.post("/api/v1/query", query("select 2"))
		time.Sleep(keyMemory - time.Second)
		if again := v.keyed("k", "select 1"); again.body != first.body || again.header.Get(replayHeader) != "true" {
			t.Errorf("within the day: %d %s", again.status, again.body)
		}
		if kept := len(st.server.runs.of(st.sessionOf(v))); kept != 1 {
			t.Errorf("%d runs are kept: the one without a key must be gone", kept)
		}
		time.Sleep(2 * time.Second)
		if later := v.keyed("k", "select 1"); later.status != http.StatusOK || later.header.Get(replayHeader) != "" {
			t.Errorf("after the day: %d %v %s", later.status, later.header, later.body)
		}
	})
}

func TestAKeyWhoseResultIsGone(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.visitor()
	v.keyed("k", "select 1")
	for range keepPerSession {
		v.post("/api/v1/query", query("select 2"))
	}
	eventually(t, "the first run is forgotten", func() bool { return v.keyed("k", "select 1").status != http.StatusOK })
	wantProblem(t, v.keyed("k", "select 1"), http.StatusGone, "result_gone")
	wantProblem(t, v.keyed("k", "select 3"), http.StatusUnprocessableEntity, "idempotency_conflict")
}

func TestKeysThatAreNone(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.visitor()
	for _, key := range []string{"", strings.Repeat("k", keyBytes+1), "grüße", "a\tb"} {
		wantProblem(t, v.keyed(key, "select 1"), http.StatusBadRequest, "invalid_idempotency_key")
	}
	if n := st.runner.count(); n != 0 {
		t.Errorf("it ran %d times", n)
	}
}

func TestKeysAreBounded(t *testing.T) {
	k := newQueryKeys(time.Now)
	for i := range keepKeys + 10 {
		at, known, err := k.take("session", fmt.Sprint(i), askedQuery{text: "x", given: true})
		if known || err != nil {
			t.Fatalf("key %d: known %v, %v", i, known, err)
		}
		if i%2 == 0 {
			k.release(at)
			at, _, _ = k.take("session", fmt.Sprint(i), askedQuery{text: "x", given: true})
		}
		k.begin(at, fmt.Sprint("r_", i))
	}
	if len(k.byKey) != keepKeys || k.begun.Len() != keepKeys {
		t.Errorf("%d and %d keys are kept, want %d", len(k.byKey), k.begun.Len(), keepKeys)
	}
	if _, known, _ := k.take("session", "0", askedQuery{text: "x", given: true}); known {
		t.Error("the oldest is still there")
	}
}
