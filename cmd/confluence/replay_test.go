package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const vectors = "../../queue/testdata/vectors"

func TestReplayMeetsEveryVector(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(vectors, "*.jsonl"))
	if err != nil || len(files) < 24 {
		t.Fatalf("%d vectors, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			trace, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var out, errs bytes.Buffer
			if code := replay(bytes.NewReader(trace), name, &out, &errs); code != replayMet {
				t.Errorf("exit %d %s", code, errs.String())
				for i, line := range strings.Split(out.String(), "\n") {
					if _, ok, err := strings.Cut(line, `"want": `); err && !met(ok) {
						t.Fatalf("line %d: %s", i+1, line)
					}
				}
			}
			if got, want := strings.Count(out.String(), "\n"), bytes.Count(bytes.TrimSpace(trace), []byte("\n"))+1; got != want {
				t.Errorf("%d lines out of %d", got, want)
			}
		})
	}
}

// met compares the two ends of an operation's line as texts without spaces.
func met(wantAndGot string) bool {
	want, got, _ := strings.Cut(wantAndGot, `, "got": `)
	squeeze := strings.NewReplacer(" ", "")
	return squeeze.Replace(want)+"}" == squeeze.Replace(got)
}
