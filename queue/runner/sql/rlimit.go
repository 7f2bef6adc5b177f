package sql

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"syscall"
)

// share divides the memory that a query may take, in bytes. What is left over is for the program's own text and start.
type share struct {
	heap         int64 // SQLite's hard limit: the one to be hit, since it ends in a clear error
	addressSpace int64 // SQLite's whole memory, with what its allocator can't use
	runtime      int64 // Go's, which rows pass through
	data         int64 // RLIMIT_DATA beyond what the program has at its start: the net below
}

func shareOf(memory int64) share {
	return share{
		heap:         memory / 2,
		addressSpace: memory / 8 * 5,
		runtime:      memory / 8,
		data:         memory / 8 * 7,
	}
}

// confine takes from this process what a query never needs.
func confine() error {
	// A write beyond the limit of a file's size shall be an error to SQLite, not the end of the process.
	signal.Ignore(syscall.SIGXFSZ)
	// The parent alone says when the child ends: a signal to a whole service must not cut a run that its server lets end.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	for _, limit := range []struct {
		resource int
		name     string
	}{
		{syscall.RLIMIT_FSIZE, "RLIMIT_FSIZE"},
		{syscall.RLIMIT_CORE, "RLIMIT_CORE"},
	} {
		if err := syscall.Setrlimit(limit.resource, &syscall.Rlimit{}); err != nil {
			return fmt.Errorf("%s: %w", limit.name, err)
		}
	}
	return nil
}

// confineMemory bounds the memory of this process, in bytes.
func confineMemory(memory int64) error {
	share := shareOf(memory)
	debug.SetMemoryLimit(share.runtime)
	debug.SetMaxStack(int(share.runtime))
	// The program already has data that it will never touch, and how much depends on how it was built.
	data := uint64(dataNow() + share.data)
	if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: data, Max: data}); err != nil {
		return fmt.Errorf("RLIMIT_DATA: %w", err)
	}
	return nil
}

// dataNow is how many bytes count towards RLIMIT_DATA now; 0 where the system doesn't tell.
func dataNow() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("VmData:"))
	kilobytes, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" kB"))
	n, err := strconv.ParseInt(string(kilobytes), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}
