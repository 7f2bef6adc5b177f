package web

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue"
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
	wantProblem(t, v.get("/api/v1/runs/"+p["run_id"].(string)+"/output?format=csv"), http.StatusBadGateway, "run_failed")
	if !strings.Contains(st.log.String(), "secret: token 17") {
		t.Error("the operator is not told")
	}
}

// case: runner-errors (the API's part)
func TestCaseRunnerErrors(t *testing.T) {
	st := open(t, siteOptions{})
	for text, run := range map[string]func(context.Context, runner.Sink) error{
		"error":      func(context.Context, runner.Sink) error { return errors.New("dial tcp 10.0.0.7: secret") },
		"panic":      func(context.Context, runner.Sink) error { panic("secret") },
		"late panic": func(_ context.Context, out runner.Sink) error { _ = out.Text("some"); panic("secret") },
		"mixed":      func(_ context.Context, out runner.Sink) error { _ = out.Text("some"); return out.Columns(columns("a")) },
		"rubbish": func(_ context.Context, out runner.Sink) error {
			_ = out.Text("\xff\xfe\x00")
			return errors.New("secret")
		},
		"crooked": func(_ context.Context, out runner.Sink) error {
			_ = out.Columns(columns("a"))
			return out.Rows([][]any{{1, 2}})
		},
		"strange": func(_ context.Context, out runner.Sink) error {
			_ = out.Columns(columns("a"))
			return out.Rows([][]any{{struct{}{}}})
		},
		"exit":           func(context.Context, runner.Sink) error { runtime.Goexit(); return nil },
		"before columns": func(_ context.Context, out runner.Sink) error { return out.Rows([][]any{{"a"}}) },
	} {
		st.runner.on(text, run)
		owner, next, other := st.visitor(), st.visitor(), st.visitor()
		owner.post("/api/v1/queue/join", query(text))
		next.post("/api/v1/queue/join", "")
		answer := owner.post("/api/v1/query", "")
		p := wantProblem(t, answer, http.StatusBadGateway, "run_failed")
		if strings.Contains(answer.body, "secret") {
			t.Errorf("%s: internals reach the owner: %s", text, answer.body)
		}
		wantProblem(t, other.get("/api/v1/runs/"+p["run_id"].(string)), http.StatusNotFound, "not_found")
		if view := next.get("/api/v1/queue/status").json(t); view["status"] != "ready" {
			t.Errorf("%s: the next is %v", text, view["status"])
		}
		if answer := next.post("/api/v1/query", query("select 1")); answer.status != http.StatusOK {
			t.Errorf("%s: the next run: %d %s", text, answer.status, answer.body)
		}
	}
	if !strings.Contains(st.log.String(), "secret") {
		t.Error("the operator is not told")
	}
}

// case: silent-runner (the API's part)
func TestCaseSilentRunner(t *testing.T) {
	for _, goodbye := range []string{"FIN", "RST"} {
		for _, accept := range []string{"application/json", "text/event-stream", "text/csv"} {
			t.Run(goodbye+" "+accept, func(t *testing.T) {
				st := open(t, siteOptions{tcp: true})
				stopped := make(chan time.Time, 1)
				cleanUp := make(chan struct{})
				st.runner.on("silent", func(ctx context.Context, _ runner.Sink) error {
					<-ctx.Done()
					stopped <- time.Now()
					<-cleanUp
					return context.Cause(ctx)
				})
				conn, err := net.Dial("tcp", st.network.listener.Addr().String())
				must(t, err)
				body := query("silent") + strings.Repeat(" ", 4000) // behind the document, but not behind the body
				_, err = fmt.Fprintf(conn, "POST /api/v1/query HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAccept: %s\r\nContent-Length: %d\r\n\r\n%s",
					accept, len(body), body)
				must(t, err)
				eventually(t, "the run goes", func() bool { return st.runner.count() == 1 })
				next := st.visitor()
				next.post("/api/v1/queue/join", "")

				if goodbye == "RST" {
					must(t, conn.(*net.TCPConn).SetLinger(0))
				}
				gone := time.Now()
				must(t, conn.Close())
				if took := (<-stopped).Sub(gone); took > time.Second {
					t.Errorf("stopped after %v", took)
				}
				if view := next.get("/api/v1/queue/status").json(t); view["status"] != "queued" {
					t.Errorf("the next is %v before the clean-up has ended", view["status"])
				}
				close(cleanUp)
				eventually(t, "the next is called", func() bool { return next.get("/api/v1/queue/status").json(t)["status"] == "ready" })
			})
		}
	}
}

// case: endless-run (the API's part)
func TestCaseEndlessRun(t *testing.T) {
	for _, kind := range []string{"obeys", "ignores", "ignores and writes"} {
		synctest.Test(t, func(t *testing.T) {
			st := open(t, siteOptions{options: Options{RunTimeout: 10 * time.Second}})
			defer st.stop()
			end := make(chan struct{})
			st.runner.on("endless", func(ctx context.Context, out runner.Sink) error {
				switch kind {
				case "obeys":
					<-ctx.Done()
					return context.Cause(ctx)
				case "ignores and writes":
					for {
						select {
						case <-end:
							return nil
						case <-time.After(100 * time.Millisecond):
							_ = out.Text("more ")
						}
					}
				}
				<-end
				return nil
			})
			v, next := st.visitor(), st.visitor()
			v.post("/api/v1/queue/join", "")
			begin := time.Now()
			answered := v.background("endless")
			synctest.Wait()
			next.post("/api/v1/queue/join", "")
			stream := next.follow(http.MethodGet, "/api/v1/queue/status", "")
			defer stream.close()
			go func() {
				for _, ok := stream.next(); ok; _, ok = stream.next() { // keeps the place of the next
				}
			}()
			wantProblem(t, <-answered, http.StatusGatewayTimeout, "run_timed_out")
			if took := time.Since(begin); took < 10*time.Second || took > 11*time.Second {
				t.Errorf("%s: answered after %v", kind, took)
			}
			if kind != "obeys" {
				time.Sleep(time.Minute)
				if picture, err := st.controller.Picture(t.Context()); err != nil || len(picture.Called) != 0 || picture.Runner != queue.RunnerStopping {
					t.Errorf("%s: the slot was given on under a runner that goes on: %+v, %v", kind, picture, err)
				}
			}
			close(end)
			synctest.Wait()
			if picture, err := st.controller.Picture(t.Context()); err != nil || !reflect.DeepEqual(picture.Called, []int64{2}) {
				t.Errorf("%s: the next is not called: %+v, %v", kind, picture, err)
			}
		})
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
