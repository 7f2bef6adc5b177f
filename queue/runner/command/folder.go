package command

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// newFolder makes a run's working folder.
func newFolder(parent string) (string, error) {
	dir, err := os.MkdirTemp(parent, "confluence-run-")
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrFolder, err)
	}
	return dir, nil
}

// removeFolder removes a run's working folder with all that is in it, also what a program has made unreadable.
func removeFolder(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700) // before its entries are read, and of no effect if it isn't ours
		}
		return nil
	})
	return os.RemoveAll(dir)
}
