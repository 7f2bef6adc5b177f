package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue"
	"confluence/queue/runner"
)

// patient is a script that can be asked whether it is well.
type patient struct {
	script
	health func(ctx context.Context) error

	lock   sync.Mutex
	checks []time.Time
}

func (p *patient) Health(ctx context.Context) error {
	p.lock.Lock()
	p.checks = append(p.checks, time.Now())
	health := p.health
	p.lock.Unlock()
	if health == nil {
		return nil
	}
	return health(ctx)
}

// becomes sets what the checks say from now on; nil: all is well.
func (p *patient) becomes(health func(ctx context.Context) error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.health = health
}

func (p *patient) checked() int {
	p.lock.Lock()
	defer p.lock.Unlock()
	return len(p.checks)
}

func failing(context.Context) error { return errors.New("dial tcp 10.0.0.7:11434: connection refused") }

// waiting is a number of visitors in line, whose open streams are their heartbeats.
func (st *site) waiting(n int) []*visitor {
	var all []*visitor
	for range n {
		v := st.visitor()
		v.post("/api/v1/queue/join", "")
		stream := v.follow(http.MethodGet, "/api/v1/queue/status", "")
		go func() {
			for _, ok := stream.next(); ok; _, ok = stream.next() {
			}
		}()
		all = append(all, v)
	}
	return all
}

func (st *site) picture() queue.Picture {
	st.t.Helper()
	p, err := st.controller.Picture(st.t.Context())
	must(st.t, err)
	return p
}

// case: worker-back
func TestCaseWorkerBack(t *testing.T) {
	for name, sick := range map[string]func(context.Context) error{
		"refuses": failing,
		"panics":  func(context.Context) error { panic("in pieces") },
		"hangs":   func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"deaf":    func(context.Context) error { time.Sleep(12 * time.Second); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				runs := &patient{health: sick}
				st := open(t, siteOptions{options: Options{Runner: runs, HealthEvery: 5 * time.Second}})
				defer st.stop()
				time.Sleep(5 * time.Second)
				synctest.Wait()
				waiting := st.waiting(10)
				time.Sleep(3 * time.Minute) // six heartbeats
				synctest.Wait()
				if p := st.picture(); p.Runner != queue.RunnerUnavailable || p.Length != 10 || len(p.Called) != 0 {
					t.Fatalf("while it is away: %+v", p)
				}
				wantProblem(t, waiting[0].post("/api/v1/query", query("select 1")), http.StatusServiceUnavailable, "runner_unavailable")
				if page := waiting[3].get("/wait"); !strings.Contains(page.body, "The runner is not answering") {
					t.Errorf("the page does not say so:\n%s", page.body)
				}
				runs.becomes(nil)
				within := 5 * time.Second
				if name == "deaf" {
					within += 12 * time.Second // the check that was under way is never joined by a second one
				}
				time.Sleep(within)
				synctest.Wait()
				if p := st.picture(); !reflect.DeepEqual(p.Called, []int64{1}) || p.Length != 9 {
					t.Errorf("an interval after it is back: %+v", p)
				}
				if log := st.log.String(); strings.Count(log, "does not answer") != 1 || strings.Count(log, "answers again") != 1 {
					t.Errorf("the log: %s", log)
				}
			})
		})
	}
}

func TestARunnerThatIsBusyIsNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := &patient{}
		st := open(t, siteOptions{options: Options{Runner: runs, HealthEvery: 5 * time.Second}})
		defer st.stop()
		time.Sleep(21 * time.Second)
		if n := runs.checked(); n != 5 {
			t.Errorf("%d checks in 21 seconds of idleness", n)
		}
		hold := make(gate)
		runs.on("hold", hold.wait)
		answered := st.visitor().background("hold")
		time.Sleep(time.Minute)
		if n := runs.checked(); n != 5 {
			t.Errorf("%d checks while its only slot was taken", n-5)
		}
		close(hold)
		<-answered
		runs.on("fail", func(context.Context, runner.Sink) error { return &runner.FailedError{Detail: "no"} })
		before := runs.checked()
		st.visitor().post("/api/v1/query", query("fail"))
		synctest.Wait()
		if n := runs.checked(); n != before+1 {
			t.Errorf("%d checks at once after a failed run", n-before)
		}
	})
}

