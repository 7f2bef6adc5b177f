package web

import (
	"fmt"
	"io/fs"
	"os"
)

const (
	resultFolderMode fs.FileMode = 0o700
	resultFile                   = "answer-*"
	// memoryPerAnswer is how much of one answer stays in memory; a longer one moves into a file as a whole.
	memoryPerAnswer = 4 << 20
)

// resultFolder is where long answers lie, and the runs that outlive the process with theirs.
type resultFolder struct {
	path   string
	beyond int64 // bytes: longer answers come here
}

// openResultFolder makes the folder at need, for its owner alone.
func openResultFolder(path string) (*resultFolder, error) {
	if err := os.MkdirAll(path, resultFolderMode); err != nil {
		return nil, fmt.Errorf("the folder for results: %w", err)
	}
	if err := os.Chmod(path, resultFolderMode); err != nil {
		return nil, fmt.Errorf("the folder for results: %w", err)
	}
	return &resultFolder{path: path, beyond: memoryPerAnswer}, nil
}

// create makes a file that only this user may read.
func (f *resultFolder) create() (*os.File, error) { return os.CreateTemp(f.path, resultFile) }
