package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// FuzzReplay: a file of anything is played or refused, with one of the exit codes.
func FuzzReplay(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(vectors, "*.jsonl"))
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		trace, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(trace) < 8<<10 {
			f.Add(trace)
		}
	}
	f.Add([]byte(`{"config":{"reservation_seconds":1e300,"heartbeat_seconds":-1,"max_length":-5,"slots":99999999}}`))
	f.Add([]byte("{\"config\":{}}\n{\"at\":1e308,\"op\":\"join\",\"session\":\"\"}\n\xff"))
	f.Fuzz(func(t *testing.T, trace []byte) {
		if len(trace) > 64<<10 {
			return
		}
		var errs bytes.Buffer
		switch code := replay(bytes.NewReader(trace), "fuzz", io.Discard, &errs); code {
		case replayMet, replayUnmet:
		case replayUnreadable:
			if errs.Len() == 0 {
				t.Error("refused without a word")
			}
		default:
			t.Errorf("exit code %d", code)
		}
	})
}
