package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// simulatedBy runs the command on a file with these rows, and without one if there are none.
func simulatedBy(t *testing.T, rows string, flags ...string) (out, errs string, code int) {
	t.Helper()
	args := append([]string{"simulate"}, flags...)
	if rows != "" {
		args = append(args, "-")
	}
	var o, e bytes.Buffer
	code = run(args, nil, strings.NewReader(rows), &o, &e)
	return o.String(), e.String(), code
}

func simulatedJSON(t *testing.T, rows string, flags ...string) (s simulated) {
	t.Helper()
	out, errs, code := simulatedBy(t, rows, append(flags, "--json")...)
	if code != exitDone || errs != "" {
		t.Fatalf("%q: exit code %d, %s", flags, code, errs)
	}
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return s
}

// TestSimulateByHand: small lines that one can count out.
func TestSimulateByHand(t *testing.T) {
	const (
		header = "arrival_seconds,duration_seconds\n"
		three  = header + "0,10\n1,10\n2,10\n" // waits 0, 9, 18
	)
	cases := map[string]struct {
		rows  string
		flags []string
		want  string // arrivals served refused abandoned lapsed utilisation mean p50 p90 p99
	}{
		"one after the other":       {three, nil, "3 3 0 0 0 1.00 9 9 18 18"},
		"two slots":                 {three, []string{"--queue-slots=2"}, "3 3 0 0 0 0.75 2.67 0 8 8"},
		"nobody waits":              {three, []string{"--queue-max-length=0"}, "3 1 2 0 0 1.00 0 0 0 0"},
		"one waits":                 {three, []string{"--queue-max-length=1"}, "3 2 1 0 0 1.00 4.50 0 9 9"},
		"a claim takes five":        {three, []string{"--claim-delay-seconds=5"}, "3 3 0 0 0 0.75 10.67 9 23 23"},
		"a claim that is too late":  {three, []string{"--claim-delay-seconds=7", "--queue-reservation-seconds=5"}, "3 1 0 0 2 0.50 7.33 9 13 13"},
		"impatience":                {"duration_seconds,patience_seconds,arrival_seconds\n10,,0\n10,3,1\n10,30,2\n", nil, "3 2 0 1 0 1.00 4 0 8 8"},
		"a pause between":           {header + "0,10\n30,10\n", nil, "2 2 0 0 0 0.50 0 0 0 0"},
		"marked, and of DOS":        {"\ufeff" + strings.ReplaceAll(three, "\n", "\r\n"), nil, "3 3 0 0 0 1.00 9 9 18 18"},
		"other columns, and quotes": {"who,\"arrival_seconds\", Duration_Seconds\nann,0,10\n\"b,ob\",1, 10\n", nil, "2 2 0 0 0 1.00 4.50 0 9 9"},
		"all at once":               {header + "5,1\n5,1\n5,1\n5,1\n", nil, "4 4 0 0 0 1.00 1.50 1 3 3"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := simulatedJSON(t, c.rows, c.flags...)
			number := func(n *float64) string {
				if n == nil {
					return "null"
				}
				return strings.TrimSuffix(fmt.Sprintf("%.2f", *n), ".00")
			}
			got := fmt.Sprintf("%d %d %d %d %d %.2f %s %s %s %s", s.Arrivals, s.Served, s.Refused, s.Abandoned, s.Lapsed, *s.Utilisation,
				number(s.Waits.Mean), number(s.Waits.P50), number(s.Waits.P90), number(s.Waits.P99))
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestSimulateMeetsTheory: the mean wait of lines that have a formula (Erlang C; Pollaczek and Khinchine), in mean runs.
func TestSimulateMeetsTheory(t *testing.T) {
	cases := map[string]struct {
		flags []string
		want  float64
	}{
		"M/M/1 at 0.8": {[]string{"--arrivals-per-hour=48"}, 4},
		"M/D/1 at 0.8": {[]string{"--arrivals-per-hour=48", "--runs=constant"}, 2},
		"M/M/2 at 0.8": {[]string{"--arrivals-per-hour=96", "--queue-slots=2"}, 0.64 / 0.36},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := simulatedJSON(t, "", append(c.flags, "--arrivals=200000", "--run-seconds=60", "--seed=3")...)
			if got := *s.Waits.Mean / 60; math.Abs(got/c.want-1) > 0.06 {
				t.Errorf("the mean wait is %.3f runs, want %.3f", got, c.want)
			}
			if math.Abs(*s.Utilisation-0.8) > 0.01 {
				t.Errorf("the utilisation is %.3f", *s.Utilisation)
			}
		})
	}
}

func TestSimulateRefuses(t *testing.T) {
	const header = "arrival_seconds,duration_seconds\n"
	cases := map[string]struct {
		rows  string
		flags []string
		want  string
	}{
		"an empty file":         {" \n", nil, "standard input: line 1: the column arrival_seconds is missing"},
		"a header alone":        {header, nil, "standard input: line 2: nobody arrives"},
		"a missing column":      {"arrival_seconds,patience_seconds\n1,2\n", nil, "line 1: the column duration_seconds is missing"},
		"a column twice":        {"arrival_seconds,duration_seconds,duration_seconds\n", nil, "line 1: the column duration_seconds is there twice"},
		"a negative duration":   {header + "0,1\n1,-1\n", nil, `line 3: duration_seconds is "-1"`},
		"a negative arrival":    {header + "-1,1\n", nil, `line 2: arrival_seconds is "-1"`},
		"no number":             {header + "0,ten\n", nil, `line 2: duration_seconds is "ten"`},
		"NaN":                   {header + "NaN,1\n", nil, `line 2: arrival_seconds is "NaN"`},
		"infinity":              {header + "0,Inf\n", nil, `line 2: duration_seconds is "Inf"`},
		"a strange patience":    {"arrival_seconds,duration_seconds,patience_seconds\n0,1,soon\n", nil, `line 2: patience_seconds is "soon"`},
		"unsorted arrivals":     {header + "0,1\n5,1\n\n4,1\n", nil, "line 5: arrival_seconds is 4, after 5"},
		"a ragged row":          {header + "0,1\n1\n", nil, "line 3: it has 1 columns, and the header 2"},
		"an open quote":         {header + "0,\"1\n", nil, "line 2: extraneous or missing"},
		"a file and a load":     {header + "0,1\n", []string{"--arrivals=10"}, "a file and a described load"},
		"a spread of nothing":   {"", []string{"--runs=constant", "--run-spread=2"}, "--run-spread is for lognormal and bimodal"},
		"a share above all":     {"", []string{"--abandonment=1.5"}, "a share from 0 to 1"},
		"patience of nobody":    {"", []string{"--patience-seconds=5"}, "--abandonment"},
		"a kind that isn't one": {"", []string{"--runs=uniform"}, "exponential, lognormal, bimodal or constant"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			out, errs, code := simulatedBy(t, c.rows, c.flags...)
			if code != exitMisused || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
				t.Errorf("exit code %d, %q and %q, want %q", code, out, errs, c.want)
			}
		})
	}
	t.Run("no such file", func(t *testing.T) {
		var out, errs bytes.Buffer
		if code := run([]string{"simulate", "no/such/file.csv"}, nil, nil, &out, &errs); code != exitMisused || !strings.Contains(errs.String(), "no/such/file.csv") {
			t.Errorf("exit code %d, %s", code, errs.String())
		}
	})
	t.Run("a file of no bytes", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "none.csv")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := run([]string{"simulate", file}, nil, nil, &out, &errs); code != exitMisused || !strings.Contains(errs.String(), "none.csv: line 1: it is empty") {
			t.Errorf("exit code %d, %s", code, errs.String())
		}
	})
}

