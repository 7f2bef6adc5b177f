package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// built is the binary under test, and the folder that it stands in; both go when the tests have ended.
var built struct {
	sync.Once
	folder string
	err    error
}

// TestMain also is the crowd: the test binary, started again with crowdEnv set, is a process full of simulated users.
func TestMain(m *testing.M) {
	if os.Getenv(crowdEnv) != "" {
		os.Exit(crowdMain(os.Stdin, os.Stdout, os.Stderr))
	}
	code := m.Run()
	closeChromium()
	if built.folder != "" {
		os.RemoveAll(built.folder)
	}
	os.Exit(code)
}

// binary builds Confluence once, and is the path to it.
func binary(t *testing.T) string {
	t.Helper()
	built.Do(func() {
		if built.folder, built.err = os.MkdirTemp("", "confluence-e2e-"); built.err != nil {
			return
		}
		args := slices.Concat([]string{"build"}, raceFlags, []string{"-ldflags", "-X main.version=under-test", "-o", filepath.Join(built.folder, "confluence"), "."})
		if said, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			built.err = fmt.Errorf("go build: %w\n%s", err, said)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.folder, "confluence")
}
