package web

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"confluence/queue/runner"
)

func TestTranscriptCutsTextBetweenCharacters(t *testing.T) {
	for limit := range int64(12) {
		a := newTranscript(limit, nil)
		err := a.Text("aä€😀")
		var st runState
		a.describe(&st)
		st.Text, _ = a.follow().text(100)
		switch {
		case limit >= 10:
			if err != nil || st.Truncated || st.Text != "aä€😀" {
				t.Errorf("limit %d: %q %v", limit, st.Text, err)
			}
		case !errors.Is(err, errResultFull), !st.Truncated, !utf8.ValidString(st.Text), int64(len(st.Text)) > limit,
			!strings.HasPrefix("aä€😀", st.Text), st.TruncatedWhy.IsZero():
			t.Errorf("limit %d: %q %v", limit, st.Text, err)
		}
		if again := a.Text("x"); limit < 10 && !errors.Is(again, errResultFull) {
			t.Errorf("limit %d: more is taken: %v", limit, again)
		}
	}
}

func TestTranscriptKeepsWholeRows(t *testing.T) {
	a := newTranscript(20, nil)
	must(t, a.Columns(columns("n")))
	must(t, a.Rows([][]any{{"aaaa"}}))
	if err := a.Rows([][]any{{"bbbb"}, {"cccc"}, {"dddd"}}); !errors.Is(err, errResultFull) {
		t.Errorf("err %v", err)
	}
	if got := rowsOf(t, a, 0, 10); !reflect.DeepEqual(got, [][]any{{"aaaa"}, {"bbbb"}}) {
		t.Errorf("rows %v", got)
	}
	must(t, a.seal())
	must(t, a.seal())
	if err := a.Rows([][]any{{"e"}}); !errors.Is(err, errResultSealed) {
		t.Errorf("sealed: %v", err)
	}
	if err := a.Columns(columns("n")); !errors.Is(err, errResultSealed) {
		t.Errorf("sealed: %v", err)
	}
	if err := a.Text("e"); !errors.Is(err, errResultSealed) {
		t.Errorf("sealed: %v", err)
	}
}

func rowsOf(t *testing.T, a *transcript, from, limit int) [][]any {
	t.Helper()
	f := a.follow()
	defer f.close()
	rows, err := f.rows(from, limit)
	must(t, err)
	return rows
}

// readOf is a read that can't fail, as all is in memory.
func readOf(t *testing.T, a *transcript, at int) (piece, <-chan struct{}) {
	t.Helper()
	p, changed, err := a.follow().read(at)
	must(t, err)
	return p, changed
}

func TestTranscriptRows(t *testing.T) {
	a := newTranscript(1<<20, nil)
	must(t, a.Columns(columns("n")))
	for i := range int64(10) {
		must(t, a.Rows([][]any{{i}}))
	}
	for _, test := range []struct{ from, limit, first, n int }{{0, 3, 0, 3}, {8, 5, 8, 2}, {10, 1, 0, 0}, {99, 1, 0, 0}, {-4, 2, 0, 2}, {0, -1, 0, 0}} {
		got := rowsOf(t, a, test.from, test.limit)
		if len(got) != test.n {
			t.Errorf("%+v: %v", test, got)
			continue
		}
		for i, row := range got {
			if n, _ := row[0].(json.Number).Int64(); n != int64(test.first+i) {
				t.Errorf("%+v: %v", test, got)
			}
		}
	}
}

// A column whose first bytes come late is base64 as a whole in a document, and says in each event how it is there.
func TestTranscriptWithALateBinaryColumn(t *testing.T) {
	a := newTranscript(1<<20, nil)
	must(t, a.Columns(columns("a", "b")))
	must(t, a.Rows([][]any{{"text", nil}, {int64(7), "more"}, {[]byte{0xff}, "b"}, {"later", "b"}}))
	must(t, a.seal())
	first, _ := readOf(t, a, 0)
	if string(first.rows) != `["text",null],[7,"more"]` || first.binary != nil || !reflect.DeepEqual(first.columns, []string{"a", "b"}) {
		t.Errorf("first piece: %s %v", first.rows, first.binary)
	}
	second, _ := readOf(t, a, first.next)
	if rows := string(appendInBase64(nil, second.rows, nil, 0)); rows != `["/w==","b"],["bGF0ZXI=","b"]` || !reflect.DeepEqual(second.binary, []int{0}) {
		t.Errorf("second piece: %s %v", second.rows, second.binary)
	}
	if end, _ := readOf(t, a, second.next); !end.end {
		t.Errorf("end: %+v", end)
	}
	// What has no word for bytes has them as base64, and texts as they are.
	if csv := string(formatPiece(csvFormat, second)); csv != "/w==,b\nlater,b\n" {
		t.Errorf("as CSV: %q", csv)
	}
	answer := a.follow()
	defer answer.close()
	if rows, err := answer.rows(2, 10); err != nil || !reflect.DeepEqual(rows, [][]any{{"/w==", "b"}, {"later", "b"}}) {
		t.Errorf("on a page: %v %v", rows, err)
	}
	if got := string(appendInBase64(nil, first.rows, a.binaryColumns(), 0)); got != `["dGV4dA==",null],[7,"more"]` {
		t.Errorf("encoded: %s", got)
	}
}

