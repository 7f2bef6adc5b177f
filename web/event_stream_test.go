package web

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"confluence/queue/runner"
)

// parseEvents reads a whole stream as the standard says (WHATWG HTML, 9.2.6): what a browser would dispatch. Nothing after the last empty line counts.
func parseEvents(body string) []event {
	body = strings.TrimPrefix(strings.ToValidUTF8(body, "\uFFFD"), "\uFEFF")
	body = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(body)
	var all []event
	var data []string
	name, id := "", ""
	lines := strings.Split(body, "\n")
	for _, line := range lines[:len(lines)-1] {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if data != nil {
				all = append(all, event{name: name, id: id, data: strings.Join(data, "\n")})
			}
			name, data = "", nil
		case field == "event":
			name = value
		case field == "data":
			data = append(data, value)
		case field == "id" && !strings.Contains(value, "\x00"):
			id = value
		}
	}
	return all
}

// outputs is what output events carry.
type outputs struct {
	columns []string
	text    string
	cells   []string
}

// wantOneEnd checks that the events are some outputs and one end, and gives both. A table's columns come once, before its rows.
func wantOneEnd(t *testing.T, events []event) (all outputs, end map[string]any) {
	t.Helper()
	if len(events) == 0 || events[len(events)-1].name != "end" {
		t.Fatalf("the last of %d events is no end: %.500v", len(events), events)
	}
	for _, ev := range events[:len(events)-1] {
		var piece struct {
			Columns []string   `json:"columns"`
			Rows    [][]string `json:"rows"`
			Text    string     `json:"text"`
		}
		d := json.NewDecoder(strings.NewReader(ev.data))
		d.DisallowUnknownFields()
		if err := d.Decode(&piece); ev.name != "output" || err != nil {
			t.Fatalf("a forged event: %q %.500q: %v", ev.name, ev.data, err)
		}
		if piece.Columns != nil {
			if all.columns != nil || all.cells != nil {
				t.Fatal("columns came twice, or late")
			}
			all.columns = piece.Columns
		}
		for _, row := range piece.Rows {
			all.cells = append(all.cells, row...)
		}
		all.text += piece.Text
	}
	return all, events[len(events)-1].json(t)
}

// readable is bytes as their reader sees them; how many bytes make one U+FFFD is not told.
func readable(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\uFFFD", "\xff"), "\uFFFD") // one for each run of bytes that are none
}

// streamOf runs an answer that is made of those chunks, as text or as a table of one column, and checks what a client reads of it.
func streamOf(t *testing.T, chunks []string, table, fails bool) {
	t.Helper()
	st := open(t, siteOptions{})
	defer st.stop()
	whole := strings.Join(chunks, "")
	st.runner.on("any", func(_ context.Context, out runner.Sink) error {
		if table {
			if err := out.Columns(columns(whole)); err != nil {
				return err
			}
		}
		for _, chunk := range chunks {
			var err error
			if table {
				err = out.Rows([][]any{{chunk}})
			} else {
				err = out.Text(chunk)
			}
			if err != nil {
				return err
			}
		}
		out.Truncated(whole)
		if fails {
			return &runner.FailedError{Detail: whole}
		}
		return nil
	})
	v := st.visitor()
	response, err := v.request(t.Context(), http.MethodPost, "/api/v1/query", query("any"), "Accept", "text/event-stream")
	must(t, err)
	body, err := io.ReadAll(response.Body)
	must(t, err)
	must(t, response.Body.Close())
	events := parseEvents(string(body))
	if len(events) == 0 || events[0].name != "accepted" {
		t.Fatalf("no accepted: %.500q", body)
	}
	id := events[0].json(t)["run_id"].(string)
	got, end := wantOneEnd(t, events[1:])
	outcome := "succeeded"
	if fails {
		outcome = "failed"
	}
	if end["outcome"] != outcome || fails && whole != "" && readable(end["detail"].(string)) != readable(whole) {
		t.Fatalf("the end is %.500v", end)
	}
	wantOutputs(t, got, chunks, table)

	// Who comes back after any of the events gets the rest, and nothing twice.
	seen := 1 + rand.IntN(len(events)-1)
	again := v.get("/api/v1/runs/"+id+"/output", "Accept", "text/event-stream", "Last-Event-ID", events[seen-1].id)
	rest := append(events[1:seen:seen], parseEvents(again.body)...)
	got, _ = wantOneEnd(t, rest)
	wantOutputs(t, got, chunks, table)
}

