package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

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
	script, err := axe()
	if err != nil {
		v.t.Fatal(err)
	}
	v.do(chromedp.Evaluate[chromedp.Void](script))
	ctx, cancel := v.soon()
	defer cancel()
	faults, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](axeRun, chromedp.EvalAwaitPromise))
	if err != nil {
		v.t.Fatalf("%s: axe: %v", name, err)
	}
	for _, fault := range faults {
		v.t.Errorf("%s: %s", name, fault)
	}
}
