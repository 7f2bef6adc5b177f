package command

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

const soon = 1500 * time.Millisecond // far below what the scripts would take; the goal of 300 ms is for a machine at rest

// Scripts that leave processes behind, and say their numbers before.
var leftovers = map[string]string{
	"holding the pipe":     `sleep 3600 & echo $!`,
	"in a session":         `setsid sleep 3600 & echo $!`,
	"orphaned in sessions": `setsid sh -c 'setsid sleep 3600 & echo $!'`,
	"deaf to signals":      `(trap '' TERM INT HUP; while :; do sleep 1; done) & echo $!`,
	"stopped":              `sleep 3600 & kill -STOP $!; echo $!`,
	"with pipes closed":    `setsid sleep 3600 <&- >&- 2>&- & echo $!`,
}

// After a normal exit what is left is killed too, wherever it went.
func TestLeftoversAreKilled(t *testing.T) {
	r := newRunner(t, Options{})
	for name, script := range leftovers {
		t.Run(name, func(t *testing.T) {
			within(t, soon, func() {
				out, err := ask(t, r, script)
				if err != nil || strings.TrimSpace(out) == "" {
					t.Fatalf("%q, %v", out, err)
				}
				for _, pid := range strings.Fields(out) {
					gone(t, pid)
				}
			})
		})
	}
}

func TestCancelKillsAll(t *testing.T) {
	r := newRunner(t, Options{})
	for name, script := range leftovers {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var at time.Time
			sink := runnertest.Recorder{OnOutput: func() { at = time.Now(); cancel() }}
			if err := r.Run(ctx, runner.Query{Text: script + `; trap '' TERM INT HUP; sleep 3600`}, &sink); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			if took := time.Since(at); took > soon {
				t.Errorf("it took %v", took)
			}
			for _, pid := range strings.Fields(sink.Output()) {
				if _, err := os.Stat("/proc/" + pid); err == nil {
					t.Errorf("Run returned, and %s is still there", pid)
				}
			}
			if left, _ := os.ReadDir(r.options.Dir); len(left) > 0 {
				t.Errorf("a working folder is left: %v", left)
			}
		})
	}
}

// A run that starts more and more is stopped; one that stays below is not.
func TestTooManyProcesses(t *testing.T) {
	r := newRunner(t, Options{MaxProcesses: 20})
	within(t, 10*time.Second, func() {
		f := failed(t, r, `i=0; while [ $i -lt 60 ]; do sleep 3600 & i=$((i+1)); done; echo all; wait`)
		if f.Detail != "The command started more than 20 processes and was stopped." {
			t.Error(f.Detail)
		}
	})
	if n := len(descendants()); n > 0 {
		t.Errorf("%d processes are left", n)
	}
	if out, err := ask(t, r, `for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.3 & done; wait; echo fine`); err != nil || out != "fine\n" {
		t.Errorf("below the limit: %q, %v", out, err)
	}
}

func TestMemoryOfOneProcess(t *testing.T) {
	r := newRunner(t, Options{MaxMemory: 64 << 20})
	f := failed(t, r, `head -c 200000000 /dev/zero | tail -n 1 | wc -c; [ 0 = 1 ]`)
	if !strings.Contains(f.Detail, "memory") {
		t.Error(f.Detail)
	}
	if out, err := ask(t, r, `head -c 20000000 /dev/zero | tail -n 1 | wc -c`); err != nil || out != "20000000\n" {
		t.Errorf("below the limit: %q, %v", out, err)
	}
}

// Each process stays below the limit, all together don't.
func TestMemoryOfAllProcesses(t *testing.T) {
	r := newRunner(t, Options{MaxMemory: 64 << 20})
	within(t, 20*time.Second, func() {
		f := failed(t, r, `for i in 1 2 3; do (head -c 40000000 /dev/zero; sleep 3600) | tail -n 1 > /dev/null & done; wait`)
		if f.Detail != "The command took more than 64 MiB of memory and was stopped." {
			t.Error(f.Detail)
		}
	})
}

