package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"confluence/queue/simulation"
)

// simulated is the result as JSON: seconds, shares from 0 to 1, and null where nothing is known.
type simulated struct {
	Arrivals    int       `json:"arrivals"`
	Served      int       `json:"served"`
	Refused     int       `json:"refused"`
	Abandoned   int       `json:"abandoned"`
	Lapsed      int       `json:"lapsed"`
	Utilisation *float64  `json:"utilisation"`
	Waits       waitsJSON `json:"waits"`
	Estimates   struct {
		Classic struct {
			MAE *float64 `json:"mae"`
		} `json:"classic"`
		Wait struct {
			MAE         *float64 `json:"mae"`
			Coverage    *float64 `json:"coverage"`
			MedianWidth *float64 `json:"median_width"`
		} `json:"wait"`
	} `json:"estimates"`
}

type waitsJSON struct {
	Mean *float64 `json:"mean"`
	P50  *float64 `json:"p50"`
	P90  *float64 `json:"p90"`
	P99  *float64 `json:"p99"`
}

func printSimulatedJSON(out io.Writer, r simulation.Result) error {
	s := simulated{
		Arrivals: r.Arrivals, Served: r.Served, Refused: r.Refused, Abandoned: r.Abandoned, Lapsed: r.Lapsed,
		Utilisation: knownFigure(r.Utilisation),
		Waits: waitsJSON{
			Mean: knownFigure(r.Waits.Mean), P50: knownFigure(r.Waits.P50), P90: knownFigure(r.Waits.P90), P99: knownFigure(r.Waits.P99),
		},
	}
	s.Estimates.Classic.MAE = knownFigure(r.Estimates.Classic.MAE)
	s.Estimates.Wait.MAE = knownFigure(r.Estimates.Wait.MAE)
	s.Estimates.Wait.Coverage = knownFigure(r.Estimates.Wait.Coverage)
	s.Estimates.Wait.MedianWidth = knownFigure(r.Estimates.Wait.MedianWidth)
	return json.NewEncoder(out).Encode(s)
}

// knownFigure is a figure to the microsecond, or nil.
func knownFigure(f simulation.Figure) *float64 {
	n := math.Round(float64(f)*1e6) / 1e6
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return nil
	}
	return &n
}

// printSimulated prints tables for a person.
func printSimulated(out io.Writer, r simulation.Result) error {
	var b strings.Builder
	row := func(name string, cells ...string) {
		fmt.Fprintf(&b, "%-12s", name)
		for _, cell := range cells {
			fmt.Fprintf(&b, "%15s", cell)
		}
		b.WriteByte('\n')
	}
	count := func(name string, n int) {
		row(name, fmt.Sprint(n), shareText(simulation.Figure(float64(n)/float64(r.Arrivals))))
	}
	count("arrivals", r.Arrivals)
	count("served", r.Served)
	count("refused", r.Refused)
	count("abandoned", r.Abandoned)
	count("lapsed", r.Lapsed)
	row("utilisation", "", shareText(r.Utilisation))

	b.WriteByte('\n')
	row("", "mean", "p50", "p90", "p99")
	row("wait", spanText(r.Waits.Mean), spanText(r.Waits.P50), spanText(r.Waits.P90), spanText(r.Waits.P99))

	b.WriteByte('\n')
	row("", "at join", "at join", "over the wait", "over the wait")
	row("estimate", "classic", "wait", "classic", "wait")
	join, later := r.Estimates, r.OverTheWait
	row("mean error", spanText(join.Classic.MAE), spanText(join.Wait.MAE), spanText(later.Classic.MAE), spanText(later.Wait.MAE))
	row("coverage", "-", shareText(join.Wait.Coverage), "-", shareText(later.Wait.Coverage))
	row("median width", "-", spanText(join.Wait.MedianWidth), "-", spanText(later.Wait.MedianWidth))

	_, err := io.WriteString(out, b.String())
	return err
}

func shareText(f simulation.Figure) string {
	if math.IsNaN(float64(f)) {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(f))
}

// spanText is a length of time as a person reads it.
func spanText(f simulation.Figure) string {
	const minute, hour, day = 60, 60 * 60, 24 * 60 * 60
	switch seconds := float64(f); {
	case math.IsNaN(seconds):
		return "-"
	case seconds < 100:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 100*minute:
		return fmt.Sprintf("%.1f min", seconds/minute)
	case seconds < 2*day:
		return fmt.Sprintf("%.1f h", seconds/hour)
	default:
		return fmt.Sprintf("%.1f d", seconds/day)
	}
}
