package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// axe is axe-core's script, which finds faults in a page's accessibility. It is injected over the debugging protocol, which no
// Content-Security-Policy forbids.
var axe = sync.OnceValues(func() (string, error) {
	file := filepath.Join(root, ".cache", "axe", "node_modules", "axe-core", "axe.min.js")
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("this test needs axe-core: make tools installs it (%w)", err)
	}
	return string(text), nil
})

// axeRun lists the faults of the page, one text each.
const axeRun = `axe.run(document, {resultTypes: ["violations"]}).then(found => found.violations.map(v =>
	v.id + ": " + v.help + "\n" + v.nodes.map(n => "    " + n.target + "  " + n.failureSummary.replace(/\s+/g, " ")).join("\n")))`

// accessible checks that axe-core finds no fault in the page as it is.
func (v *visitor) accessible(name string) {
	v.t.Helper()
	for _, fault := range v.faults() {
		v.t.Errorf("%s: %s", name, fault)
	}
}

func (v *visitor) faults() []string {
	v.t.Helper()
	script, err := axe()
	if err != nil {
		v.t.Fatal(err)
	}
	v.do(chromedp.Evaluate[chromedp.Void](script))
	ctx, cancel := v.soon()
	defer cancel()
	faults, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](axeRun, chromedp.EvalAwaitPromise))
	if err != nil {
		v.t.Fatalf("axe: %v\n%s", err, v.page())
	}
	return faults
}

// TestAxeFindsAFault: else its silence would mean nothing.
func TestAxeFindsAFault(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<!doctype html><html><title>Faulty</title><main><h1>Faulty</h1><input></main></html>`)
	}))
	defer page.Close()
	v := newVisitor(t, page.URL+"/")
	v.open("")
	found := strings.Join(v.faults(), "\n")
	for _, rule := range []string{"html-has-lang", "label"} {
		if !strings.Contains(found, rule) {
			t.Errorf("%s was not found: %s", rule, found)
		}
	}
}
