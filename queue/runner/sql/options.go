package sql

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"confluence/queue/runner"
)

// Options are what New needs. Only Database is required.
type Options struct {
	// Database is the path of the SQLite file.
	Database string
	// Title is what the form is called. Empty: the file's name, or the demo's title.
	Title string
	// Examples are what the form offers. None: the first rows of the tables, or the demo's examples.
	Examples []runner.Example
	// Exe is the program that is executed as the child; it must call MaybeChild first. Empty: this program itself.
	Exe string
	// MaxRows is how many rows an answer has at most. 0: 100,000.
	MaxRows int
	// MaxBytes is how large an answer gets at most, in bytes of JSON. 0: 16 MiB.
	MaxBytes int64
	// MaxMemory is how much memory a query may take in its process, in bytes, all told; at least 64 MiB. 0: 256 MiB.
	MaxMemory int64
	// CheckTimeout is how long a check may take. 0: 2 seconds.
	CheckTimeout time.Duration
}

const (
	defaultMaxRows      = 100_000
	defaultMaxBytes     = 16 << 20
	defaultMaxMemory    = 256 << 20
	minMaxMemory        = 64 << 20
	defaultCheckTimeout = 2 * time.Second
)

// complete validates the options and fills in what was left out.
func (o Options) complete() (Options, error) {
	switch {
	case o.Database == "":
		return o, fmt.Errorf("%w: no database is named", ErrOptions)
	case o.MaxRows < 0:
		return o, fmt.Errorf("%w: MaxRows is %d, it can't be negative", ErrOptions, o.MaxRows)
	case o.MaxBytes < 0:
		return o, fmt.Errorf("%w: MaxBytes is %d, it can't be negative", ErrOptions, o.MaxBytes)
	case o.MaxMemory != 0 && o.MaxMemory < minMaxMemory:
		return o, fmt.Errorf("%w: MaxMemory is %d bytes, it must be at least %d", ErrOptions, o.MaxMemory, minMaxMemory)
	case o.CheckTimeout < 0:
		return o, fmt.Errorf("%w: CheckTimeout is %v, it can't be negative", ErrOptions, o.CheckTimeout)
	}
	if o.MaxRows == 0 {
		o.MaxRows = defaultMaxRows
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = defaultMaxMemory
	}
	if o.CheckTimeout == 0 {
		o.CheckTimeout = defaultCheckTimeout
	}
	var err error
	if o.Database, err = filepath.Abs(o.Database); err != nil {
		return o, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	if o.Exe == "" {
		if !armed.Load() {
			return o, fmt.Errorf("%w: main must call MaybeChild before anything else", ErrOptions)
		}
		o.Exe, err = self()
	}
	return o, err
}

// self names the program that runs now.
func self() (string, error) {
	// This name keeps its meaning when the file is replaced by a new build under a server that goes on.
	const running = "/proc/self/exe"
	if runtime.GOOS == "linux" {
		if _, err := os.Stat(running); err == nil {
			return running, nil
		}
	}
	return os.Executable()
}
