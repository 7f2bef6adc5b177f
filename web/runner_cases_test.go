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
