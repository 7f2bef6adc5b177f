package trace

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"confluence/queue"
	"confluence/queue/memory"
)

// FuzzReplay: a file of anything is played or refused, and what is printed of one that was played can be played.
func FuzzReplay(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "vectors", "*.jsonl"))
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
	open := func(cfg queue.Config, clock func() time.Duration) (queue.Store, error) {
		return memory.New(memory.Options{Config: cfg, Clock: clock})
	}
	f.Fuzz(func(t *testing.T, trace []byte) {
		if len(trace) > 64<<10 {
			return
		}
		var printed bytes.Buffer
		if _, err := Replay(bytes.NewReader(trace), open, &printed); err != nil {
			return
		}
		if _, err := Replay(&printed, open, io.Discard); err != nil {
			t.Errorf("it can't play its own output: %v", err)
		}
	})
}
