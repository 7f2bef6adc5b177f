package documents

import (
	"cmp"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"
)

// Options are what Open needs. Folder and Database are required.
type Options struct {
	// Folder is what is indexed.
	Folder string
	// Database is the path of the index, in a folder that can be written.
	Database string
	// MaxFiles is how many files are indexed at most. 0: 20,000.
	MaxFiles int
	// MaxFileBytes is the size of the largest file that is indexed; at most 8 MiB. 0: 4 MiB.
	MaxFileBytes int64
	// MaxBytes is how large all indexed files are together at most. 0: 256 MiB.
	MaxBytes int64
	// Quiet is how long nothing must change before changes are taken. 0: 500 ms.
	Quiet time.Duration
	// Latest is how long after its first change a burst is taken at the latest. 0: 5 s.
	Latest time.Duration
	// Poll is the time between two looks at everything. 0: one minute; ten seconds while the folders can't be watched.
	Poll time.Duration
	// Logger is told what is indexed and what is left out. nil: slog.Default().
	Logger *slog.Logger
	// Now tells the time by which files are dated. nil: time.Now.
	Now func() time.Time
}

const (
	defaultMaxFiles     = 20_000
	defaultMaxFileBytes = 4 << 20
	defaultMaxBytes     = 256 << 20
	mostMaxFileBytes    = 8 << 20
	defaultQuiet        = 500 * time.Millisecond
	defaultLatest       = 5 * time.Second
	defaultPoll         = time.Minute
	blindPoll           = 10 * time.Second
	maxEntries          = 200_000 // files and folders of any kind that are looked at
)

// complete validates the options and fills in what was left out; Poll stays 0.
func (o Options) complete() (Options, error) {
	switch {
	case o.Folder == "":
		return o, fmt.Errorf("%w: no folder is named", ErrOptions)
	case o.Database == "":
		return o, fmt.Errorf("%w: no database is named", ErrOptions)
	case o.MaxFiles < 0, o.MaxFileBytes < 0, o.MaxBytes < 0:
		return o, fmt.Errorf("%w: a limit is negative", ErrOptions)
	case o.MaxFileBytes > mostMaxFileBytes:
		return o, fmt.Errorf("%w: MaxFileBytes is %d, it must be at most %d", ErrOptions, o.MaxFileBytes, mostMaxFileBytes)
	case o.Quiet < 0, o.Latest < 0, o.Poll < 0:
		return o, fmt.Errorf("%w: a time is negative", ErrOptions)
	}
	o.MaxFiles = cmp.Or(o.MaxFiles, defaultMaxFiles)
	o.MaxFileBytes = cmp.Or(o.MaxFileBytes, defaultMaxFileBytes)
	o.MaxBytes = cmp.Or(o.MaxBytes, defaultMaxBytes)
	o.Quiet = cmp.Or(o.Quiet, defaultQuiet)
	o.Latest = cmp.Or(o.Latest, defaultLatest)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	var err error
	if o.Folder, err = filepath.Abs(o.Folder); err != nil {
		return o, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	if o.Database, err = filepath.Abs(o.Database); err != nil {
		return o, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	return o, nil
}
