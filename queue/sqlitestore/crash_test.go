package sqlitestore

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/vfs"
)

// How often a process is killed in TestCrash, in each of its two folders.
const crashes = 260

// crashChild in the environment makes this program a process that is to be killed: "folder name seed point n". It notes what it does on standard output.
const crashChild = "CONFLUENCE_CRASH_CHILD"

// points are where a process kills itself; at an empty one it is killed from outside. A transaction writes to the log, syncs it, and is answered.
var points = []string{"", "before write", "after write", "before sync", "after sync"}

// crashIfChild turns a child into a load that ends with its death.
func crashIfChild() {
	order, ok := os.LookupEnv(crashChild)
	if !ok {
		return
	}
	words := strings.Split(order, "|")
	seed, err := strconv.ParseUint(words[2], 10, 64)
	if err == nil {
		err = dieUnderLoad(words[0], words[1], seed, words[3])
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func dieUnderLoad(folder, name string, seed uint64, point string) error {
	random := rand.New(rand.NewPCG(seed, 1))
	d := &disk{VFSFilename: vfs.Find("os").(vfs.VFSFilename), name: "dies", forgets: true} // a kill leaves the system alive, which knows what was written
	left := random.IntN(20)
	die := func(at string) {
		if at == point {
			if left--; left < 0 {
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
	}
	d.before = func(op operation) fault { die("before " + string(op)); return fault{} }
	d.after = func(op operation) { die("after " + string(op)) }
	vfs.Register(d.name, d)
	s, err := Open(Options{Config: config(), Folder: folder, Logger: slog.New(slog.DiscardHandler), vfs: d.name})
	if err != nil {
		return err
	}
	var mu sync.Mutex
	crowd(context.Background(), s, seed, name, func(line string) {
		mu.Lock()
		defer mu.Unlock()
		os.Stdout.WriteString(line + "\n")
	})
	return fmt.Errorf("the load ended by itself: %v", s.trouble)
}

// TestCrash kills a process under load hundreds of times, at random moments and at each step of a transaction, and each time holds what it
// answered against what the file has: acknowledged ⊆ recovered ∪ ended, the order kept, at most one run a ticket.
func TestCrash(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for lineage := range 2 {
		t.Run(fmt.Sprint("folder ", lineage), func(t *testing.T) {
			t.Parallel()
			folder, l := t.TempDir(), newLedger()
			random := rand.New(rand.NewPCG(5, uint64(lineage)))
			for round := range crashes {
				if round%10 == 0 { // or reading it each time would be most of the work
					folder, l = t.TempDir(), newLedger()
				}
				crash(t, program, folder, fmt.Sprint("r", round), random, points[round%len(points)], l)
				c, err := Inspect(t.Context(), folder)
				if err != nil {
					if len(l.lines) == 0 { // it died before there was a file
						continue
					}
					t.Fatalf("round %d: %v", round, err)
				}
				l.check(t, c)
				if t.Failed() {
					t.Fatalf("in round %d, at %q", round, points[round%len(points)])
				}
			}
		})
	}
}

// crash starts a process, kills it or lets it kill itself, and notes what it said.
func crash(t *testing.T, program, folder, name string, random *rand.Rand, point string, l *ledger) {
	t.Helper()
	order := strings.Join([]string{folder, name, fmt.Sprint(random.Uint32()), point}, "|")
	child := exec.CommandContext(t.Context(), program)
	child.Env = append(os.Environ(), crashChild+"="+order)
	var said bytes.Buffer
	child.Stderr = &said
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	lines := bufio.NewReader(out)
	if point == "" {
		defer time.AfterFunc(time.Duration(20+random.IntN(30))*time.Millisecond, func() { child.Process.Kill() }).Stop()
	}
	noted := 0
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			if err != io.EOF {
				t.Error(err)
			}
			break // what follows the last end of line was cut off
		}
		must(t, l.note(line))
		noted++
	}
	err = child.Wait()
	if status, ok := child.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the process ended by itself after %d lines: %v %s", noted, err, said.String())
	}
}