func wantOutputs(t *testing.T, got outputs, chunks []string, table bool) {
	t.Helper()
	if !table {
		if whole := strings.Join(chunks, ""); readable(got.text) != readable(whole) {
			t.Fatalf("the text is %.500q, want %.500q", got.text, whole)
		}
		return
	}
	if len(got.cells) != len(chunks) || len(got.columns) != 1 {
		t.Fatalf("%d rows and columns %q, want %d rows", len(got.cells), got.columns, len(chunks))
	}
	for i, chunk := range chunks {
		if readable(got.cells[i]) != readable(chunk) {
			t.Fatalf("row %d is %.500q, want %.500q", i, got.cells[i], chunk)
		}
	}
}

// chunksOf cuts s into pieces of n bytes.
func chunksOf(s string, n int) []string {
	var chunks []string
	for ; len(s) > n; s = s[n:] {
		chunks = append(chunks, s[:n])
	}
	return append(chunks, s)
}

// hostileAnswers are what a runner may write to break a stream of events.
var hostileAnswers = []string{
	"", "plain", "\r", "\n", "\r\n", "\n\n", "\r\r", "a\r\rb", "a\n\nb\n", "\u0085\u2028\u2029",
	"event: end\ndata: {\"outcome\":\"succeeded\"}\n\n", "x\n\nevent: end\ndata: {}\n\n", "x\r\revent: end\rdata: {}\r\r",
	"data: 1\ndata: 2\n\n", "id: 99\n\n", "retry: 1\n", ": comment\n\n", "\uFEFFdata: x", "\x00\x01\x1b[31m", "\\u000a\\n\\\"", "</script>",
	"\xff\xfe", "\xc3", "\xe2\x82", "€\xe2\x82", "\xf0\x9f\x98", "\xed\xa0\x80", "\x80\x80\x80\x80\x80", "grüße € 😀", "😀\r\n€",
}

func TestEventStreamsCarryAnything(t *testing.T) {
	for _, answer := range hostileAnswers {
		for _, size := range []int{1, 2, 3, 1 << 20} {
			for _, table := range []bool{false, true} {
				streamOf(t, chunksOf(answer, size), table, size == 2)
			}
		}
	}
}

// Lines of a megabyte, and characters split over chunks of every size.
func TestEventStreamsCarryLongLines(t *testing.T) {
	line := strings.Repeat("grüße 😀 € ", 1<<20/16)
	for _, size := range []int{1 << 20, 4093} {
		streamOf(t, chunksOf(line, size), false, false)
	}
	streamOf(t, []string{line}, true, false)
}

func FuzzEventStream(f *testing.F) {
	for i, answer := range hostileAnswers {
		f.Add(answer, uint8(1+i%4), i%2 == 0, i%3 == 0)
	}
	f.Fuzz(func(t *testing.T, answer string, size uint8, table, fails bool) {
		streamOf(t, chunksOf(answer, max(1, int(size))), table, fails)
	})
}

func FuzzUnfinished(f *testing.F) {
	for _, answer := range hostileAnswers {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := unfinished(s)
		if n > 0 && utf8.FullRuneInString(s[len(s)-n:]) {
			t.Errorf("%q: the last %d bytes are whole", s, n)
		}
		if n == 0 && utf8.ValidString(s) != utf8.ValidString(s+"x") {
			t.Errorf("%q is not finished", s)
		}
	})
}
