package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue/runner"
)

// begin starts a run of a page: one that belongs to the server.
func (st *site) begin(v *visitor, text string) *run {
	st.t.Helper()
	v.post("/api/v1/queue/join", "")
	x, err := st.server.runs.start(st.t.Context(), st.sessionOf(v), text, false)
	must(st.t, err)
	return x
}

// sessionOf reads the session from the visitor's cookie.
func (st *site) sessionOf(v *visitor) string {
	st.t.Helper()
	r, err := http.NewRequest(http.MethodGet, st.network.base+"/", nil)
	must(st.t, err)
	for _, cookie := range v.http.Jar.Cookies(r.URL) {
		r.AddCookie(cookie)
	}
	session, err := st.server.sessions.cookies.New(r, sessionCookie)
	must(st.t, err)
	return session.Values[sessionValue].(string)
}

// case: other-peoples-run (the API's part)
func TestCaseOtherPeoplesRun(t *testing.T) {
	st := open(t, siteOptions{})
	step := make(chan struct{})
	st.runner.on("mine", func(_ context.Context, out runner.Sink) error {
		for i := range 3 {
			<-step
			if err := out.Text(fmt.Sprint(i)); err != nil {
				return err
			}
		}
		return nil
	})
	owner, other := st.visitor(), st.visitor()
	owner.post("/api/v1/queue/join", "")
	other.post("/api/v1/queue/join", "")
	stream := owner.follow(http.MethodPost, "/api/v1/query", query("mine"))
	id := stream.want("accepted").json(t)["run_id"].(string)
	for i := range 3 {
		for _, nobody := range []string{id, "r_unknown"} {
			for _, v := range []*visitor{other, st.stranger()} {
				for _, answer := range []reply{
					v.get("/api/v1/runs/" + nobody), v.get("/api/v1/runs/" + nobody + "/output"),
					v.get("/api/v1/runs/"+nobody+"/output", "Accept", "text/event-stream"),
					v.get("/api/v1/runs/" + nobody + "/output?format=csv"), v.delete("/api/v1/runs/" + nobody),
				} {
					p := wantProblem(t, answer, http.StatusNotFound, "not_found")
					if strings.Contains(answer.body, id) || p["detail"] == "" {
						t.Errorf("it shows that there is a run: %s", answer.body)
					}
				}
			}
		}
		other.delete("/api/v1/queue/ticket")
		step <- struct{}{}
		if got := stream.want("output").json(t)["text"]; got != fmt.Sprint(i) {
			t.Errorf("output %v, want %d", got, i)
		}
	}
	if end := stream.want("end").json(t); end["outcome"] != "succeeded" {
		t.Errorf("end %v", end)
	}
	if got := owner.get("/api/v1/runs/" + id).json(t); got["text"] != "012" {
		t.Errorf("kept: %v", got)
	}
}

func TestRunStateAndCancel(t *testing.T) {
	st := open(t, siteOptions{})
	st.runner.on("long", untilStopped)
	v := st.visitor()
	x := st.begin(v, "long")
	going := v.get("/api/v1/runs/" + x.id).json(t)
	for field, want := range map[string]any{
		"run_id": x.id, "state": "running", "outcome": nil, "number": 1.0, "query": "long", "ended_at": nil, "truncated": false,
	} {
		if got := going[field]; got != want {
			t.Errorf("going: %s is %v, want %v", field, got, want)
		}
	}
	for range 2 {
		if answer := v.delete("/api/v1/runs/" + x.id); answer.status != http.StatusNoContent {
			t.Errorf("cancel: %d %s", answer.status, answer.body)
		}
	}
	x.wait(t.Context())
	if answer := v.delete("/api/v1/runs/" + x.id); answer.status != http.StatusNoContent {
		t.Errorf("cancel after the end: %d %s", answer.status, answer.body)
	}
	ended := v.get("/api/v1/runs/" + x.id).json(t)
	if ended["state"] != "ended" || ended["outcome"] != "cancelled" || ended["code"] != "run_cancelled" || ended["ended_at"] == nil {
		t.Errorf("ended: %v", ended)
	}
	finished := wantProblem(t, v.get("/api/v1/queue/status"), http.StatusNotFound, "ticket_not_found")
	if finished["reason"] != "finished" || finished["run_id"] != x.id || finished["outcome"] != "cancelled" {
		t.Errorf("status: %v", finished)
	}
}

func TestOutputFormats(t *testing.T) {
	st := open(t, siteOptions{})
	st.runner.on("table", func(_ context.Context, out runner.Sink) error {
		out.Truncated("Only the first 2 rows are shown.")
		return errors.Join(out.Columns(columns("a")), out.Rows([][]any{{nil}, {"x\ty\nz"}}))
	})
	v := st.visitor()
	x := st.begin(v, "table")
	x.wait(t.Context())
	for _, test := range []struct {
		query, accept, contentType, disposition, body string
	}{
		{"", "text/csv", "text/csv; charset=utf-8; header=present", "", "a\n\"\"\n\"x\ty\nz\"\n"},
		{"?format=csv", "*/*", "text/csv; charset=utf-8; header=present", `attachment; filename="confluence-run-1-incomplete.csv"`, "a\n\"\"\n\"x\ty\nz\"\n"},
		{"", "text/plain, */*;q=0.1", "text/plain; charset=utf-8", "", "a\n\nx y z\n"},
		{"?format=text", "text/html", "text/plain; charset=utf-8", `attachment; filename="confluence-run-1-incomplete.txt"`, "a\n\nx y z\n"},
		{"", "*/*", "application/json", "", ""},
		{"?format=json", "text/event-stream", "application/json", `attachment; filename="confluence-run-1-incomplete.json"`, ""},
	} {
		got := v.get("/api/v1/runs/"+x.id+"/output"+test.query, "Accept", test.accept)
		if got.status != http.StatusOK || got.header.Get("Content-Type") != test.contentType || got.header.Get("Content-Disposition") != test.disposition {
			t.Errorf("%q %q: %d %v", test.query, test.accept, got.status, got.header)
		}
		if test.contentType != "application/json" {
			if got.body != test.body {
				t.Errorf("%q %q: %q, want %q", test.query, test.accept, got.body, test.body)
			}
			continue
		}
		document := got.json(t)
		if !reflect.DeepEqual(document["rows"], []any{[]any{nil}, []any{"x\ty\nz"}}) || document["truncated"] != true ||
			document["truncated_reason"] != "Only the first 2 rows are shown." {
			t.Errorf("%q %q: %s", test.query, test.accept, got.body)
		}
	}
}

