package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// built are the binaries under test, by the flags that they were built with, and the folder that they stand in, which goes when the tests
// have ended.
var built struct {
	sync.Mutex
	folder string
	binary map[string]string
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

// workshop is the folder for what all tests share.
func workshop(t *testing.T) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if built.folder == "" {
		folder, err := os.MkdirTemp("", "confluence-e2e-")
		if err != nil {
			t.Fatal(err)
		}
		built.folder, built.binary = folder, map[string]string{}
	}
	return built.folder
}

// binary builds Confluence, once for these flags of go build, and is the path to it.
func binary(t *testing.T, flags ...string) string {
	t.Helper()
	folder := workshop(t)
	built.Lock()
	defer built.Unlock()
	key := strings.Join(flags, " ")
	if path, ok := built.binary[key]; ok {
		return path
	}
	path := filepath.Join(folder, fmt.Sprintf("confluence-%d", len(built.binary)))
	args := slices.Concat([]string{"build"}, flags, []string{"-ldflags", "-X main.version=under-test", "-o", path, "."})
	if said, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, said)
	}
	built.binary[key] = path
	return path
}
