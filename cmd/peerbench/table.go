package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"text/tabwriter"
	"time"
)

// row is one figure of ours beside a floor or a peer.
type row struct {
	What    string  `json:"what"`
	Ours    float64 `json:"ours"`
	Unit    string  `json:"unit"`
	Against string  `json:"against,omitempty"`
	Floor   float64 `json:"floor,omitempty"`
	Goal    float64 `json:"goal,omitempty"` // of the ratio of ours to the floor; 0: none is set
	More    bool    `json:"more,omitempty"` // the ratio should be at least the goal, not at most
}

func (r row) ratio() float64 {
	if r.Floor == 0 {
		return 0
	}
	return r.Ours / r.Floor
}

func (r row) met() bool {
	if r.More {
		return r.ratio() >= r.Goal
	}
	return r.ratio() <= r.Goal
}

type table struct{ rows []row }

func (t *table) add(r row) { t.rows = append(t.rows, r) }

func (t *table) print(w io.Writer) {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "what\tours\tagainst\tits figure\tratio\tgoal\t")
	for _, r := range t.rows {
		goal, ratio, floor := "", "", ""
		if r.Floor != 0 {
			floor, ratio = figure(r.Floor)+" "+r.Unit, figure(r.ratio())
		}
		if r.Goal != 0 {
			sign, verdict := "≤", "met"
			if r.More {
				sign = "≥"
			}
			if !r.met() {
				verdict = "MISSED"
			}
			goal = sign + " " + figure(r.Goal) + " " + verdict
		}
		fmt.Fprintf(out, "%s\t%s %s\t%s\t%s\t%s\t%s\t\n", r.What, figure(r.Ours), r.Unit, r.Against, floor, ratio, goal)
	}
	_ = out.Flush()
}

// foot says on what the figures were measured, and how long that took.
func foot(took time.Duration) string {
	return fmt.Sprintf("%d cores, %s %s/%s, measured in %v", runtime.GOMAXPROCS(0), runtime.Version(), runtime.GOOS, runtime.GOARCH, took.Round(time.Second))
}

// figure is a number with three digits that count.
func figure(x float64) string {
	switch {
	case x >= 100 || x == float64(int64(x)):
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// save writes the table as JSON and as a picture.
func (t *table) save(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	b, err := json.MarshalIndent(t.rows, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "bench.json"), append(b, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "bench.svg"), t.plot(), 0o644)
}
