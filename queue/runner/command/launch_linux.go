package command

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// launch takes on the limits and becomes the command. It returns only if it can't, after saying why to the supervisor.
func launch(limits string) error {
	syscall.CloseOnExec(launchFile)
	err := become(limits)
	_, _ = os.NewFile(launchFile, "launch").WriteString(err.Error())
	return err
}

func become(limits string) error {
	if len(os.Args) < 3 {
		return fmt.Errorf("no program to start")
	}
	path, argv := os.Args[1], os.Args[2:]
	var memory, fileSize uint64
	if _, err := fmt.Sscan(limits, &memory, &fileSize); err != nil {
		return fmt.Errorf("read the limits: %w", err)
	}
	var env []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, childMark+"=") {
			env = append(env, variable)
		}
	}
	// The flag is the thread's, and goes where it goes.
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	// When memory runs out the command goes before the server does. Where this can't be said nothing is lost.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0)
	// What the server was started with, beside the standard files, is none of the command's business. Old kernels can't.
	_ = unix.CloseRange(launchFile, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
	// No collector may want memory once there is none for it.
	debug.SetGCPercent(-1)
	for _, limit := range []struct {
		resource int
		name     string
		value    uint64
	}{
		{syscall.RLIMIT_CORE, "RLIMIT_CORE", 0},
		{syscall.RLIMIT_FSIZE, "RLIMIT_FSIZE", fileSize},
		{syscall.RLIMIT_DATA, "RLIMIT_DATA", memory}, // last: this program itself may have more already
	} {
		if err := lower(limit.resource, limit.value); err != nil {
			return fmt.Errorf("%s: %w", limit.name, err)
		}
	}
	return fmt.Errorf("execute %s: %w", path, syscall.Exec(path, argv, env))
}

// lower sets a limit, unless a lower one is there already.
func lower(resource int, value uint64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(resource, &now); err != nil {
		return err
	}
	return syscall.Setrlimit(resource, &syscall.Rlimit{Cur: min(value, now.Cur), Max: min(value, now.Max)})
}
