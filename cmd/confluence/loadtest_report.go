package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// latencyWords says what is measured, in the order of the report.
var latencyWords = []struct{ name, means string }{
	{"page", "a page, until it is there"},
	{"session", "a token"},
	{"join", "the place, until it is certain"},
	{"socket", "a websocket, until it has said the first thing"},
	{"stream", "an event stream, until it has said the first thing"},
	{"status", "a status call"},
	{"told by socket", "from the end of the run before, as its player was told it, to being told of the call"},
	{"told by stream", "the same"},
	{"told by poll", "the same; the pace of asking is in it"},
	{"claim", "from the claim to its acceptance"},
	{"run start", "from the claim to the first of the answer"},
	{"leave", "leaving"},
	{"back", "from a broken connection to being told the place again"},
}

// latencies are how long things took, by what they were.
type latencies struct {
	mu  sync.Mutex
	all map[string][]time.Duration
}

func newLatencies() *latencies { return &latencies{all: map[string][]time.Duration{}} }

func (l *latencies) add(what string, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all[what] = append(l.all[what], took)
}

// sorted are the latencies of a kind, the shortest first.
func (l *latencies) sorted(what string) []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Clone(l.all[what])
	slices.Sort(all)
	return all
}

// quantile is the least of the sorted that this share of them doesn't exceed.
func quantile(sorted []time.Duration, share float64) time.Duration {
	i := int(share*float64(len(sorted)) + 0.9999999)
	return sorted[min(max(i, 1), len(sorted))-1]
}

// latencyRow is one line of the table, in seconds.
type latencyRow struct {
	What  string  `json:"what"`
	Means string  `json:"means"`
	Count int     `json:"count"`
	P50   float64 `json:"p50_seconds"`
	P90   float64 `json:"p90_seconds"`
	P99   float64 `json:"p99_seconds"`
	Max   float64 `json:"max_seconds"`
}

// promiseRow is one promise, how often it was looked at, and how often it was broken.
type promiseRow struct {
	Promise string `json:"promise"`
	Looks   int    `json:"looks"`
	Broken  int    `json:"broken"`
}

// loadReport is what a load test found.
type loadReport struct {
	Server     string         `json:"server"`
	Browsers   int            `json:"browsers"`
	Clients    int            `json:"clients"`
	Seed       int            `json:"seed"`
	Seconds    float64        `json:"seconds"`
	Slots      int            `json:"slots"`
	Became     map[string]int `json:"became"`
	Trouble    map[string]int `json:"trouble"`
	Latencies  []latencyRow   `json:"latencies"`
	Promises   []promiseRow   `json:"promises"`
	Violations []violation    `json:"violations"`
	Held       bool           `json:"held"`
}

func (t *loadtest) report() loadReport {
	r := loadReport{
		Server: t.target.root.String(), Browsers: t.asked.Browsers, Clients: t.asked.Clients, Seed: t.asked.Seed,
		Seconds: t.took.Seconds(), Slots: int(t.slots.Load()), Became: t.became, Trouble: t.trouble,
		Violations: t.check.verdict(),
	}
	r.Held = len(r.Violations) == 0
	for _, what := range latencyWords {
		if all := t.times.sorted(what.name); len(all) > 0 {
			r.Latencies = append(r.Latencies, latencyRow{
				what.name, what.means, len(all), quantile(all, 0.5).Seconds(), quantile(all, 0.9).Seconds(), quantile(all, 0.99).Seconds(), all[len(all)-1].Seconds(),
			})
		}
	}
	for _, promise := range promises {
		r.Promises = append(r.Promises, promiseRow{promise, t.check.checked[promise], t.check.broken[promise]})
	}
	return r
}

func (r loadReport) print(out io.Writer) error {
	fmt.Fprintf(out, "%d browsers and %d programs at %s in %.1f s\n\n", r.Browsers, r.Clients, r.Server, r.Seconds)
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "WHAT BECAME OF THEM\t")
	for _, became := range mostFirst(r.Became) {
		fmt.Fprintf(table, "%s\t%d\n", became, r.Became[became])
	}
	fmt.Fprintln(table, "\nLATENCY\tCOUNT\tP50\tP90\tP99\tMAX\t")
	for _, row := range r.Latencies {
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%s\t%s\n", row.What, row.Count, shortly(row.P50), shortly(row.P90), shortly(row.P99), shortly(row.Max), row.Means)
	}
	fmt.Fprintln(table, "\nPROMISE\tLOOKS\tBROKEN")
	for _, row := range r.Promises {
		fmt.Fprintf(table, "%s\t%d\t%d\n", row.Promise, row.Looks, row.Broken)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(r.Trouble) > 0 {
		fmt.Fprintln(out, "\nTROUBLE")
		for _, words := range mostFirst(r.Trouble) {
			fmt.Fprintf(out, "%d × %s\n", r.Trouble[words], askPlain(words))
		}
	}
	if r.Held {
		_, err := fmt.Fprintln(out, "\nEvery promise held.")
		return err
	}
	fmt.Fprintln(out, "\nBROKEN")
	for _, v := range r.Violations {
		fmt.Fprintf(out, "%s: %s\n", v.Promise, askPlain(v.Evidence))
	}
	return nil
}

// mostFirst are the names by how often each is counted.
func mostFirst(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
}

// shortly is a number of seconds in three digits that count.
func shortly(seconds float64) string {
	switch ms := seconds * 1000; {
	case ms < 10:
		return fmt.Sprintf("%.2f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	default:
		return fmt.Sprintf("%.2f s", seconds)
	}
}
