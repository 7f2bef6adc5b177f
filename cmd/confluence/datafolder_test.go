package main

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDataFolderIsMadeForItsOwnerAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "data")
	var said bytes.Buffer
	folder, err := openDataFolder(path, slog.New(slog.NewTextHandler(&said, nil)))
	if err != nil {
		t.Fatal(err)
	}
	key, err := folder.sessionKey()
	if err != nil {
		t.Fatal(err)
	}
	wantMode(t, path, folderMode)
	wantMode(t, filepath.Join(path, keyFile), secretMode)
	if len(key) < shortestKey {
		t.Errorf("the key has %d characters", len(key))
	}
	again, err := folder.sessionKey()
	if err != nil || !bytes.Equal(again, key) {
		t.Errorf("the second look gives another key, or %v", err)
	}
	if said.Len() > 0 {
		t.Errorf("a warning without a reason: %s", &said)
	}
	if entries, err := os.ReadDir(path); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v), want the key alone", entries, err)
	}
}

// TestSessionKeyMovesIntoTheSetting: what the file holds can be set as CONFLUENCE_WEB_SESSION_KEYS, and the sessions stay.
func TestSessionKeyMovesIntoTheSetting(t *testing.T) {
	folder := dataFolder(t.TempDir())
	key, err := folder.sessionKey()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(string(folder), keyFile))
	if err != nil {
		t.Fatal(err)
	}
	got := asked(t, []string{"CONFLUENCE_WEB_SESSION_KEYS=" + string(text)}).Serve.SessionKeys
	if len(got) != 1 || !bytes.Equal(got[0], key) {
		t.Errorf("the setting gives %q, the file %q", got, key)
	}
}

func TestDataFolderOpenToOthersIsWarnedOf(t *testing.T) {
	path := t.TempDir()
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	if _, err := openDataFolder(path, slog.New(slog.NewTextHandler(&said, nil))); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), "chmod 700") {
		t.Errorf("no warning: %q", said.String())
	}
	wantMode(t, path, 0o755)
}

func TestDataFolderTroubles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(file, "below"), "/proc/none"} {
		_, err := openDataFolder(path, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "--data-dir") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestDamagedSessionKeyIsNotReplacedInSilence(t *testing.T) {
	folder := dataFolder(t.TempDir())
	path := filepath.Join(string(folder), keyFile)
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.sessionKey(); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
}

func wantMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != want {
		t.Errorf("%s has the mode %v, want %v", path, info.Mode().Perm(), want)
	}
}
