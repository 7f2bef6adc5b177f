package views_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"confluence/static"
	"confluence/views"
)

// wordsTable is testdata/words.json: what the pages say, from the server and from the scripts alike.
type wordsTable struct {
	Wait []struct {
		Low, Likely, High    int64
		Basis                string
		Ahead, Elapsed       int64
		UsualLow, UsualHigh  *int64
		Headline, Range, Why string
	}
	Tickets []struct {
		Serving, Called, Next []int64
		Mine                  int64
		Ahead                 int
		Drawn                 []views.Ticket
	}
	Count, People, Ahead, Clock, SoFar, Usual, Numbers, WaitTitle, TurnTitle, PlaceIcon []row
}

// row is the arguments of a function and, last, what it returns.
type row []json.RawMessage

func get[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

func readWords(t *testing.T) wordsTable {
	t.Helper()
	content, err := os.ReadFile("testdata/words.json")
	if err != nil {
		t.Fatal(err)
	}
	var table wordsTable
	if err := json.Unmarshal(content, &table); err != nil {
		t.Fatal(err)
	}
	return table
}

func TestWords(t *testing.T) {
	table := readWords(t)
	number := func(say func(int64) string) func(row) string {
		return func(r row) string { return say(get[int64](t, r[0])) }
	}
	for name, c := range map[string]struct {
		rows []row
		say  func(row) string
	}{
		"Count":     {table.Count, number(views.Count)},
		"People":    {table.People, number(views.People)},
		"Ahead":     {table.Ahead, number(views.Ahead)},
		"Clock":     {table.Clock, number(views.Clock)},
		"SoFar":     {table.SoFar, number(views.SoFar)},
		"TurnTitle": {table.TurnTitle, number(views.TurnTitle)},
		"PlaceIcon": {table.PlaceIcon, number(views.PlaceIcon)},
		"Numbers":   {table.Numbers, func(r row) string { return views.Numbers(get[[]int64](t, r[0])) }},
		"Usual":     {table.Usual, func(r row) string { return views.Usual(get[int64](t, r[0]), get[int64](t, r[1])) }},
		"WaitTitle": {table.WaitTitle, func(r row) string {
			return views.WaitTitle(get[views.WaitState](t, r[0]), get[int64](t, r[1]), views.Phrase{Headline: get[string](t, r[2])})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if len(c.rows) == 0 {
				t.Fatal("the table has no rows for it")
			}
			for _, r := range c.rows {
				if got, want := c.say(r), get[string](t, r[len(r)-1]); got != want {
					t.Errorf("%s: got %q", r, got)
				}
			}
		})
	}
}

// TestWaitPhrase covers the page's side of eta-table, eta-prior and eta-up: no number without an estimate, a guess is called one, an overrun
// is "longer than usual" and never below nought.
func TestWaitPhrase(t *testing.T) {
	for _, c := range readWords(t).Wait {
		going := views.Going{Elapsed: c.Elapsed}
		if c.UsualHigh != nil {
			going.UsualLow, going.UsualHigh, going.UsualKnown = *c.UsualLow, *c.UsualHigh, true
		}
		got := views.WaitPhrase(views.Estimate{Low: c.Low, Likely: c.Likely, High: c.High, Basis: c.Basis}, c.Ahead, going)
		want := views.Phrase{Headline: c.Headline, Range: c.Range, Why: c.Why}
		if got != want {
			t.Errorf("%+v:\ngot  %+v", c, got)
		}
	}
}

func TestTickets(t *testing.T) {
	for _, c := range readWords(t).Tickets {
		got := views.Tickets(c.Serving, c.Called, c.Next, c.Mine, c.Ahead)
		if diff := cmp.Diff(c.Drawn, got); diff != "" {
			t.Errorf("%v %v %v, %d with %d ahead: %s", c.Serving, c.Called, c.Next, c.Mine, c.Ahead, diff)
		}
	}
}

// TestScriptsSayTheSame runs the same table through the scripts.
func TestScriptsSayTheSame(t *testing.T) {
	out, err := node(t, "testdata/words.mjs", scripts(t), "testdata/words.json")
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// scripts writes the modules to a folder in which node takes them for modules.
func scripts(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, static.FS()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "package.json"), []byte(`{"type":"module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func node(t *testing.T, arguments ...string) (string, error) {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("this test needs node 20 or newer: install nodejs")
	}
	out, err := exec.CommandContext(t.Context(), path, arguments...).CombinedOutput()
	return string(out), err
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                 "less than 0.1 seconds",
		49 * time.Millisecond:             "less than 0.1 seconds",
		50 * time.Millisecond:             "0.1 seconds",
		449 * time.Millisecond:            "0.4 seconds",
		time.Second:                       "1 second",
		1500 * time.Millisecond:           "1.5 seconds",
		9949 * time.Millisecond:           "9.9 seconds",
		9950 * time.Millisecond:           "10 seconds",
		52 * time.Second:                  "52 seconds",
		59600 * time.Millisecond:          "1 minute",
		78 * time.Second:                  "1 minute 18 seconds",
		5 * time.Minute:                   "5 minutes",
		time.Hour:                         "1 hour",
		time.Hour + 5*time.Minute + 59e9:  "1 hour 5 minutes",
		25*time.Hour + 30*time.Minute + 1: "25 hours 30 minutes",
	} {
		if got := views.Duration(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

func TestHints(t *testing.T) {
	for got, want := range map[string]string{
		views.FormHint(8): "You would get place 8. Looking is free: no ticket until you press.",
		views.JoinHint(5, false, views.Phrase{Headline: "About 8 minutes", Range: "likely 5 to 15"}): "You would get place 5: about 8 minutes, likely 5 to 15.",
		views.JoinHint(5, false, views.Phrase{Headline: "Any moment"}):                               "You would get place 5: any moment.",
		views.JoinHint(1, true, views.Phrase{}):                                                      "The runner is free: your query would start at once.",
		views.FullHint(0):                                                                            "A place comes free every few seconds.",
		views.FullHint(12):                                                                           "A place comes free about every 12 seconds.",
		views.FullHint(130):                                                                          "A place comes free about every 2 minutes.",
		views.RunWords(views.Going{Elapsed: 125, UsualLow: 60, UsualHigh: 180, UsualKnown: true}): "for 2 minutes; most take 1 to 3 minutes",
		views.RunWords(views.Going{Elapsed: 9}):                                                   "for 9 seconds",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestCells(t *testing.T) {
	for _, c := range []struct {
		value any
		want  views.Cell
	}{
		{nil, views.Cell{Null: true}},
		{"", views.Cell{}},
		{"NULL", views.Cell{Text: "NULL"}},
		{int64(9007199254740993), views.Cell{Text: "9007199254740993"}},
		{12.4, views.Cell{Text: "12.4"}},
		{1e21, views.Cell{Text: "1e+21"}},
		{100000.0, views.Cell{Text: "100000"}},
		{true, views.Cell{Text: "true"}},
		{[]byte{0, 255}, views.Cell{Text: "AP8="}},
		{json.Number("18204"), views.Cell{Text: "18204"}},
	} {
		if got := views.CellOf(c.value); got != c.want {
			t.Errorf("%v: got %+v", c.value, got)
		}
	}
}
