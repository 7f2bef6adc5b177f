package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"confluence/queue/runner"
)

// Options are what New needs. Only Argv is required.
type Options struct {
	// Argv is the program and its arguments. A program without a slash is looked for in PATH. Each run starts in a folder of its own, so
	// an argument that names a file must be a whole path.
	Argv []string
	// Dir is the folder in which each run gets its working folder. Empty: the system's folder for temporary files.
	Dir string
	// Env names the variables of this process's environment that the program sees, beside PATH and LANG. Name no secret that isn't its own.
	Env []string
	// Exe is the program that is executed as supervisor; it must call MaybeChild first. Empty: this program itself.
	Exe string
	// MaxBytes is how long an answer gets at most, in bytes; the program is stopped there. 0: 16 MiB.
	MaxBytes int64
	// MaxMemory is how much memory the program may take, in bytes; at least 16 MiB. 0: 4 GiB.
	MaxMemory int64
	// MaxFileSize is how large a file the program may write, in bytes. 0: 1 GiB.
	MaxFileSize int64
	// MaxProcesses is how many processes a run may have at once; threads don't count. 0: 64.
	MaxProcesses int
}

const (
	defaultMaxBytes     = 16 << 20
	defaultMaxMemory    = 4 << 30
	minMaxMemory        = 16 << 20
	defaultMaxFileSize  = 1 << 30
	defaultMaxProcesses = 64
	defaultPath         = "/usr/local/bin:/usr/bin:/bin"
	defaultLang         = "C.UTF-8"
)

// complete validates the options and fills in what was left out.
func (o Options) complete() (Options, error) {
	switch {
	case len(o.Argv) == 0 || o.Argv[0] == "":
		return o, fmt.Errorf("%w: no program is named", ErrOptions)
	case strings.Contains(strings.Join(o.Argv, ""), "\x00"):
		return o, fmt.Errorf("%w: an argument has a zero byte in it", ErrOptions)
	case o.MaxBytes < 0:
		return o, fmt.Errorf("%w: MaxBytes is %d, it can't be negative", ErrOptions, o.MaxBytes)
	case o.MaxMemory != 0 && o.MaxMemory < minMaxMemory:
		return o, fmt.Errorf("%w: MaxMemory is %d bytes, it must be at least %s", ErrOptions, o.MaxMemory, runner.Size(minMaxMemory))
	case o.MaxFileSize < 0:
		return o, fmt.Errorf("%w: MaxFileSize is %d, it can't be negative", ErrOptions, o.MaxFileSize)
	case o.MaxProcesses < 0:
		return o, fmt.Errorf("%w: MaxProcesses is %d, it can't be negative", ErrOptions, o.MaxProcesses)
	}
	for _, name := range o.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || name == "HOME" || name == "TMPDIR" || name == childMark {
			return o, fmt.Errorf("%w: %q can't be the name of a variable that the program sees", ErrOptions, name)
		}
	}
	if o.Dir == "" {
		o.Dir = os.TempDir()
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = defaultMaxMemory
	}
	if o.MaxFileSize == 0 {
		o.MaxFileSize = defaultMaxFileSize
	}
	if o.MaxProcesses == 0 {
		o.MaxProcesses = defaultMaxProcesses
	}
	var err error
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
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

// find is the whole path of the program that the operator names.
func find(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrProgram, err)
	}
	return filepath.Abs(path)
}

// environment is what the program sees beside the names of its working folder.
func (o Options) environment() []string {
	variables := []string{"PATH=" + inherited("PATH", defaultPath), "LANG=" + inherited("LANG", defaultLang)}
	for _, name := range o.Env {
		if value, set := os.LookupEnv(name); set && name != "PATH" && name != "LANG" {
			variables = append(variables, name+"="+value)
		}
	}
	return variables
}

func inherited(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
