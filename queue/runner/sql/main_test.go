package sql

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"
)

// childExe is testdata/child, built without the race detector so that its memory and speed are those in use.
var childExe string

// demoFile is the demo library, made once.
var demoFile string

func TestMain(m *testing.M) {
	MaybeChild()
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "sqlrunner")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	childExe, demoFile = filepath.Join(dir, "child"), filepath.Join(dir, "demo.db")
	for _, command := range [][]string{
		{"go", "build", "-race=false", "-o", childExe, "./testdata/child"},
		{childExe, "demo", demoFile},
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v: %v\n%s", command, err, out)
			return 1
		}
	}
	return m.Run()
}

// newRunner makes a runner whose children are childExe.
func newRunner(t *testing.T, options Options) *Runner {
	t.Helper()
	if options.Exe == "" {
		options.Exe = childExe
	}
	r, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// demoRunner is shared by the tests that only read.
var demoRunner = sync.OnceValues(func() (*Runner, error) { return New(Options{Database: demoFile, Exe: childExe}) })

func demo(t *testing.T) *Runner {
	t.Helper()
	r, err := demoRunner()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// database makes a file with what the statements say.
func database(t *testing.T, statements string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "test.db")
	conn, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := fts5.Register(conn); err != nil {
		t.Fatal(err)
	}
	if err := conn.Exec(statements); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// children are the ids of this process's children that still exist, dead ones that were not waited for included.
func children() (pids []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it ended meanwhile
		}
		// pid (name) state parent …
		_, rest, _ := bytes.Cut(stat, []byte(") "))
		if fields := strings.Fields(string(rest)); len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// onlyDead says whether each of the processes has ended, be it waited for or not.
func onlyDead(pids []int) bool {
	for _, pid := range pids {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if _, rest, found := bytes.Cut(stat, []byte(") ")); found && rest[0] != 'Z' && rest[0] != 'X' {
			return false
		}
	}
	return true
}
