package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestBrowserSortsAndFinds: a table is sorted by its heads, by keyboard too, NULL last whichever way, and searched; a screen reader is told.
func TestBrowserSortsAndFinds(t *testing.T) {
	server := serving(t)
	v := newVisitor(t, server.url)
	v.open("")
	v.writes("#query", "SELECT column1 AS name, column2 AS n FROM (VALUES ('beta', 9), ('Alpha', 10), ('gamma', NULL), ('delta', 100))")
	v.press("Run")
	v.sees(soonEnough, "Your result", "Find in these rows")
	v.wantColumn(1, "beta", "Alpha", "gamma", "delta")
	v.press("name")
	v.wantColumn(1, "Alpha", "beta", "delta", "gamma")
	v.press("n")
	v.wantColumn(2, "9", "10", "100", "NULL")
	v.press("n")
	v.wantColumn(2, "100", "10", "9", "NULL")
	if sort := eval[[]string](v, `[...document.querySelectorAll("th")].map(h => h.getAttribute("aria-sort"))`); !slices.Equal(sort, []string{"none", "descending"}) {
		t.Errorf("aria-sort is %q", sort)
	}
	v.press("n")
	v.wantColumn(1, "beta", "Alpha", "gamma", "delta")

	v.do(typed("#find", "TA"))
	v.wantColumn(1, "beta", "delta")
	v.sees(soonEnough, "2 rows found")
	v.until(soonEnough, "the count to be told", func() bool { return eval[string](v, `document.querySelector("#said").textContent`) == "2 rows found" })
	v.accessible("a result that is searched")
}

// wantColumn waits until the rows that are shown have these texts in a column, counted from 1.
func (v *visitor) wantColumn(column int, texts ...string) {
	v.t.Helper()
	v.until(soonEnough, fmt.Sprintf("%q in column %d", texts, column), func() bool {
		return slices.Equal(eval[[]string](v, fmt.Sprintf(`[...document.querySelectorAll("tbody tr:not([hidden]) td:nth-child(%d)")].map(c => c.textContent)`, column)), texts)
	})
}

// TestBrowserModelAnswer: what a model writes is shown with its form, and as it is on request; it runs nothing.
func TestBrowserModelAnswer(t *testing.T) {
	answer := "# Short\n\nMove **twenty** copies:\n\n1. first\n2. second\n\n<script>window.broken=1</script> <img src=x onerror=window.broken=1>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", answer)
		}
	}))
	defer model.Close()
	server := serving(t, "--runner=openai", "--openai-url="+model.URL+"/v1", "--openai-model=small")
	v := newVisitor(t, server.url)
	v.open("")
	v.writes("#query", "how many?")
	v.press("Run")
	v.sees(30*time.Second, "Your answer", "Move twenty copies:", "<script>window.broken=1</script>")
	if bold := eval[string](v, `document.querySelector(".prose strong")?.textContent`); bold != "twenty" {
		t.Errorf("bold is %q", bold)
	}
	if eval[bool](v, `window.broken === 1 || document.querySelector(".prose script, .prose img") !== null`) {
		t.Error("what the model wrote is alive")
	}
	v.click("summary")
	v.sees(soonEnough, "Move **twenty** copies:")
	if plain := eval[string](v, `document.querySelector("#text").textContent`); strings.TrimSpace(plain) != strings.TrimSpace(answer) {
		t.Errorf("the plain text is %q", plain)
	}
	v.looksWell("result-answer")
}
