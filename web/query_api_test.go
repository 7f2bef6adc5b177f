package web

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue/runner"
)

func columns(names ...string) []runner.Column {
	var all []runner.Column
	for _, name := range names {
		all = append(all, runner.Column{Name: name})
	}
	return all
}

func TestQueryAnswersWithATable(t *testing.T) {
	st := open(t, siteOptions{})
	st.runner.on("select", func(_ context.Context, out runner.Sink) error {
		return errors.Join(out.Columns(columns("a", "b", "c")),
			out.Rows([][]any{{int64(1), "x", nil}, {int64(1)<<53 + 1, `"quoted", line` + "\n2", true}}),
			out.Rows([][]any{{1.5, "=1+1", []byte{0, 255}}}))
	})
	v := st.visitor()
	answer := v.post("/api/v1/query", query("select"))
	if answer.status != http.StatusOK || answer.header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %v %s", answer.status, answer.header, answer.body)
	}
	got := answer.json(t)
	for field, want := range map[string]any{
		"outcome": "succeeded", "truncated": false, "row_count": 3.0, "columns": []any{"a", "b", "c"}, "base64_columns": []any{2.0},
		"rows": []any{
			[]any{1.0, "x", nil}, []any{"9007199254740993", "\"quoted\", line\n2", true}, []any{1.5, "=1+1", "AP8="},
		},
	} {
		if !reflect.DeepEqual(got[field], want) {
			t.Errorf("%s is %#v, want %#v", field, got[field], want)
		}
	}
	if id, _ := got["run_id"].(string); id == "" || id != answer.header.Get("Confluence-Run-Id") {
		t.Errorf("run_id %v, header %q", got["run_id"], answer.header.Get("Confluence-Run-Id"))
	}
	if _, ok := got["duration_seconds"].(float64); !ok {
		t.Errorf("duration_seconds %v", got["duration_seconds"])
	}

	table := v.post("/api/v1/query", query("select"), "Accept", "text/csv")
	if table.status != http.StatusOK || !strings.HasPrefix(table.header.Get("Content-Type"), "text/csv") || table.cut {
		t.Fatalf("csv: %d %v", table.status, table.header)
	}
	records, err := csv.NewReader(strings.NewReader(table.body)).ReadAll()
	want := [][]string{{"a", "b", "c"}, {"1", "x", ""}, {"9007199254740993", "\"quoted\", line\n2", "true"}, {"1.5", "=1+1", "AP8="}}
	if err != nil || !reflect.DeepEqual(records, want) {
		t.Errorf("csv: %q, %v", records, err)
	}
}

func TestQueryAnswersWithText(t *testing.T) {
	st := open(t, siteOptions{})
	st.runner.on("say", func(_ context.Context, out runner.Sink) error {
		return errors.Join(out.Text("grüße,\n"), out.Text("</script>\u2028"))
	})
	v := st.visitor()
	if got := v.post("/api/v1/query", query("say")).json(t); got["text"] != "grüße,\n</script>\u2028" || got["columns"] != nil {
		t.Errorf("json: %v", got)
	}
	if got := v.post("/api/v1/query", query("say"), "Accept", "text/csv"); got.body != "grüße,\n</script>\u2028" ||
		!strings.HasPrefix(got.header.Get("Content-Type"), "text/plain") {
		t.Errorf("text that is no table: %v %q", got.header, got.body)
	}
	stream := v.follow(http.MethodPost, "/api/v1/query", query("say"))
	id := stream.want("accepted").json(t)["run_id"]
	text := ""
	var last event
	for _, last = range stream.rest() {
		if last.name == "output" {
			text += last.json(t)["text"].(string)
		}
	}
	if end := last.json(t); last.name != "end" || end["outcome"] != "succeeded" || end["run_id"] != id || end["text"] != nil {
		t.Errorf("last event %+v", last)
	}
	if text != "grüße,\n</script>\u2028" {
		t.Errorf("events: %q", text)
	}
}

