package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"confluence/queue"
	"confluence/queue/runner"
)

// measure is what the metrics say, by name and labels.
func measure(t *testing.T, metrics http.Handler) map[string]float64 {
	t.Helper()
	values := map[string]float64{}
	for line := range strings.Lines(measured(t, metrics)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, text, _ := cutLast(strings.TrimSpace(line), " ")
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		values[name] = value
	}
	return values
}

var goVersion = runtime.Version()

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// measured is the text of the metrics.
func measured(t *testing.T, metrics http.Handler) string {
	t.Helper()
	answer := httptest.NewRecorder()
	metrics.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if answer.Code != http.StatusOK || !strings.HasPrefix(answer.Header().Get("Content-Type"), "text/plain") {
		t.Fatalf("%d %s\n%s", answer.Code, answer.Header().Get("Content-Type"), answer.Body)
	}
	return answer.Body.String()
}

func wantMeasured(t *testing.T, metrics http.Handler, want map[string]float64) {
	t.Helper()
	got := measure(t, metrics)
	for name, value := range want {
		if is, there := got[name]; !there || is != value {
			t.Errorf("%s is %v (%v), want %v", name, is, there, value)
		}
	}
}

// TestMetricsOfALine: joins, waits, runs and ends are counted as they happen, each once.
func TestMetricsOfALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t, func(c *queue.Config, _ *Options) { c.MaxLength = 3 })
		metrics := site.server.Metrics("1.2.3")
		wantMeasured(t, metrics, map[string]float64{
			`confluence_joins_total`: 0, `confluence_tickets_ended_total{reason="reservation_expired"}`: 0, `confluence_runs_total{outcome="failed"}`: 0,
			`confluence_refusals_total{code="queue_full"}`: 0, `confluence_slots`: 1, `confluence_runner_available`: 1, `confluence_paused`: 0,
		})
		var crowd []*pageVisitor
		for range 5 {
			crowd = append(crowd, site.visitor())
		}
		for _, v := range crowd {
			v.post("/query", "query", "hold it")
		}
		site.visitor().open("/live/kiosk")
		site.visitor().open("/live")
		synctest.Wait()
		wantMeasured(t, metrics, map[string]float64{
			`confluence_joins_total`: 4, `confluence_tickets{state="running"}`: 1, `confluence_tickets{state="waiting"}`: 3,
			`confluence_refusals_total{code="queue_full"}`: 1, `confluence_wait_duration_seconds_count`: 1, `confluence_wait_duration_seconds_sum`: 0,
			`confluence_live_sockets{kind="kiosk"}`: 1,
		})
		time.Sleep(20 * time.Second)
		crowd[3].post("/leave")
		site.runner.release("hold it")
		synctest.Wait()
		wantMeasured(t, metrics, map[string]float64{
			`confluence_runs_total{outcome="succeeded"}`: 1, `confluence_run_duration_seconds_count`: 1, `confluence_run_duration_seconds_sum`: 20,
			`confluence_wait_duration_seconds_count`: 2, `confluence_wait_duration_seconds_sum`: 20,
			`confluence_tickets_ended_total{reason="left"}`: 1, `confluence_tickets_ended_total{reason="finished"}`: 1,
			`confluence_tickets{state="reserved"}`: 1, `confluence_tickets{state="waiting"}`: 1,
		})
		if err := site.line.SetPaused(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		time.Sleep(61 * time.Second) // the reservation lapses, and who waits hasn't been heard of
		wantMeasured(t, metrics, map[string]float64{
			`confluence_tickets_ended_total{reason="reservation_expired"}`: 1, `confluence_tickets_ended_total{reason="heartbeat_lost"}`: 1,
			`confluence_paused`: 1, `confluence_tickets{state="waiting"}`: 0, `confluence_tickets{state="reserved"}`: 0,
			`confluence_build_info{go_version="` + goVersion + `",version="1.2.3"}`: 1,
		})
	})
}

