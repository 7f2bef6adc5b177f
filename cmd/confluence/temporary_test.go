package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTemporaryFolders: each process has its own; one that a hard stop has left is removed by the next start, and nothing else is.
func TestTemporaryFolders(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	first, err := makeTemporary()
	if err != nil {
		t.Fatal(err)
	}
	left, err := makeTemporary()
	if err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(os.TempDir(), "confluence-somebody")
	for _, folder := range []string{filepath.Join(left.path, "a", "b"), foreign} {
		if err := os.MkdirAll(folder, folderMode); err != nil {
			t.Fatal(err)
		}
	}
	if err := left.lock.Close(); err != nil { // as the end of a process does
		t.Fatal(err)
	}
	next, err := makeTemporary()
	if err != nil {
		t.Fatal(err)
	}
	for path, wanted := range map[string]bool{first.path: true, left.path: false, next.path: true, foreign: true} {
		if _, err := os.Stat(path); (err == nil) != wanted {
			t.Errorf("%s is there: %v, want %v", path, err == nil, wanted)
		}
	}
	for _, f := range []*temporaryFolder{first, next, nil} {
		if err := f.remove(); err != nil {
			t.Error(err)
		}
	}
	if files, err := os.ReadDir(os.TempDir()); err != nil || len(files) != 1 {
		t.Errorf("left: %v, %v", files, err)
	}
}

// TestSweep removes what a hard stop has left of files that were being made, and nothing else.
func TestSweep(t *testing.T) {
	folder := dataFolder(t.TempDir())
	kept := []string{keyFile, demoFile, "line.sqlite", ".hidden"}
	for _, name := range append(kept, ".writable-1", ".session.key123", ".demo-7.tmp", ".demo-7.tmp-journal") {
		if err := os.WriteFile(filepath.Join(string(folder), name), nil, secretMode); err != nil {
			t.Fatal(err)
		}
	}
	folder.sweep()
	if files, err := os.ReadDir(string(folder)); err != nil || len(files) != len(kept) {
		t.Errorf("left: %v, %v", files, err)
	}
}
