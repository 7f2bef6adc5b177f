package main

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
)

// dataFolder is where Confluence keeps what must outlive a restart.
type dataFolder string

const (
	folderMode    fs.FileMode = 0o700
	secretMode    fs.FileMode = 0o600
	keyFile                   = "session.key"
	demoFile                  = "demo.sqlite"
	documentsFile             = "documents.sqlite"
	resultFolder              = "results"
	keyBytes                  = 32
	othersModes   fs.FileMode = 0o077
)

// openDataFolder makes the folder at need and tries to write into it. A folder that was there and is open to others is only warned of:
// its mode may be somebody's decision.
func openDataFolder(path string, log *slog.Logger) (dataFolder, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("the data folder: %w", err)
	}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(path, folderMode); err != nil {
			return "", folderTrouble(path, err)
		}
	case err != nil:
		return "", folderTrouble(path, err)
	case !info.IsDir():
		return "", folderTrouble(path, errors.New("it is a file, not a folder"))
	case info.Mode()&othersModes != 0:
		log.Warn("the data folder is open to other users of this machine, and holds the session key: chmod 700 closes it",
			"folder", path, "mode", info.Mode().Perm().String())
	}
	probe, err := os.CreateTemp(path, ".writable-")
	if err != nil {
		return "", folderTrouble(path, err)
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) { // which another process swept
		return "", folderTrouble(path, err)
	}
	return dataFolder(path), nil
}

func folderTrouble(path string, err error) error {
	if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
		err = wrapped.Err
	}
	return fmt.Errorf("the data folder %s can't be written (%w): make it writable for this user, or choose another with --data-dir (%s)",
		path, err, envName("data-dir"))
}

// sessionKey is the key that signs the session cookies: made at the first start, and the same ever after, so that sessions outlive restarts.
// The file holds it as text, which may be moved into the setting as it is.
func (f dataFolder) sessionKey() ([]byte, error) {
	path := filepath.Join(string(f), keyFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f.newSessionKey()
	}
	if err != nil {
		return nil, fmt.Errorf("the session key can't be read: %w", err)
	}
	key := strings.TrimSpace(string(text))
	if len(key) < shortestKey {
		return nil, fmt.Errorf("the session key in %s is damaged: delete the file to have a new one made (everybody then starts a new session)", path)
	}
	return []byte(key), nil
}

func (f dataFolder) newSessionKey() ([]byte, error) {
	random := make([]byte, keyBytes)
	if _, err := rand.Read(random); err != nil {
		return nil, fmt.Errorf("making a session key: %w", err)
	}
	key := base64.StdEncoding.EncodeToString(random)
	path := filepath.Join(string(f), keyFile)
	if err := renameio.WriteFile(path, []byte(key+"\n"), secretMode, renameio.IgnoreUmask()); err != nil {
		return nil, fmt.Errorf("keeping the session key: %w", err)
	}
	return []byte(key), nil
}

// sweep removes what a hard stop has left of files that were being made. Only the process that has the line open may do so: another one's start
// makes such files, too.
func (f dataFolder) sweep() {
	for _, pattern := range []string{".writable-*", "." + keyFile + "*", ".demo-*.tmp*"} {
		left, _ := filepath.Glob(filepath.Join(string(f), pattern))
		for _, path := range left {
			_ = os.Remove(path) // it does no harm, and the next start tries again
		}
	}
}

// demoDatabase is where the demo database is.
func (f dataFolder) demoDatabase() string { return filepath.Join(string(f), demoFile) }

// documentsDatabase is where the index of the documents is.
func (f dataFolder) documentsDatabase() string { return filepath.Join(string(f), documentsFile) }

// results is where long answers lie while they are kept.
func (f dataFolder) results() string { return filepath.Join(string(f), resultFolder) }