func TestQueryStreamsTheFirstPieceAtOnce(t *testing.T) {
	st := open(t, siteOptions{tcp: true})
	hold := make(gate)
	st.runner.on("slow", func(ctx context.Context, out runner.Sink) error {
		if err := errors.Join(out.Columns(columns("n")), out.Rows([][]any{{int64(1)}})); err != nil {
			return err
		}
		return hold.wait(ctx, out)
	})
	for _, accept := range []string{"text/event-stream", "text/csv"} {
		v := st.visitor()
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		response, err := v.request(ctx, http.MethodPost, "/api/v1/query", query("slow"), "Accept", accept, "Accept-Encoding", "gzip")
		must(t, err)
		defer response.Body.Close()
		lines := bufio.NewReader(response.Body)
		for line := ""; !strings.Contains(line, "1]]") && line != "1\n"; {
			line, err = lines.ReadString('\n')
			must(t, err)
		}
		if took := time.Since(begin); took > 500*time.Millisecond {
			t.Errorf("%s: the first row came after %v", accept, took)
		}
		hold <- struct{}{}
		if _, err := io.Copy(io.Discard, lines); err != nil {
			t.Errorf("%s: %v", accept, err)
		}
	}
}

func TestQueryUsesTheKeptText(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.visitor()
	wantProblem(t, v.post("/api/v1/query", ""), http.StatusUnprocessableEntity, "invalid_query")
	v.post("/api/v1/queue/join", "")
	wantProblem(t, v.post("/api/v1/query", "{}"), http.StatusUnprocessableEntity, "invalid_query")
	v.post("/api/v1/queue/join", query("first"))
	v.post("/api/v1/queue/join", query("second"))
	v.post("/api/v1/queue/join", "")
	got := v.post("/api/v1/query", `{"query": null}`).json(t)
	if rows, _ := got["rows"].([]any); !reflect.DeepEqual(rows, []any{[]any{"second", 1.0}}) {
		t.Errorf("ran %v", got)
	}
}

func TestBusyTellsTheStanding(t *testing.T) {
	st := open(t, siteOptions{})
	st.visitor().post("/api/v1/queue/join", "")
	waiting, none := st.visitor(), st.visitor()
	waiting.post("/api/v1/queue/join", "")
	answer := waiting.post("/api/v1/query", query("select 1"))
	p := wantProblem(t, answer, http.StatusConflict, "busy")
	if standing, _ := p["standing"].(map[string]any); standing["position"] != 2.0 || standing["status"] != "queued" {
		t.Errorf("standing %v", p["standing"])
	}
	if answer.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	p = wantProblem(t, none.post("/api/v1/query", query("select 1"), "Accept", "text/event-stream"), http.StatusConflict, "busy")
	if p["standing"] != nil {
		t.Errorf("a standing without a ticket: %v", p["standing"])
	}
	wantProblem(t, none.get("/api/v1/queue/status"), http.StatusNotFound, "ticket_not_found")
}

