package command

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
)

// childMark is the variable whose presence makes a process one of a run's own: "supervise", or "launch" and the limits.
const childMark = "CONFLUENCE_COMMAND_CHILD"

const (
	markSupervise = "supervise"
	markLaunch    = "launch"
)

// armed says that MaybeChild was called, so that executing this program again can make a supervisor and not a second server.
var armed atomic.Bool

// MaybeChild takes over when this process was started for a run, and then never returns. main must call it before anything else, and so
// must TestMain of tests that run commands with their own program.
func MaybeChild() {
	mark := os.Getenv(childMark)
	what, limits, _ := strings.Cut(mark, " ")
	var err error
	switch what {
	case "":
		armed.Store(true)
		return
	case markSupervise:
		err = supervise()
	case markLaunch:
		err = launch(limits)
	default:
		err = fmt.Errorf("unknown %s: %q", childMark, mark)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
