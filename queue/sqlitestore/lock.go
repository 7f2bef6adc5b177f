package sqlitestore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// lock is the right to open a folder's line, for as long as the process lives.
type lock struct {
	file *os.File
}

// takeLock errs with ErrInUse if another process has it, or another Store of this one.
func takeLock(path string) (*lock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer file.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
		if holder, err := io.ReadAll(io.LimitReader(file, 20)); err == nil && len(holder) > 0 {
			return nil, fmt.Errorf("%w (%s)", ErrInUse, strings.TrimSpace(string(holder)))
		}
		return nil, ErrInUse
	}
	// Whose it is helps who finds it locked; the lock holds without it.
	if err := file.Truncate(0); err == nil {
		_, _ = fmt.Fprintf(file, "process %d\n", os.Getpid())
	}
	return &lock{file}, nil
}

// release gives the lock back. The file stays: removing it would let two processes lock one each.
func (l *lock) release() error { return l.file.Close() }
