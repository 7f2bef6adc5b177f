package web

import (
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"confluence/queue"
)

// metrics counts what happens, for Prometheus. What is so now it reads from the public picture when it is asked (see lineCollector): no answer costs
// more because more people wait, and no label tells of one person.
type metrics struct {
	joins       prometheus.Counter
	ended       *prometheus.CounterVec
	refusals    *prometheus.CounterVec
	runs        *prometheus.CounterVec
	runSeconds  prometheus.Histogram
	waitSeconds prometheus.Histogram
}

// withdrawn is the reason of a ticket that ended since it could not be saved: nobody was told of it.
const withdrawn = "withdrawn"

func newMetrics() *metrics {
	m := &metrics{
		joins: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "confluence_joins_total", Help: "Tickets that were given out.",
		}),
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "confluence_tickets_ended_total", Help: "Tickets that have ended, by reason: left, reservation_expired (a lapse), heartbeat_lost, finished, withdrawn (it could not be saved).",
		}, []string{"reason"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "confluence_refusals_total", Help: "Requests that were refused or went wrong, by the code of the problem (/problems/{code}).",
		}, []string{"code"}),
		runs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "confluence_runs_total", Help: "Runs that have ended, by outcome.",
		}, []string{"outcome"}),
		runSeconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "confluence_run_duration_seconds", Help: "How long runs took, whatever their outcome.",
			Buckets: []float64{0.1, 0.3, 1, 3, 10, 30, 60, 120, 300, 600, 1800, 3600},
		}),
		waitSeconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "confluence_wait_duration_seconds", Help: "How long those who were called had waited in line; 0 for who found a slot free.",
			Buckets: []float64{0, 1, 5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200},
		}),
	}
	// Each series is there from the beginning: what is first seen as 1 has no increase.
	for _, reason := range []queue.Reason{queue.ReasonLeft, queue.ReasonLapsed, queue.ReasonHeartbeatLost, queue.ReasonFinished, withdrawn} {
		m.ended.WithLabelValues(string(reason))
	}
	for _, outcome := range []queue.Outcome{queue.Succeeded, queue.Failed, queue.TimedOut, queue.Cancelled, queue.Disconnected, queue.Interrupted} {
		m.runs.WithLabelValues(string(outcome))
	}
	for _, row := range problemCodes {
		m.refusals.WithLabelValues(row.code)
	}
	return m
}

// observe takes what happened in the line.
func (m *metrics) observe(changes []queue.Change) {
	for _, ch := range changes {
		switch ch.Kind {
		case queue.Joined:
			m.joins.Inc()
		case queue.Called:
			if ch.AtOnce {
				m.joins.Inc()
			}
			if ch.Waited >= 0 {
				m.waitSeconds.Observe(ch.Waited.Seconds())
			}
		case queue.Gone:
			reason := string(ch.Ended.Reason)
			if ch.Ended.Reason == queue.ReasonNone {
				reason = withdrawn
			}
			m.ended.WithLabelValues(reason).Inc()
		}
	}
}

// ran takes the end of a run.
func (m *metrics) ran(outcome queue.Outcome, took time.Duration) {
	m.runs.WithLabelValues(string(outcome)).Inc()
	m.runSeconds.Observe(took.Seconds())
}

// refused takes an error that a client was told.
func (m *metrics) refused(err error) { m.refusals.WithLabelValues(codeOf(err)).Inc() }

// scrapeWithin bounds an answer with metrics, and scrapesAtOnce how many are made at a time.
const (
	scrapeWithin  = 10 * time.Second
	scrapesAtOnce = 4
)

// Metrics answers with what Prometheus asks for, about the server and its process, on whatever address it is asked. It is not part of Handler:
// it is for a listener that visitors don't reach. version is that of the program.
func (s *Server) Metrics(version string) http.Handler {
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "confluence_build_info", Help: "1; the labels tell the version, and what it was built with.",
		ConstLabels: prometheus.Labels{"version": version, "go_version": runtime.Version()},
	})
	build.Set(1)
	registry := prometheus.NewRegistry()
	m := s.metrics
	registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), build,
		m.joins, m.ended, m.refusals, m.runs, m.runSeconds, m.waitSeconds, &lineCollector{s},
	)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog:      slog.NewLogLogger(s.log.Handler(), slog.LevelError),
		ErrorHandling: promhttp.ContinueOnError, // what can be told is
		Timeout:       scrapeWithin, MaxRequestsInFlight: scrapesAtOnce,
	})
}

// lineCollector tells what is so now.
type lineCollector struct{ server *Server }

var (
	ticketsNow  = describe("confluence_tickets", "Tickets by state: waiting in line, reserved (called), running.", "state")
	slotsNow    = describe("confluence_slots", "Runs that may go at the same time.")
	socketsNow  = describe("confluence_live_sockets", "Open websockets, of visitors and of kiosks.", "kind")
	runnerNow   = describe("confluence_runner_available", "1 while the runner can serve, 0 while nobody is called since it can't.")
	pausedNow   = describe("confluence_paused", "1 while the operator has paused the line.")
	coverage    = describe("confluence_wait_estimate_coverage_ratio", "Share of the waits that were within the range told at joining, over the last hours. The aim is 0.75 to 0.9.")
	meanError   = describe("confluence_wait_estimate_mean_error_seconds", "Mean absolute error of the waits told at joining, over the last hours.")
	classicOff  = describe("confluence_wait_estimate_classic_mean_error_seconds", "Mean absolute error of the classic estimate (eta_seconds), told to the same people.")
	predictions = describe("confluence_wait_estimate_predictions", "Waits that coverage and mean error are taken over.")
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// Describe is prometheus.Collector's.
func (p *lineCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{ticketsNow, slotsNow, socketsNow, runnerNow, pausedNow, coverage, meanError, classicOff, predictions} {
		to <- d
	}
}

// Collect is prometheus.Collector's. A line that doesn't answer is told as an error, and everything else as it is.
func (p *lineCollector) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	flag := func(d *prometheus.Desc, on bool) {
		gauge(d, map[bool]float64{true: 1}[on])
	}
	visitors, kiosks := p.server.live.count()
	gauge(socketsNow, float64(visitors), "visitor")
	gauge(socketsNow, float64(kiosks), "kiosk")

	ctx, cancel := context.WithTimeout(context.Background(), scrapeWithin)
	defer cancel()
	picture, err := p.server.o.Controller.Picture(ctx)
	if err != nil {
		to <- prometheus.NewInvalidMetric(ticketsNow, err)
		return
	}
	gauge(ticketsNow, float64(picture.Length), "waiting")
	gauge(ticketsNow, float64(len(picture.Called)), "reserved")
	gauge(ticketsNow, float64(len(picture.Serving)), "running")
	gauge(slotsNow, float64(picture.Slots))
	flag(runnerNow, picture.Runner != queue.RunnerUnavailable)
	flag(pausedNow, picture.Paused)
	if e := picture.Estimate; e.Predictions > 0 {
		gauge(coverage, e.Coverage)
		gauge(meanError, e.MeanError)
		gauge(predictions, float64(e.Predictions))
		if e.ClassicKnown {
			gauge(classicOff, e.ClassicError)
		}
	}
}

// count is how many sockets are open, of visitors and of kiosks.
func (l *liveRoom) count() (visitors, kiosks int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open) - l.kiosks, l.kiosks
}
