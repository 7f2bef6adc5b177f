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
