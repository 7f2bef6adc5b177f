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
	"confluence/views/i18n"
)

// wordsTable is testdata/words.json: what the pages say, from the server and from the scripts alike.
type wordsTable struct {
	Wait    []waitRow `json:"wait"`
	Tickets []struct {
		Serving, Called, Next []int64
		Mine                  int64
		Ahead                 int
		Drawn                 []views.Ticket
	} `json:"tickets,omitempty"`
	Count     []row `json:"count"`
	Ahead     []row `json:"ahead"`
	Clock     []row `json:"clock"`
	Hours     []row `json:"hours"`
	SoFar     []row `json:"soFar"`
	Usual     []row `json:"usual"`
	Numbers   []row `json:"numbers"`
	WaitTitle []row `json:"waitTitle"`
	TurnTitle []row `json:"turnTitle"`
	PlaceIcon []row `json:"placeIcon"`
}

type waitRow struct {
	Low       int64  `json:"low"`
	Likely    int64  `json:"likely"`
	High      int64  `json:"high"`
	Basis     string `json:"basis"`
	Ahead     int64  `json:"ahead"`
	Elapsed   int64  `json:"elapsed"`
	UsualLow  *int64 `json:"usualLow"`
	UsualHigh *int64 `json:"usualHigh"`
	Headline  string `json:"headline"`
	Range     string `json:"range"`
	Why       string `json:"why"`
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

// said are the rows of each function of the table, with how the function is called in a language.
func said(t *testing.T, l *i18n.Language, table *wordsTable) map[string]saidRows {
	number := func(say func(int64) string) func(row) string {
		return func(r row) string { return say(get[int64](t, r[0])) }
	}
	in := func(say func(*i18n.Language, int64) string) func(row) string {
		return number(func(n int64) string { return say(l, n) })
	}
	return map[string]saidRows{
		"Count":     {table.Count, number(l.Count)},
		"Ahead":     {table.Ahead, in(views.Ahead)},
		"Clock":     {table.Clock, number(l.Clock)},
		"Hours":     {table.Hours, number(l.Hours)},
		"SoFar":     {table.SoFar, number(l.SoFar)},
		"TurnTitle": {table.TurnTitle, in(views.TurnTitle)},
		"PlaceIcon": {table.PlaceIcon, number(views.PlaceIcon)},
		"Numbers":   {table.Numbers, func(r row) string { return views.Numbers(l, get[[]int64](t, r[0])) }},
		"Usual":     {table.Usual, func(r row) string { return l.Usual(get[int64](t, r[0]), get[int64](t, r[1])) }},
		"WaitTitle": {table.WaitTitle, func(r row) string {
			return views.WaitTitle(l, get[views.WaitState](t, r[0]), get[int64](t, r[1]), views.Phrase{Headline: get[string](t, r[2])})
		}},
	}
}

type saidRows struct {
	rows []row
	say  func(row) string
}

func TestWords(t *testing.T) {
	table := readWords(t)
	for name, c := range said(t, i18n.English, &table) {
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

// phrase says the wait of a row.
func (c waitRow) phrase(l *i18n.Language) views.Phrase {
	going := views.Going{Elapsed: c.Elapsed}
	if c.UsualHigh != nil {
		going.UsualLow, going.UsualHigh, going.UsualKnown = *c.UsualLow, *c.UsualHigh, true
	}
	return views.WaitPhrase(l, views.Estimate{Low: c.Low, Likely: c.Likely, High: c.High, Basis: c.Basis}, c.Ahead, going)
}

// TestWaitPhrase covers the page's side of eta-table, eta-prior and eta-up: no number without an estimate, a guess is called one, an overrun
// is "longer than usual" and never below nought.
func TestWaitPhrase(t *testing.T) {
	for _, c := range readWords(t).Wait {
		got := c.phrase(i18n.English)
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

// TestScriptsSayTheSame runs the table through the scripts, and in every language what the server says of it.
func TestScriptsSayTheSame(t *testing.T) {
	folder := scripts(t)
	write := func(t *testing.T, name string, v any) string {
		content, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, l := range i18n.All() {
		t.Run(l.Code, func(t *testing.T) {
			messages := write(t, "messages.json", l.Extract(l.Keys()))
			table := "testdata/words.json"
			if l != i18n.English {
				table = write(t, "words.json", translated(t, l))
			}
			if out, err := node(t, "testdata/words.mjs", folder, table, messages); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// translated is the table as the server says it in another language.
func translated(t *testing.T, l *i18n.Language) wordsTable {
	t.Helper()
	table := readWords(t)
	table.Tickets = nil // without words
	for i, c := range table.Wait {
		phrase := c.phrase(l)
		table.Wait[i].Headline, table.Wait[i].Range, table.Wait[i].Why = phrase.Headline, phrase.Range, phrase.Why
	}
	for _, c := range said(t, l, &table) {
		for _, r := range c.rows {
			words, err := json.Marshal(c.say(r))
			if err != nil {
				t.Fatal(err)
			}
			r[len(r)-1] = words
		}
	}
	return table
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
		if got := i18n.English.Duration(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

func TestHints(t *testing.T) {
	en := i18n.English
	for got, want := range map[string]string{
		views.FormHint(en, 8): "You would get place 8. Looking is free: no ticket until you press.",
		views.JoinHint(en, 5, false, views.Phrase{Headline: "About 8 minutes", Range: "likely 5 to 15"}): "You would get place 5: about 8 minutes, likely 5 to 15.",
		views.JoinHint(en, 5, false, views.Phrase{Headline: "Any moment"}):                               "You would get place 5: any moment.",
		views.JoinHint(en, 1, true, views.Phrase{}):                                                      "The runner is free: your query would start at once.",
		views.FullHint(en, 0):   "A place comes free every few seconds.",
		views.FullHint(en, 12):  "A place comes free about every 12 seconds.",
		views.FullHint(en, 130): "A place comes free about every 2 minutes.",
		views.RunWords(en, views.Going{Elapsed: 125, UsualLow: 60, UsualHigh: 180, UsualKnown: true}): "for 2 minutes; most take 1 to 3 minutes",
		views.RunWords(en, views.Going{Elapsed: 9}):                                                   "for 9 seconds",
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