// case: half-answer (the API's part)
func TestCaseHalfAnswer(t *testing.T) {
	failing := func(_ context.Context, out runner.Sink) error {
		for i := range 3 {
			if err := out.Text(fmt.Sprintf("chunk %d\n", i)); err != nil {
				return err
			}
		}
		return &runner.FailedError{Detail: "The model ran out of words.", Log: "secret: token 17"}
	}
	timedOut := func(ctx context.Context, out runner.Sink) error {
		return errors.Join(out.Text("chunk 0\n"), untilStopped(ctx, out))
	}
	for _, test := range []struct {
		name    string
		run     func(context.Context, runner.Sink) error
		stop    bool
		outcome string
		code    string
	}{
		{"failure", failing, false, "failed", "run_failed"},
		{"time-out", timedOut, false, "timed_out", "run_timed_out"},
		{"server stop", timedOut, true, "interrupted", "restarting"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := open(t, siteOptions{options: Options{RunTimeout: 10 * time.Second}})
				defer st.stop()
				st.runner.on("half", test.run)
				v := st.visitor()
				v.post("/api/v1/queue/join", "")
				stream := v.follow(http.MethodPost, "/api/v1/query", query("half"))
				stream.want("accepted")
				stream.want("output")
				if test.stop {
					go st.stop()
				}
				all := stream.rest()
				end := all[len(all)-1]
				got := end.json(t)
				if end.name != "end" || got["outcome"] != test.outcome || got["code"] != test.code || got["detail"] == "" {
					t.Errorf("last event %+v", end)
				}
				if strings.Contains(end.data, "secret") {
					t.Errorf("internals reach the owner: %s", end.data)
				}
			})
		})
	}

	st := open(t, siteOptions{tcp: true})
	st.runner.on("half", failing)
	v := st.visitor()
	hold := make(gate)
	st.runner.on("half a file", func(ctx context.Context, out runner.Sink) error {
		return errors.Join(out.Text("chunk 0\n"), hold.wait(ctx, out), failing(ctx, out))
	})
	response, err := v.request(t.Context(), http.MethodPost, "/api/v1/query", query("half a file"), "Accept", "text/csv")
	must(t, err) // the header comes with the first output
	close(hold)
	if content, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("half a file looks whole: %q", content)
	}
	response.Body.Close()
	p := wantProblem(t, v.post("/api/v1/query", query("half")), http.StatusBadGateway, "run_failed")
	if p["detail"] != "The model ran out of words." {
		t.Errorf("detail %v", p["detail"])
	}
	kept := v.get("/api/v1/runs/" + p["run_id"].(string)).json(t)
	if kept["outcome"] != "failed" || kept["text"] != "chunk 0\nchunk 1\nchunk 2\n" {
		t.Errorf("the run says %v", kept)
	}
	output := "/api/v1/runs/" + p["run_id"].(string) + "/output"
	wantProblem(t, v.get(output, "Accept", "text/csv"), http.StatusBadGateway, "run_failed")
	file := v.get(output + "?format=text") // who asks for the file gets what there is, under a name that says so
	if file.status != http.StatusOK || file.body != "chunk 0\nchunk 1\nchunk 2\n" || file.header.Get("Confluence-Outcome") != "failed" ||
		file.header.Get("Content-Disposition") != `attachment; filename="confluence-run-2-incomplete.txt"` {
		t.Errorf("the file: %d %v %q", file.status, file.header, file.body)
	}
	if !strings.Contains(st.log.String(), "secret: token 17") {
		t.Error("the operator is not told")
	}
}

func TestLeaveCancelsTheRun(t *testing.T) {
	st := open(t, siteOptions{})
	st.runner.on("long", untilStopped)
	v := st.visitor()
	v.post("/api/v1/queue/join", "")
	answered := v.background("long")
	eventually(t, "the run goes", func() bool { return st.runner.count() == 1 })
	v.delete("/api/v1/queue/ticket")
	wantProblem(t, <-answered, http.StatusConflict, "run_cancelled")
}

func TestRunnerUnavailable(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.visitor()
	v.post("/api/v1/queue/join", "")
	must(t, st.controller.SetRunner(t.Context(), false))
	answer := v.post("/api/v1/query", query("select 1"))
	wantProblem(t, answer, http.StatusServiceUnavailable, "runner_unavailable")
	if answer.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if view := v.get("/api/v1/queue/status").json(t); view["status"] != "ready" {
		t.Errorf("the reservation is gone: %v", view)
	}
}

func TestTheNextQueryFindsTheSlotFree(t *testing.T) {
	st := open(t, siteOptions{tcp: true})
	v := st.visitor()
	for i := range 50 {
		if answer := v.post("/api/v1/query", query("select 1")); answer.status != http.StatusOK {
			t.Fatalf("query %d: %d %s", i, answer.status, answer.body)
		}
	}
}