// Whatever place a reader comes with, it gets pieces that fit, up to the end.
func TestTranscriptFromAnyPlace(t *testing.T) {
	text := strings.Repeat("grüße 😀 ", 20_000)
	a := newTranscript(1<<20, nil)
	must(t, a.Text(text))
	table := newTranscript(16<<20, nil)
	must(t, table.Columns(columns("n")))
	for range 40 {
		must(t, table.Rows([][]any{{strings.Repeat("x", 10_000)}, {"y"}}))
	}
	must(t, a.seal())
	must(t, table.seal())
	for _, at := range []int{-5, 0, 1, 17, 1 << 40} {
		for _, of := range []*transcript{a, table} {
			for steps := 0; ; steps++ {
				p, changed := readOf(t, of, at)
				if changed != nil || steps > 1000 {
					t.Fatalf("no end from place %d", at)
				}
				if p.end {
					break
				}
				if len(p.text) > pieceBytes || len(p.rows) > pieceBytes || p.next <= at {
					t.Fatalf("from %d to %d: %d bytes of text, %d of rows", at, p.next, len(p.text), len(p.rows))
				}
				at = p.next
			}
		}
	}
}

func TestTranscriptWakesWhoWaits(t *testing.T) {
	a := newTranscript(100, nil)
	for _, change := range []func(){func() { _ = a.Text("x") }, func() { _ = a.seal() }} {
		p, changed := readOf(t, a, int(a.scroll.size))
		if changed == nil || p.end {
			t.Fatalf("nothing to wait for: %+v", p)
		}
		change()
		<-changed
	}
}

func TestCells(t *testing.T) {
	for _, test := range []struct {
		cell any
		json string
	}{
		{nil, "null"}, {true, "true"}, {int64(-1), "-1"}, {int64(1 << 53), "9007199254740992"}, {int64(1<<53 + 1), `"9007199254740993"`},
		{int64(math.MinInt64), `"-9223372036854775808"`}, {0.0, "0"}, {1e6, "1000000"}, {1e21, "1e+21"}, {1e-7, "1e-07"}, {0.1, "0.1"},
		{math.NaN(), `"NaN"`}, {math.Inf(1), `"Infinity"`}, {math.Inf(-1), `"-Infinity"`}, {"a\"b", `"a\"b"`}, {[]byte{1, 2}, `"AQI="`},
		{json.Number("12"), "12"},
	} {
		got, err := appendCell(nil, test.cell)
		if err != nil || string(got) != test.json || !json.Valid(got) {
			t.Errorf("%#v: %s %v, want %s", test.cell, got, err, test.json)
		}
	}
	if _, err := appendCell(nil, 7); !errors.Is(err, errResultMixed) {
		t.Errorf("an int is taken: %v", err)
	}
}

func FuzzAppendString(f *testing.F) {
	for _, seed := range []string{"", "plain", "\"\\\n\r\t\x00\x1f\x7f", "</script><!--\u2028", "grüße 😀", "\xff\xfe", "a\xc3", "\xed\xa0\x80"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal(appendString(nil, s), &got); err != nil || got != strings.ToValidUTF8(s, "\uFFFD") && utf8.ValidString(s) {
			t.Errorf("%q became %q: %v", s, got, err)
		}
		want, _ := json.Marshal(s)
		var reference string
		_ = json.Unmarshal(want, &reference)
		if got != reference {
			t.Errorf("%q became %q, want %q", s, got, reference)
		}
	})
}

var _ runner.Sink = (*transcript)(nil)