// TestMetricsOfTheEstimate: they are what GET /api/v1/queue publishes.
func TestMetricsOfTheEstimate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := pageOpen(t)
		metrics := site.server.Metrics("")
		if strings.Contains(measured(t, metrics), "confluence_wait_estimate") {
			t.Error("an estimate is told of which nothing is known")
		}
		for i := range 30 {
			first, second, held := site.visitor(), site.visitor(), fmt.Sprint("hold ", i)
			first.post("/query", "query", held)
			second.post("/query", "query", "quick")
			time.Sleep(10 * time.Second)
			site.runner.release(held)
			synctest.Wait()
			second.post("/claim")
			synctest.Wait()
		}
		picture, err := site.line.Picture(t.Context())
		if err != nil || picture.Estimate.Predictions == 0 {
			t.Fatalf("%+v, %v", picture.Estimate, err)
		}
		wantMeasured(t, metrics, map[string]float64{
			"confluence_wait_estimate_coverage_ratio": picture.Estimate.Coverage, "confluence_wait_estimate_mean_error_seconds": picture.Estimate.MeanError,
			"confluence_wait_estimate_classic_mean_error_seconds": picture.Estimate.ClassicError,
			"confluence_wait_estimate_predictions":                float64(picture.Estimate.Predictions),
		})
	})
}

// TestMetricsAreOfNobody: names are as Prometheus wants them, labels have few values, and none tells of a ticket, a session or a query.
func TestMetricsAreOfNobody(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.visitor()
	joined := v.post("/api/v1/queue/join", query("select secret")).json(t)
	ran := v.post("/api/v1/query", "").json(t)
	v.get("/no/such/page")
	text := measured(t, st.server.Metrics("1.2.3"))
	for _, secret := range []string{"secret", joined["ticket_id"].(string), ran["run_id"].(string), "such"} {
		if strings.Contains(text, secret) {
			t.Errorf("the metrics tell of %s", secret)
		}
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "confluence_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
	for _, name := range []string{"go_goroutines", "process_cpu_seconds_total"} {
		if !strings.Contains(text, "\n"+name+" ") {
			t.Errorf("there is no %s", name)
		}
	}
	if n := len(regexp.MustCompile(`(?m)^confluence_`).FindAllString(text, -1)); n > 120 {
		t.Errorf("there are %d series of ours", n)
	}
	if got := measure(t, st.server.Metrics(""))[`confluence_refusals_total{code="not_found"}`]; got != 1 {
		t.Errorf("%v requests for what isn't there", got)
	}
	if page := v.get("/metrics"); page.status != http.StatusNotFound {
		t.Errorf("visitors get the metrics: %d", page.status)
	}
}

// TestRefusalsAreCountedOnce: on pages as in the API, and a run that fails is none.
func TestRefusalsAreCountedOnce(t *testing.T) {
	st := open(t, siteOptions{options: Options{MaxQueryBytes: 100}})
	st.runner.reject("nmae", "no such column")
	st.runner.on("broken", func(context.Context, runner.Sink) error { return &runner.FailedError{Detail: "it broke"} })
	v := st.visitor()
	form := func(path, text string) {
		v.do(http.MethodPost, path, "query="+text, "Content-Type", "application/x-www-form-urlencoded")
	}
	form("/query", "nmae")
	form("/query", "")
	form("/query", strings.Repeat("x", 101))
	v.post("/api/v1/queue/join", query("nmae"))
	v.post("/api/v1/queue/join", query("select 1"))
	form("/claim", "nmae")
	v.post("/api/v1/query", query("broken"))
	wantMeasured(t, st.server.Metrics(""), map[string]float64{
		`confluence_refusals_total{code="query_rejected"}`: 3, `confluence_refusals_total{code="invalid_query"}`: 1,
		`confluence_refusals_total{code="too_large"}`: 1, `confluence_refusals_total{code="run_failed"}`: 0,
		`confluence_runs_total{outcome="failed"}`: 1,
	})
}

// brokenLine is a store that can't be looked at.
type brokenLine struct{ queue.Store }

func (brokenLine) Picture(context.Context) (queue.Picture, error) {
	return queue.Picture{}, errors.New("it is away")
}

// TestMetricsOfABrokenLine: what can be told is told.
func TestMetricsOfABrokenLine(t *testing.T) {
	st := open(t, siteOptions{store: func(s queue.Store) queue.Store { return brokenLine{s} }})
	got := measure(t, st.server.Metrics(""))
	if _, there := got[`confluence_tickets{state="waiting"}`]; there {
		t.Error("tickets are told of a line that doesn't answer")
	}
	if _, there := got["confluence_joins_total"]; !there {
		t.Error("nothing is told")
	}
	if !strings.Contains(st.log.String(), "it is away") {
		t.Errorf("the log doesn't say why: %s", st.log)
	}
}