// The pages that processes share after a fork count once.
func TestSharedMemoryCountsOnce(t *testing.T) {
	pids := []int{os.Getpid(), os.Getpid(), os.Getpid()}
	own := sum(pids[:1], "status", "RssAnon:", "VmSwap:")
	if own <= 0 || sum(pids[:1], "smaps_rollup", "Pss_Anon:", "SwapPss:") <= 0 {
		t.Fatalf("nothing to count: %d", own)
	}
	if takeMoreThan(1<<40, pids) || !takeMoreThan(1, pids) {
		t.Error("the comparison is wrong")
	}
}

// A command whose supervisor is killed goes with it, and the run fails.
func TestKilledSupervisor(t *testing.T) {
	r := newRunner(t, Options{})
	sink := new(runnertest.Recorder)
	within(t, pipeDelay+soon, func() {
		err := r.Run(t.Context(), runner.Query{Text: `sleep 3600 & echo $$ $!; kill -9 $PPID; sleep 3600`}, sink)
		var failed *runner.FailedError
		if !errors.As(err, &failed) || failed.Detail != "The command was stopped by something else on its machine." || failed.Log == "" {
			t.Error(err)
		}
	})
	for _, pid := range strings.Fields(sink.Output()) {
		gone(t, pid)
	}
	if left, _ := os.ReadDir(r.options.Dir); len(left) > 0 {
		t.Errorf("a working folder is left: %v", left)
	}
}

// A command that stops its supervisor gains nothing.
func TestStoppedSupervisor(t *testing.T) {
	r := newRunner(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sink := runnertest.Recorder{OnOutput: cancel}
	within(t, 5*time.Second, func() {
		if err := r.Run(ctx, runner.Query{Text: `kill -STOP $PPID; echo stopped; sleep 3600`}, &sink); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// When the server is gone, however it went, its runs are too: what they started and their folders.
func TestEndOfTheServer(t *testing.T) {
	server := exec.Command(os.Args[0], "-test.run=^TestServerThatIsKilled$")
	dir := t.TempDir()
	server.Env = append(os.Environ(), serverDir+"="+dir, "COMMAND_TEST_CHILD="+childExe)
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 100)
	n, err := out.Read(buffer)
	pids := strings.Fields(string(buffer[:n]))
	if err != nil || len(pids) != 2 {
		t.Errorf("%q, %v", pids, err)
	}
	_ = server.Process.Signal(syscall.SIGKILL)
	_ = server.Wait()
	for _, pid := range pids {
		gone(t, pid)
	}
	deadline := time.Now().Add(5 * time.Second)
	for left := []os.DirEntry{nil}; len(left) > 0; left, _ = os.ReadDir(dir) {
		if time.Now().After(deadline) {
			t.Fatalf("a working folder is left: %v", left)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// serverDir makes TestServerThatIsKilled a server with a run that never ends.
const serverDir = "COMMAND_TEST_SERVER_DIR"

func TestServerThatIsKilled(t *testing.T) {
	dir := os.Getenv(serverDir)
	if dir == "" {
		return // it is for TestEndOfTheServer alone
	}
	r, err := New(Options{Argv: []string{"/bin/sh"}, Dir: dir, Exe: os.Getenv("COMMAND_TEST_CHILD")})
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Run(t.Context(), runner.Query{Text: `setsid sleep 3600 & echo $$ $!; sleep 3600`}, printer{})
}

// printer is a sink that prints.
type printer struct{ runner.Sink }

func (printer) Text(text string) error {
	_, err := os.Stdout.WriteString(text)
	return err
}

// A signal to the whole service must not end a supervisor before its server says so.
func TestSupervisorOutlivesSignals(t *testing.T) {
	r := newRunner(t, Options{})
	out, err := ask(t, r, `for s in TERM INT HUP QUIT; do kill -$s $PPID; done; sleep 0.2; echo $PPID`)
	if pid, _ := strconv.Atoi(strings.TrimSpace(out)); err != nil || pid < 2 {
		t.Errorf("%q, %v", out, err)
	}
}