// A run that meets a runner that is away has failed, and is told so; nobody behind it is called in vain.
func TestARunThatFindsTheRunnerAway(t *testing.T) {
	for _, asked := range []bool{true, false} {
		t.Run(fmt.Sprintf("can be asked %v", asked), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				away := func(context.Context, runner.Sink) error {
					return fmt.Errorf("taking it: %w", &runner.UnavailableError{RetryAfter: 6500 * time.Millisecond, Log: "429 from secret-host"})
				}
				runs := &patient{}
				options := Options{HealthEvery: 5 * time.Second, Runner: runs}
				on := runs.on
				if !asked {
					options.Runner = nil
				}
				st := open(t, siteOptions{options: options})
				defer st.stop()
				if !asked {
					on = st.runner.on
				}
				on("away", away)
				time.Sleep(time.Second)
				runs.becomes(failing)
				v := st.visitor()
				v.post("/api/v1/queue/join", "")
				st.waiting(2)
				answer := v.post("/api/v1/query", query("away"))
				p := wantProblem(t, answer, http.StatusServiceUnavailable, "runner_unavailable")
				if answer.header.Get("Retry-After") != "7" || p["retry_after_seconds"] != 7.0 || !strings.Contains(p["detail"].(string), "the turn is used") {
					t.Errorf("%v %s", answer.header, answer.body)
				}
				if strings.Contains(answer.body, "secret") || !strings.Contains(st.log.String(), "429 from secret-host") {
					t.Error("what the operator should know is told to the wrong one")
				}
				got := v.get("/api/v1/runs/" + p["run_id"].(string)).json(t)
				if got["outcome"] != "failed" || got["code"] != "runner_unavailable" || got["retry_after_seconds"] != 7.0 {
					t.Errorf("the run is %v", got)
				}
				synctest.Wait()
				if p := st.picture(); p.Runner != queue.RunnerUnavailable || p.Length != 2 || len(p.Called) != 0 {
					t.Errorf("just after: %+v", p)
				}
				runs.becomes(nil)
				time.Sleep(5 * time.Second)
				synctest.Wait()
				if p := st.picture(); !reflect.DeepEqual(p.Called, []int64{2}) {
					t.Errorf("after an interval: %+v", p)
				}
			})
		})
	}
}

// One slot of several that doesn't come back is lost for itself alone, until it does.
func TestAStuckSlotOfTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{line: queue.Config{Slots: 2}, options: Options{RunTimeout: 10 * time.Second, StopGrace: 5 * time.Second}})
		defer st.stop()
		end := make(chan struct{})
		st.runner.on("deaf", func(context.Context, runner.Sink) error { <-end; return nil })
		wantProblem(t, st.visitor().post("/api/v1/query", query("deaf")), http.StatusGatewayTimeout, "run_timed_out")
		time.Sleep(10 * time.Second)
		if p := st.picture(); p.Runner != queue.RunnerStopping || !p.Free {
			t.Errorf("one is stuck: %+v", p)
		}
		if answer := st.visitor().post("/api/v1/query", query("select 1")); answer.status != http.StatusOK {
			t.Errorf("the other slot: %d %s", answer.status, answer.body)
		}
		wantProblem(t, st.visitor().post("/api/v1/query", query("deaf")), http.StatusGatewayTimeout, "run_timed_out")
		st.waiting(3)
		if p := st.picture(); p.Runner != queue.RunnerStopping || p.Length != 3 {
			t.Errorf("both are stopping: %+v", p)
		}
		time.Sleep(10 * time.Second)
		if p := st.picture(); p.Runner != queue.RunnerUnavailable || p.Length != 3 || len(p.Serving) != 2 {
			t.Errorf("both are stuck: %+v", p)
		}
		close(end)
		synctest.Wait()
		if p := st.picture(); !reflect.DeepEqual(p.Called, []int64{4, 5}) || len(p.Serving) != 0 {
			t.Errorf("both are back: %+v", p)
		}
		if most := st.runner.most(); most != 2 {
			t.Errorf("%d runs at once in two slots", most)
		}
	})
}

// A check that never ends holds up the stop for as long as that may take, and no longer.
func TestStopWithADeafCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		runs := &patient{health: func(context.Context) error { <-end; return nil }}
		st := open(t, siteOptions{options: Options{Runner: runs}})
		defer st.stop()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if err := st.server.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("stop: %v", err)
		}
		close(end)
	})
}
