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

// TestReplaySaysWhatIsUnmet, takes a file with a byte order mark, and what it has printed itself.
func TestReplaySaysWhatIsUnmet(t *testing.T) {
	trace := "\ufeff" + `{"config": {"reservation_seconds": 30, "heartbeat_seconds": 60, "max_length": 5}}
{"at": 0, "op": "status", "session": "a", "want": {"error": "ticket_not_found"}}
{"at": 0, "op": "claim", "session": "a", "want": {"error": "busy"}}
{"at": 1, "op": "claim", "session": "b", "want": {"view": null}}
`
	var out, errs bytes.Buffer
	if code := replay(strings.NewReader(trace), "trace", &out, &errs); code != replayUnmet || !strings.Contains(errs.String(), "trace: 2 of the operations") || !strings.Contains(errs.String(), "line 3") {
		t.Errorf("exit code %d, %q", code, errs.String())
	}
	var again bytes.Buffer
	if code := replay(bytes.NewReader(out.Bytes()), "trace", &again, &errs); code != replayUnmet {
		t.Errorf("its own output: exit code %d, %s", code, errs.String())
	}
	if got, want := strings.Count(again.String(), `"got"`), 3; got != want {
		t.Errorf("%d times got, want %d:\n%s", got, want, again.String())
	}
}
