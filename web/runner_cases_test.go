package web

import (
	"context"
	"errors"
	"fmt"
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

// case: endless-run
func TestCaseEndlessRun(t *testing.T) {
	for _, kind := range []string{"obeys", "ignores", "ignores and writes"} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { endlessRun(t, kind) })
		})
	}
}

func endlessRun(t *testing.T, kind string) {
	st := open(t, siteOptions{options: Options{RunTimeout: 10 * time.Second, StopGrace: 5 * time.Second}})
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
	told := make(chan event, 100)
	go func() {
		for ev, ok := stream.next(); ok; ev, ok = stream.next() { // keeps the place of the next
			told <- ev
		}
	}()
	p := wantProblem(t, <-answered, http.StatusGatewayTimeout, "run_timed_out")
	if took := time.Since(begin); took < 10*time.Second || took > 11*time.Second {
		t.Errorf("answered after %v", took)
	}
	address := "/api/v1/runs/" + p["run_id"].(string)
	if kind != "obeys" {
		for _, step := range []struct {
			at                    time.Duration // since the start
			picture               queue.RunnerState
			waiting, page, kiosks string
		}{
			{13 * time.Second, queue.RunnerStopping, "running", "still stopping", "Stopping"},
			{16 * time.Second, queue.RunnerUnavailable, "unavailable", "doesn’t stop", "The runner is not answering"},
			{2 * time.Minute, queue.RunnerUnavailable, "unavailable", "doesn’t stop", "The runner is not answering"},
		} {
			time.Sleep(step.at - time.Since(begin))
			picture, err := st.controller.Picture(t.Context())
			if must(t, err); len(picture.Called) != 0 || picture.Runner != step.picture {
				t.Errorf("at %v: %+v", step.at, picture)
			}
			if got := v.get(address).json(t); got["state"] != "stopping" || got["outcome"] != "timed_out" {
				t.Errorf("at %v the run is %v", step.at, got)
			}
			if got := next.get("/api/v1/queue/status").json(t); got["runner"] != step.waiting || got["status"] != "queued" {
				t.Errorf("at %v who waits is told %v", step.at, got)
			}
			for path, of := range map[string]*visitor{"/runs/" + p["run_id"].(string): v, "/kiosk": next} {
				words := step.page
				if path == "/kiosk" {
					words = step.kiosks
				}
				if page := of.get(path); !strings.Contains(page.body, words) {
					t.Errorf("at %v %s doesn't say %q:\n%s", step.at, path, words, page.body)
				}
			}
		}
		if !strings.Contains(next.get("/wait").body, "The runner is not answering") {
			t.Error("the waiting page does not say that the runner is not answering")
		}
		wantProblem(t, st.visitor().post("/api/v1/query", query("select 1")), http.StatusServiceUnavailable, "runner_unavailable")
	}
	close(end)
	synctest.Wait()
	if picture, err := st.controller.Picture(t.Context()); err != nil || !reflect.DeepEqual(picture.Called, []int64{2}) {
		t.Errorf("the next is not called: %+v, %v", picture, err)
	}
	if got := v.get(address).json(t); got["state"] != "ended" || got["outcome"] != "timed_out" {
		t.Errorf("in the end the run is %v", got)
	}
	if st.runner.most() != 1 {
		t.Errorf("%d runs at once in one slot", st.runner.most())
	}
	if last := lastOf(told); last.json(t)["status"] != "ready" {
		t.Errorf("who waits was told last: %s", last.data)
	}
}

// lastOf is the last of the events that have come.
func lastOf(told <-chan event) (last event) {
	for {
		select {
		case last = <-told:
		default:
			return last
		}
	}
}
