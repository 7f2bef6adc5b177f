package web

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue"
	"confluence/queue/runner"
)

func TestARunOfAPageEndsWhenNobodyWatches(t *testing.T) {
	for _, test := range []struct {
		name  string
		watch func(t *testing.T, st *site, v *visitor, x *run)
		end   time.Duration // since its start; 0: it is still going after an hour
	}{
		{"nobody", func(*testing.T, *site, *visitor, *run) {}, 30 * time.Second},
		{"a page load", func(_ *testing.T, _ *site, _ *visitor, x *run) {
			time.AfterFunc(20*time.Second, x.touch)
			time.AfterFunc(45*time.Second, x.touch)
		}, 75 * time.Second},
		{"a look by the API", func(t *testing.T, _ *site, v *visitor, x *run) {
			time.Sleep(25 * time.Second)
			v.get("/api/v1/runs/" + x.id)
		}, 55 * time.Second},
		{"a socket", func(_ *testing.T, st *site, v *visitor, _ *run) {
			release := st.server.runs.watch(st.sessionOf(v))
			time.AfterFunc(10*time.Minute, release)
			time.AfterFunc(11*time.Minute, release) // harmless twice
		}, 10*time.Minute + 30*time.Second},
		{"two sockets", func(_ *testing.T, st *site, v *visitor, _ *run) {
			session := st.sessionOf(v)
			time.AfterFunc(time.Minute, st.server.runs.watch(session))
			time.AfterFunc(2*time.Minute, st.server.runs.watch(session))
		}, 150 * time.Second},
		{"somebody else's socket", func(_ *testing.T, st *site, _ *visitor, _ *run) {
			st.server.runs.watch("somebody else")
		}, 30 * time.Second},
		{"a stream", func(_ *testing.T, _ *site, v *visitor, x *run) {
			stream := v.follow("GET", "/api/v1/runs/"+x.id+"/output", "")
			time.AfterFunc(5*time.Minute, stream.close)
			go func() {
				for _, ok := stream.next(); ok; _, ok = stream.next() {
				}
			}()
		}, 5*time.Minute + 30*time.Second},
		{"a stream for ever", func(_ *testing.T, _ *site, _ *visitor, x *run) { x.watch() }, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := open(t, siteOptions{options: Options{RunTimeout: 2 * time.Hour}})
				defer st.stop()
				st.runner.on("long", untilStopped)
				v := st.visitor()
				x := st.begin(v, "long")
				began := time.Now()
				test.watch(t, st, v, x)
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				ended := x.wait(ctx)
				took := time.Since(began)
				switch {
				case test.end == 0 && ended:
					t.Errorf("ended after %v though it was watched", took)
				case test.end > 0 && took != test.end:
					t.Errorf("ended after %v, want %v", took, test.end)
				case test.end > 0 && x.state().Outcome != queue.Disconnected:
					t.Errorf("ended as %s", x.state().Outcome)
				}
			})
		})
	}
}

func TestAnAttachedRunNeedsNoWatcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{})
		defer st.stop()
		st.runner.on("slow", func(context.Context, runner.Sink) error { time.Sleep(4 * time.Minute); return nil })
		if got := st.visitor().post("/api/v1/query", query("slow")).json(t); got["outcome"] != "succeeded" || got["duration_seconds"] != 240.0 {
			t.Errorf("got %v", got)
		}
	})
}

func TestRunsAreKeptForAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{})
		defer st.stop()
		v := st.visitor()
		x := st.begin(v, "select 1")
		x.wait(t.Context())
		session := st.sessionOf(v)
		time.Sleep(defaultResultTTL - time.Second)
		if _, ok := st.server.runs.get(session, x.id); !ok {
			t.Error("forgotten before its hour")
		}
		if _, ok := st.server.runs.get("", x.id); ok {
			t.Error("given to nobody")
		}
		time.Sleep(2 * time.Second)
		if _, ok := st.server.runs.get(session, x.id); ok {
			t.Error("kept beyond its hour")
		}
		st.wantNoRuns()
	})
}

// wantNoRuns checks that nothing of any run is left.
func (st *site) wantNoRuns() {
	st.t.Helper()
	r := st.server.runs
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.byID)+len(r.bySession)+len(r.kept)+len(r.sockets) != 0 || r.keptBytes != 0 || r.keptDisk != 0 {
		st.t.Errorf("left: %d runs, %d sessions, %d kept, %d sockets, %d bytes", len(r.byID), len(r.bySession), len(r.kept), len(r.sockets), r.keptBytes)
	}
}

func TestKeptRunsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{})
		defer st.stop()
		st.runner.on("big", func(_ context.Context, out runner.Sink) error { return out.Text(strings.Repeat("x", 10<<20)) })
		v := st.visitor()
		var all []*run
		for range keepPerSession + 5 {
			x := st.begin(v, "select 1")
			x.wait(t.Context())
			synctest.Wait()
			all = append(all, x)
		}
		for i, x := range all {
			if _, ok := st.server.runs.get(x.session, x.id); ok != (i >= 5) {
				t.Errorf("run %d of %d: kept %v", i+1, len(all), ok)
			}
		}
		for range 8 {
			st.begin(st.visitor(), "big").wait(t.Context())
			synctest.Wait()
		}
		st.server.runs.mu.Lock()
		if st.server.runs.keptBytes > keepBytes {
			t.Errorf("%d bytes are kept", st.server.runs.keptBytes)
		}
		st.server.runs.mu.Unlock()
		for i := range keepRuns + 5 {
			x, err := st.server.runs.start(t.Context(), fmt.Sprint(i), "select 1", false)
			must(t, err)
			x.wait(t.Context())
		}
		synctest.Wait()
		st.server.runs.mu.Lock()
		if n := len(st.server.runs.kept); n != keepRuns {
			t.Errorf("%d runs are kept", n)
		}
		st.server.runs.mu.Unlock()
		time.Sleep(defaultResultTTL + time.Second)
		st.wantNoRuns()
	})
}

func TestStartAfterStop(t *testing.T) {
	st := open(t, siteOptions{})
	must(t, st.server.Stop(t.Context()))
	must(t, st.server.Stop(t.Context()))
	if _, err := st.server.runs.start(t.Context(), "s", "select 1", false); !errors.Is(err, queue.ErrStopped) {
		t.Errorf("start: %v", err)
	}
	v := st.visitor()
	v.post("/api/v1/queue/join", "")
	wantProblem(t, v.get("/api/v1/queue/status", "Accept", "text/event-stream"), 503, "restarting")
	wantProblem(t, v.post("/api/v1/query", query("select 1")), 503, "restarting")
	if ready := v.get("/readyz"); ready.status != 503 || !strings.Contains(ready.body, "stopping") {
		t.Errorf("readyz: %d %s", ready.status, ready.body)
	}
}

// A runner that ignores the stop holds up neither its reader nor, beyond the time given, the server.
func TestStopIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{})
		defer st.stop()
		end := make(chan struct{})
		st.runner.on("deaf", func(context.Context, runner.Sink) error { <-end; return nil })
		v := st.visitor()
		v.post("/api/v1/queue/join", "")
		stream := v.follow("POST", "/api/v1/query", query("deaf"))
		stream.want("accepted")
		begin := time.Now()
		stopped := make(chan error, 1)
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			stopped <- st.server.Stop(ctx)
		}()
		if last := stream.want("end").json(t); last["outcome"] != "interrupted" {
			t.Errorf("end %v", last)
		}
		if took := time.Since(begin); took > time.Second {
			t.Errorf("the reader was told after %v", took)
		}
		if err := <-stopped; !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != 5*time.Second {
			t.Errorf("stop: %v after %v", err, time.Since(begin))
		}
		close(end)
	})
}

func TestACheckThatCannotTellLetsTheTextThrough(t *testing.T) {
	for name, check := range map[string]func(ctx context.Context) error{
		"error":   func(context.Context) error { return errors.New("no connection to secret-host") },
		"panic":   func(context.Context) error { panic("secret") },
		"endless": func(ctx context.Context) error { <-ctx.Done(); return fmt.Errorf("killed: %w", ctx.Err()) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := open(t, siteOptions{options: Options{Runner: &checker{check: check}}})
				defer st.stop()
				if answer := st.visitor().post("/api/v1/query", query("select 1")); answer.status != 200 {
					t.Errorf("%d %s", answer.status, answer.body)
				}
			})
		})
	}
	t.Run("unavailable", func(t *testing.T) {
		st := open(t, siteOptions{options: Options{Runner: &checker{check: func(context.Context) error {
			return fmt.Errorf("no child: %w", runner.ErrUnavailable)
		}}}})
		wantProblem(t, st.visitor().post("/api/v1/query", query("select 1")), 503, "runner_unavailable")
	})
}

// checker is a script with a Check of its own.
type checker struct {
	script
	check func(ctx context.Context) error
}

func (c *checker) Check(ctx context.Context, _ runner.Query) error { return c.check(ctx) }

// TestARunIsFoundFromItsClaimOn: the line tells of a run a moment before it is here, and a page that comes in between waits for that moment.
func TestARunIsFoundFromItsClaimOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{})
		defer st.stop()
		r := st.server.runs
		settled := r.claiming("s")
		found := make(chan bool, 1)
		go func() { _, ok := r.get("s", "r_claimed"); found <- ok }()
		synctest.Wait()
		if _, ok := r.get("another", "r_claimed"); ok {
			t.Error("given to another session")
		}
		select {
		case <-found:
			t.Fatal("did not wait for the claim")
		default:
		}
		r.mu.Lock()
		r.byID["r_claimed"] = &run{id: "r_claimed", session: "s"}
		r.mu.Unlock()
		settled()
		if !<-found {
			t.Error("not found after the claim")
		}
		r.mu.Lock()
		delete(r.byID, "r_claimed")
		r.mu.Unlock()
		if len(r.claims) > 0 {
			t.Errorf("%d sessions with claims remain", len(r.claims))
		}
	})
}