// TestSimulateTells: the table has what people look for, the JSON null where nothing is known, and the picture is one.
func TestSimulateTells(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "waits.svg")
	out, errs, code := simulatedBy(t, "", "--arrivals=500", "--plot="+picture)
	if code != exitDone || errs != "" {
		t.Fatalf("exit code %d, %s", code, errs)
	}
	for _, word := range []string{"served", "refused", "abandoned", "lapsed", "utilisation", "p50", "p90", "p99", "classic", "coverage", "median width"} {
		if !strings.Contains(out, word) {
			t.Errorf("%q is not in\n%s", word, out)
		}
	}
	drawn, err := os.Open(picture)
	if err != nil {
		t.Fatal(err)
	}
	defer drawn.Close()
	circles := 0
	for d := xml.NewDecoder(drawn); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && (start.Name.Local == "path" || start.Name.Local == "circle") {
			circles++
		}
	}
	if circles < 500 {
		t.Errorf("the picture has %d shapes", circles)
	}

	const unknown = `{"arrivals":1,"served":1,"refused":0,"abandoned":0,"lapsed":0,"utilisation":1,"waits":{"mean":0,"p50":0,"p90":0,"p99":0},` +
		`"estimates":{"classic":{"mae":null},"wait":{"mae":null,"coverage":null,"median_width":null}}}` + "\n"
	if out, _, _ := simulatedBy(t, "arrival_seconds,duration_seconds\n0,10\n", "--json"); out != unknown {
		t.Errorf("%s, want %s", out, unknown)
	}
	again, _, _ := simulatedBy(t, "", "--arrivals=500", "--json")
	if same, _, _ := simulatedBy(t, "", "--arrivals=500", "--json"); same != again {
		t.Errorf("the same seed, and not the same people: %s and %s", again, same)
	}
	if other, _, _ := simulatedBy(t, "", "--arrivals=500", "--json", "--seed=2"); other == again {
		t.Error("another seed, and the same people")
	}
}

// TestSimulatePictureIsKept: what can't be drawn harms nothing that is there.
func TestSimulatePictureIsKept(t *testing.T) {
	folder := t.TempDir()
	if _, errs, code := simulatedBy(t, "", "--arrivals=10", "--plot="+folder); code != exitFailed || !strings.Contains(errs, "no plain file") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	kept := filepath.Join(folder, "kept.svg")
	if err := os.WriteFile(kept, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, code := simulatedBy(t, "arrival_seconds,duration_seconds\n0,x\n", "--plot="+kept); code != exitMisused {
		t.Errorf("exit code %d", code)
	}
	if b, _ := os.ReadFile(kept); string(b) != "kept" {
		t.Errorf("the picture is %q now", b)
	}
}
