package sql

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

// A child that doesn't keep to the protocol, whatever became of it, is a failed run, never a whole answer or a crash of the server.
func TestRogueChild(t *testing.T) {
	r := newRunner(t, Options{Database: demoFile, MaxBytes: 1000})
	for name, script := range map[string]string{
		"says nothing":            ``,
		"rubbish":                 `echo 'Segmentation fault'`,
		"not an object":           `echo 7`,
		"an empty object":         `echo '{}'`,
		"a row first":             `echo '[1]'`,
		"only an end":             `echo '{"end":{}}'`,
		"columns twice":           `echo '{"columns":["a"]}'; echo '{"columns":["a"]}'`,
		"a schema":                `echo '{"columns":["a"]}'; echo '{"schema":{}}'`,
		"a row too long":          `echo '{"columns":["a"]}'; echo '[1,2]'; echo '{"end":{}}'`,
		"a row that can't be":     `echo '{"columns":["a"]}'; echo '[x]'; echo '{"end":{}}'`,
		"no end":                  `echo '{"columns":["a"]}'; echo '[1]'`,
		"a line without its end":  `echo '{"columns":["a"]}'; echo '[1]'; printf '{"end":{}}'`,
		"a line that never ends":  `while :; do printf '%1000s' x; done`,
		"rubbish, and stays":      `echo rubbish; while :; do :; done`,
		"ends its output, stays":  `exec 1>&-; read line; read line`,
		"an error of no kind":     `echo '{"error":{}}'`,
		"an error among the rows": `echo '{"columns":["a"]}'; echo '[1]'; echo '{"error":{"kind":"internal","log":"x"}}'`,
	} {
		t.Run(name, func(t *testing.T) {
			r := &Runner{options: r.options, checks: make(chan struct{}, 1)}
			r.options.Exe = filepath.Join(t.TempDir(), "rogue")
			if err := os.WriteFile(r.options.Exe, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil { //nolint:gosec // it is executed
				t.Fatal(err)
			}
			var sink runnertest.Recorder
			err := r.Run(t.Context(), runner.Query{Text: "SELECT 1"}, &sink)
			var failed *runner.FailedError
			if !errors.As(err, &failed) || failed.Detail == "" || failed.Log == "" {
				t.Errorf("%v", err)
			}
			if name != "only an end" {
				if err := r.Check(t.Context(), runner.Query{Text: "SELECT 1"}); !errors.As(err, &failed) && !errors.Is(err, errCheckTimeout) {
					t.Errorf("check: %v", err)
				}
			}
			for _, breach := range sink.Breaches() {
				t.Error(breach)
			}
			if left := children(); len(left) > 0 {
				t.Errorf("processes %v remain", left)
			}
		})
	}
}