func TestCSVSaysInATrailerThatItWasCut(t *testing.T) {
	st := open(t, siteOptions{options: Options{MaxResultBytes: 40}})
	st.runner.on("big", func(_ context.Context, out runner.Sink) error {
		if err := out.Columns(columns("n")); err != nil {
			return err
		}
		for i := range int64(1000) {
			if err := out.Rows([][]any{{i}}); err != nil {
				return err
			}
		}
		return nil
	})
	v := st.visitor()
	response, err := v.request(t.Context(), http.MethodPost, "/api/v1/query", query("big"), "Accept", "text/csv")
	must(t, err)
	defer response.Body.Close()
	var lines int
	buf := make([]byte, 1024)
	for err == nil {
		var n int
		n, err = response.Body.Read(buf)
		lines += strings.Count(string(buf[:n]), "\n")
	}
	if response.Trailer.Get("Confluence-Truncated") != "true" || lines != 11 {
		t.Errorf("trailer %v, %d lines", response.Trailer, lines)
	}
	got := v.post("/api/v1/query", query("big")).json(t)
	if got["truncated"] != true || got["outcome"] != "succeeded" || !strings.Contains(got["truncated_reason"].(string), "40 bytes") {
		t.Errorf("json: %v", got)
	}
}

// Every tab follows at its own pace, and none is told anything twice or misses any of it.
func TestManyFollowOneRun(t *testing.T) {
	st := open(t, siteOptions{})
	const rows = 3000
	st.runner.on("rows", func(_ context.Context, out runner.Sink) error {
		if err := out.Columns(columns("n")); err != nil {
			return err
		}
		for i := range int64(rows) {
			if err := out.Rows([][]any{{i}}); err != nil {
				return err
			}
		}
		return nil
	})
	v := st.visitor()
	x := st.begin(v, "rows")
	results := make(chan error, 4)
	for breaks := range 4 {
		go func() { results <- followWithBreaks(v, x.id, rows, breaks*3) }()
	}
	for range 4 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

// followWithBreaks follows a run, dropping the connection after every few events, if breaks isn't 0.
func followWithBreaks(v *visitor, id string, rows, breaks int) error {
	next, last, headed := 0, "", false
	for {
		ctx, cancel := context.WithCancel(context.Background())
		response, err := v.request(ctx, http.MethodGet, "/api/v1/runs/"+id+"/output", "", "Accept", "text/event-stream", "Last-Event-ID", last)
		if err != nil {
			cancel()
			return err
		}
		stream := newEvents(response, cancel)
		for n := 1; breaks == 0 || n <= breaks; n++ {
			ev, ok := stream.next()
			if !ok || ev.comment {
				break
			}
			if ev.name == "end" {
				stream.close()
				if next != rows {
					return fmt.Errorf("the end came after %d rows of %d", next, rows)
				}
				return nil
			}
			last = ev.id
			var output struct {
				Columns []string
				Rows    [][]int
			}
			if err := json.Unmarshal([]byte(ev.data), &output); err != nil {
				return err
			}
			if output.Columns != nil {
				if headed {
					return errors.New("the columns came twice")
				}
				headed = true
			}
			for _, row := range output.Rows {
				if row[0] != next {
					return fmt.Errorf("row %d, want %d", row[0], next)
				}
				next++
			}
		}
		stream.close()
	}
}

func TestAnOutputStreamOfASilentRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{})
		defer st.stop()
		st.runner.on("silent", func(ctx context.Context, out runner.Sink) error {
			time.Sleep(4 * time.Minute)
			return out.Text("done")
		})
		v := st.visitor()
		x := st.begin(v, "silent")
		stream := v.follow(http.MethodGet, "/api/v1/runs/"+x.id+"/output", "")
		defer stream.close()
		begin, comments := time.Now(), 0
		for {
			ev, ok := stream.next()
			if !ok {
				t.Fatal("the stream ended in the silence")
			}
			if !ev.comment {
				break
			}
			comments++
		}
		if quiet := time.Since(begin) / time.Duration(comments+1); quiet > streamSilence {
			t.Errorf("%d signs of life in 4 minutes", comments)
		}
		if end := stream.want("end").json(t); end["outcome"] != "succeeded" {
			t.Errorf("end %v", end)
		}
		// Who comes after the end gets all of it at once, and who knows it all gets the end.
		again := v.follow(http.MethodGet, "/api/v1/runs/"+x.id+"/output", "")
		if got := again.rest(); len(got) != 2 || got[0].json(t)["text"] != "done" || got[1].name != "end" {
			t.Errorf("afterwards: %+v", got)
		}
		known := v.follow(http.MethodGet, "/api/v1/runs/"+x.id+"/output", "", "Last-Event-ID", "4")
		if got := known.rest(); len(got) != 1 || got[0].name != "end" {
			t.Errorf("known: %+v", got)
		}
	})
}
