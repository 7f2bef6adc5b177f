package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// temporaryPrefix begins the names of our folders among the system's temporary files.
const temporaryPrefix = "confluence-process-"

// temporaryFolder is a folder that goes with the process. It is locked as long, so that a later process can tell what a hard stop has left.
type temporaryFolder struct {
	path string
	lock *os.File
}

// makeTemporary makes one, and removes what earlier processes had no time to remove.
func makeTemporary() (*temporaryFolder, error) {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), temporaryPrefix+"*"))
	for _, path := range left {
		if f, err := lockTemporary(path); err == nil {
			_ = f.remove() // else the next process does
		}
	}
	for {
		path, err := os.MkdirTemp("", temporaryPrefix)
		if err != nil {
			return nil, fmt.Errorf("a temporary folder: %w", err)
		}
		f, err := lockTemporary(path)
		if errors.Is(err, errTemporaryTaken) { // by another process that starts, and thought that it was left
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("a temporary folder: %w", err)
		}
		return f, nil
	}
}

// errTemporaryTaken: a folder is another process's, or is not there any more.
var errTemporaryTaken = errors.New("it is another process's")

// lockTemporary makes a folder this process's own.
func lockTemporary(path string) (*temporaryFolder, error) {
	lock, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errTemporaryTaken
	}
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		return nil, errTemporaryTaken
	}
	var is syscall.Stat_t
	if err := syscall.Fstat(int(lock.Fd()), &is); err != nil || is.Nlink == 0 || is.Uid != uint32(os.Getuid()) {
		lock.Close()
		return nil, errTemporaryTaken
	}
	return &temporaryFolder{path, lock}, nil
}

// remove removes it with all that is in it; nil has none.
func (f *temporaryFolder) remove() error {
	if f == nil {
		return nil
	}
	return errors.Join(os.RemoveAll(f.path), f.lock.Close())
}
