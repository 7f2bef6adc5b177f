package command

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

// childExe is testdata/child, built without the race detector so that its memory and speed are those in use.
var childExe string

func TestMain(m *testing.M) {
	MaybeChild()
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "commandrunner")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	childExe = filepath.Join(dir, "child")
	if out, err := exec.Command("go", "build", "-race=false", "-o", childExe, "./testdata/child").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// newRunner makes a runner that asks /bin/sh, so that a query is a script, with a folder of its own.
func newRunner(t *testing.T, options Options) *Runner {
	t.Helper()
	if options.Argv == nil {
		options.Argv = []string{"/bin/sh"}
	}
	if options.Dir == "" {
		options.Dir = t.TempDir()
	}
	options.Exe = childExe
	r, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ask runs a script and returns what it wrote.
func ask(t *testing.T, r *Runner, script string) (string, error) {
	t.Helper()
	var sink runnertest.Recorder
	err := r.Run(t.Context(), runner.Query{Text: script}, &sink)
	for _, breach := range sink.Breaches() {
		t.Error(breach)
	}
	if left, _ := os.ReadDir(r.options.Dir); len(left) > 0 {
		t.Errorf("a working folder is left: %v", left)
	}
	return sink.Output(), err
}

// gone waits until the process has ended, be it waited for or not.
func gone(t *testing.T, pid string) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if _, rest, _ := bytes.Cut(stat, []byte(") ")); err != nil || bytes.HasPrefix(rest, []byte("Z")) {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("the process %s is still there", pid)
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}
