package web

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue/runner"
)

// again opens another site on the folder, where the visitor comes back with the same cookie.
func again(t *testing.T, o siteOptions, visitors ...*visitor) *site {
	t.Helper()
	st := open(t, o)
	for _, v := range visitors {
		v.site, v.http.Transport = st, contractual{t, st.network.client}
	}
	return st
}

// TestRunsOutliveARestart: their outcome, text and answer, for their owner alone, for the time that was left of theirs. A run that was going when the
// process was killed is there as interrupted, and is not run again.
func TestRunsOutliveARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "results")
		o := siteOptions{options: Options{ResultFolder: path, ResultTTL: 10 * time.Minute}}
		st := open(t, o)
		st.runner.on("table", func(_ context.Context, out runner.Sink) error {
			return errors.Join(out.Columns(columns("n", "b")), out.Rows([][]any{{int64(1), []byte("xyz")}, {int64(2), nil}}))
		})
		st.runner.on("big", bigTable(6_000))
		st.runner.on("words", func(_ context.Context, out runner.Sink) error { return out.Text("two words") })
		st.runner.on("broken", func(_ context.Context, out runner.Sink) error {
			return errors.Join(out.Text("half an ans"), &runner.FailedError{Detail: "out of paper"})
		})
		v, foreign := st.visitor(), st.visitor()
		var addresses []string
		for _, text := range []string{"table", "big", "words", "broken"} {
			x := st.begin(v, text)
			x.wait(t.Context())
			addresses = append(addresses, "/api/v1/runs/"+x.id, "/api/v1/runs/"+x.id+"/output?format=csv&partial=1")
		}
		session := st.sessionOf(v)
		synctest.Wait()
		var before []string
		for _, address := range addresses {
			before = append(before, v.get(address).body)
		}
		time.Sleep(4 * time.Minute)
		st.stop()
		must(t, st.server.runs.folder.save(savedRun{ID: "r_killed", Session: session, Number: 9, Query: "the long one", Started: time.Now().Add(-time.Minute)}))
		for name, content := range map[string]string{"answer-7": "x", "run-r_torn.json": `{"id":`, ".run-r_x.json12": "x"} {
			must(t, os.WriteFile(filepath.Join(path, name), []byte(content), 0o600))
		}

		for range 2 { // restarts
			st = again(t, o, v, foreign)
			for i, address := range addresses {
				if now := v.get(address).body; now != before[i] && !strings.Contains(before[i], "request_id") {
					t.Errorf("%s was %.300s and is %.300s", address, before[i], now)
				}
				wantProblem(t, foreign.get(address), http.StatusNotFound, "not_found")
			}
			killed := v.get("/api/v1/runs/r_killed").json(t)
			if killed["outcome"] != "interrupted" || killed["query"] != "the long one" || killed["state"] != "ended" || killed["number"] != 9.0 {
				t.Errorf("the run that was going: %v", killed)
			}
			if page := v.get("/runs"); !strings.Contains(page.body, "the long one") || !strings.Contains(page.body, "broken") {
				t.Errorf("my runs: %s", page.body)
			}
			if n := st.runner.count(); n != 0 {
				t.Errorf("%d runs were run again", n)
			}
			st.stop()
		}
		if left, err := filepath.Glob(filepath.Join(path, "*")); err != nil || len(left) != 5+4 {
			t.Errorf("left: %v, %v", left, err)
		}

		st = again(t, o, v)
		time.Sleep(6*time.Minute + time.Second) // with the 4 before
		wantProblem(t, v.get(addresses[0]), http.StatusNotFound, "not_found")
		time.Sleep(4 * time.Minute)
		if left := filesIn(t, path); len(left) != 0 {
			t.Errorf("left: %v", left)
		}
		if left, err := filepath.Glob(filepath.Join(path, "*")); err != nil || !reflect.DeepEqual(left, []string(nil)) {
			t.Errorf("left: %v, %v", left, err)
		}
		st.stop()
	})
}

// TestKeysOutliveARestart with the runs that they stand for: the answer that was given is given again, and a run that was going is told of as
// interrupted and isn't run again.
func TestKeysOutliveARestart(t *testing.T) {
	o := siteOptions{options: Options{ResultFolder: filepath.Join(t.TempDir(), "results")}}
	st := open(t, o)
	st.runner.on("fails", func(context.Context, runner.Sink) error { return &runner.FailedError{Detail: "Out of paper."} })
	st.runner.on("silent", untilStopped)
	v, other := st.visitor(), st.visitor()
	first := v.keyed("k 1", "select 1")
	failed := wantProblem(t, v.keyed("k 2", "fails"), http.StatusBadGateway, "run_failed")
	v.post("/api/v1/queue/join", "")
	stopped := v.background("silent", keyHeader, "k 3")
	eventually(t, "the run goes", func() bool { return st.runner.count() == 3 })
	must(t, st.server.runs.stop(t.Context()))
	interrupted := wantProblem(t, <-stopped, http.StatusServiceUnavailable, "restarting")
	st.stop()
	// As a kill would have left it.
	at, _, err := newQueryKeys(time.Now).take(st.sessionOf(v), "k 4", askedQuery{text: "long", given: true})
	must(t, err)
	must(t, st.server.runs.folder.save(savedRun{
		ID: "r_killed", Session: st.sessionOf(v), Query: "long", Started: time.Now(), Keep: keyMemory, Key: &savedKey{Name: at.name[:], Text: at.text[:]},
	}))
	must(t, st.server.runs.folder.save(savedRun{ID: "r_odd", Session: st.sessionOf(v), Key: &savedKey{Name: []byte("short")}}))

	for range 2 { // restarts
		st = again(t, o, v, other)
		again := v.keyed("k 1", "select 1")
		if again.status != http.StatusOK || again.body != first.body || again.header.Get(replayHeader) != "true" {
			t.Errorf("again: %d %v %s", again.status, again.header, again.body)
		}
		wantProblem(t, v.keyed("k 1", "select 2"), http.StatusUnprocessableEntity, "idempotency_conflict")
		if p := wantProblem(t, v.keyed("k 2", "fails"), http.StatusBadGateway, "run_failed"); p["run_id"] != failed["run_id"] {
			t.Errorf("a failure again: %v, first %v", p, failed)
		}
		if p := wantProblem(t, v.keyed("k 3", "silent"), http.StatusConflict, "run_interrupted"); p["run_id"] != interrupted["run_id"] {
			t.Errorf("the stopped: %v, first %v", p, interrupted)
		}
		if p := wantProblem(t, v.keyed("k 4", "long"), http.StatusConflict, "run_interrupted"); p["run_id"] != "r_killed" {
			t.Errorf("the killed: %v", p)
		}
		if n := st.runner.count(); n != 0 {
			t.Errorf("it ran %d times", n)
		}
		st.stop()
	}
	st = again(t, o, v, other)
	if theirs := other.keyed("k 4", "long"); theirs.status != http.StatusOK || theirs.header.Get(replayHeader) != "" {
		t.Errorf("another session's key: %d %s", theirs.status, theirs.body)
	}
}
