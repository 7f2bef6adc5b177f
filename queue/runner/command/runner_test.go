package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

func TestConformance(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "sh")
	if err := os.Symlink("/bin/sh", program); err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, Options{Argv: []string{program}, MaxBytes: 1 << 20})
	texts := make(map[string]string)
	for _, c := range hostileOutput {
		texts[c.script] = c.want
	}
	runnertest.Test(t, runnertest.Backend{
		Runner:  r,
		Answer:  `echo hello`,
		Silent:  `sleep 3600 & sleep 3600`,
		Stream:  `while :; do echo more; sleep 0.01; done`,
		Failing: `echo no such model >&2; exit 3`,
		TooLong: `yes`,
		Texts:   texts,
		Break: func(t *testing.T) func() {
			away := program + ".away"
			if err := os.Rename(program, away); err != nil {
				t.Fatal(err)
			}
			return func() {
				if err := os.Rename(away, program); err != nil {
					t.Fatal(err)
				}
			}
		},
		Remains: func() int { return len(descendants()) },
	})
}

// The program itself is the supervisor when nothing else is said.
func TestOwnProgramAsSupervisor(t *testing.T) {
	r, err := New(Options{Argv: []string{"cat"}, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := ask(t, r, "hello"); err != nil || out != "hello" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestNewSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sh := []string{"/bin/sh"}
	for name, c := range map[string]struct {
		options Options
		is      error
		says    string
	}{
		"no argv":        {Options{}, ErrOptions, "no program is named"},
		"empty program":  {Options{Argv: []string{""}}, ErrOptions, "no program is named"},
		"zero byte":      {Options{Argv: []string{"sh", "a\x00b"}}, ErrOptions, "zero byte"},
		"unknown":        {Options{Argv: []string{"no-such-program"}}, ErrProgram, "no-such-program"},
		"not executable": {Options{Argv: []string{script}}, ErrProgram, "permission denied"},
		"a folder":       {Options{Argv: []string{dir}}, ErrProgram, "is a directory"},
		"no folder":      {Options{Argv: sh, Dir: dir + "/none"}, ErrFolder, "no such file"},
		"bytes":          {Options{Argv: sh, MaxBytes: -1}, ErrOptions, "MaxBytes is -1"},
		"memory":         {Options{Argv: sh, MaxMemory: 1}, ErrOptions, "it must be at least 16 MiB"},
		"file size":      {Options{Argv: sh, MaxFileSize: -1}, ErrOptions, "MaxFileSize is -1"},
		"processes":      {Options{Argv: sh, MaxProcesses: -1}, ErrOptions, "MaxProcesses is -1"},
		"a variable":     {Options{Argv: sh, Env: []string{"A=1"}}, ErrOptions, `"A=1"`},
		"home":           {Options{Argv: sh, Env: []string{"HOME"}}, ErrOptions, `"HOME"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(c.options)
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %v with %q", err, c.is, c.says)
			}
		})
	}
}

// A main that never calls MaybeChild would start itself again as a whole.
func TestNewNeedsMaybeChild(t *testing.T) {
	armed.Store(false)
	defer armed.Store(true)
	if _, err := New(Options{Argv: []string{"cat"}}); !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), "MaybeChild") {
		t.Error(err)
	}
}

// The query is data on the standard input, whatever it looks like.
func TestQueryIsOnlyInput(t *testing.T) {
	r := newRunner(t, Options{Argv: []string{"cat", "-"}})
	for _, query := range []string{"$(id) `id` ; id", "-n --help", "'\"\\", "two\nlines\n", strings.Repeat("long ", 200_000)} {
		if out, err := ask(t, r, query); err != nil || out != query {
			t.Errorf("%.40q: %.40q, %v", query, out, err)
		}
	}
}

// A program that doesn't read its input, or not to its end, is no failure.
func TestUnreadInput(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, argv := range [][]string{{"echo", "done"}, {"head", "-c", "5"}} {
		if out, err := ask(t, newRunner(t, Options{Argv: argv}), long); err != nil || out == "" {
			t.Errorf("%v: %q, %v", argv, out, err)
		}
	}
}

func TestEnvironmentIsClean(t *testing.T) {
	t.Setenv("CONFLUENCE_SECRET", "must not be seen")
	t.Setenv("MODEL_PATH", "/models")
	t.Setenv("LANG", "")
	r := newRunner(t, Options{Argv: []string{"env"}, Env: []string{"MODEL_PATH", "NOT_SET"}})
	out, err := ask(t, r, "")
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]string)
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		names[name] = value
	}
	want := map[string]string{"PATH": os.Getenv("PATH"), "LANG": "C.UTF-8", "MODEL_PATH": "/models"}
	for name, value := range want {
		if names[name] != value {
			t.Errorf("%s is %q, want %q", name, names[name], value)
		}
	}
	if home := names["HOME"]; filepath.Dir(home) != r.options.Dir || names["TMPDIR"] != home {
		t.Errorf("HOME is %q, TMPDIR %q", home, names["TMPDIR"])
	}
	if len(names) != len(want)+2 {
		t.Errorf("the environment is\n%s", out)
	}
}

// Each run has an empty folder of its own, which is gone afterwards with all that is in it.
func TestWorkingFolder(t *testing.T) {
	r := newRunner(t, Options{})
	var before string
	for range 2 {
		out, err := ask(t, r, `pwd; ls -A; stat -c %a .; mkdir -p a/b; echo x > a/b/c; chmod 0 a/b a; ln -s / root`)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Fields(out)
		if len(lines) != 2 || lines[1] != "700" || filepath.Dir(lines[0]) != r.options.Dir || lines[0] == before {
			t.Errorf("%q after %q", lines, before)
		}
		before = lines[0]
	}
}

// What no other process needs is closed, and the standard files are plain blocking ones, as from a shell.
func TestOpenFiles(t *testing.T) {
	out, err := ask(t, newRunner(t, Options{Argv: []string{"ls", "/proc/self/fd"}}), "")
	if err != nil || strings.Join(strings.Fields(out), " ") != "0 1 2 3" { // 3 is the folder that ls lists
		t.Errorf("%q, %v", out, err)
	}
	const nonBlocking = "4000"
	out, err = ask(t, newRunner(t, Options{}), `for f in 0 1 2; do grep flags /proc/self/fdinfo/$f; done`)
	if err != nil || strings.Contains(out, nonBlocking) {
		t.Errorf("%q, %v", out, err)
	}
}

// The signals are those of any program: a supervisor's own care for them isn't passed on.
// What these tests themselves were started with may be passed on: nohup, or a signal of the C library's own, which no program can set.
func TestSignalsAreDefault(t *testing.T) {
	const show = `grep -E '^Sig(Ign|Blk)' /proc/self/status`
	inherited, err := exec.Command("/bin/sh", "-c", show).Output()
	if err != nil {
		t.Fatal(err)
	}
	out, err := ask(t, newRunner(t, Options{}), show)
	if err != nil {
		t.Fatal(err)
	}
	masks := func(said string) (blocked, ignored uint64) {
		if _, err := fmt.Sscanf(said, "SigBlk:\t%x\nSigIgn:\t%x\n", &blocked, &ignored); err != nil {
			t.Fatalf("%q: %v", said, err)
		}
		return blocked, ignored
	}
	blocked, ignored := masks(out)
	ourBlocked, ourIgnored := masks(string(inherited))
	if blocked&^ourBlocked != 0 || ignored&^ourIgnored != 0 {
		t.Errorf("%q; these tests have %q", out, inherited)
	}
}

// Text is passed on while the command goes on.
func TestTextStreams(t *testing.T) {
	r := newRunner(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var sink runnertest.Recorder
	sink.OnOutput = func() {
		if sink.Output() == "first\n" {
			cancel()
		}
	}
	err := r.Run(ctx, runner.Query{Text: `echo first; sleep 3600; echo second`}, &sink)
	if !errors.Is(err, context.Canceled) || sink.Output() != "first\n" {
		t.Errorf("%q, %v", sink.Output(), err)
	}
}

// hostileOutput are scripts that write what an event stream or a page could stumble over.
var hostileOutput = []struct{ script, want string }{
	{`:`, ""},
	{`printf a`, "a"},
	{`printf 'a\rb\r\nc\r'`, "a\rb\r\nc\r"},
	{`printf '\n\n\na\n\n'`, "\n\n\na\n\n"},
	{`printf 'data: {}\n\nevent: end\ndata: {"outcome":"succeeded"}\n\n'`, "data: {}\n\nevent: end\ndata: {\"outcome\":\"succeeded\"}\n\n"},
	{`printf 'a\000b'`, "a\x00b"},
	{`printf 'a\377b\200'`, "a\uFFFDb\uFFFD"},
	{`printf 'a\342\202'`, "a\uFFFD"},
	{`printf '\360\237'; sleep 0.1; printf '\230\200'; sleep 0.1; printf '\303'; sleep 0.1; printf '\251'`, "😀é"},
	{`head -c 1000000 /dev/zero | tr '\000' x`, strings.Repeat("x", 1_000_000)},
	{`printf a; exec >&-; sleep 0.2`, "a"},
}

func TestHealth(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho fine\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, Options{Argv: []string{program}})
	var health runner.HealthChecker = r
	if err := health.Health(t.Context()); err != nil {
		t.Error(err)
	}
	for name, breakIt := range map[string]func() error{
		"removed":        func() error { return os.Rename(program, program+".away") },
		"not executable": func() error { return os.Chmod(program, 0o600) },
	} {
		if err := breakIt(); err != nil {
			t.Fatal(err)
		}
		if err := health.Health(t.Context()); !errors.Is(err, ErrProgram) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := ask(t, r, ""); !errors.Is(err, runner.ErrUnavailable) || !strings.Contains(err.Error(), program) {
			t.Errorf("%s: %v", name, err)
		}
		_ = os.Rename(program+".away", program)
		if err := os.Chmod(program, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := health.Health(t.Context()); err != nil {
			t.Errorf("back after %s: %v", name, err)
		}
		if out, err := ask(t, r, ""); err != nil || out != "fine\n" {
			t.Errorf("back after %s: %q, %v", name, out, err)
		}
	}
	if err := os.Remove(r.options.Dir); err != nil {
		t.Fatal(err)
	}
	if err := health.Health(t.Context()); !errors.Is(err, ErrFolder) {
		t.Error(err)
	}
	if err := r.Run(t.Context(), runner.Query{}, new(runnertest.Recorder)); !errors.Is(err, runner.ErrUnavailable) {
		t.Error(err)
	}
}

// A file that the kernel can't execute is the operator's mistake, not the query's.
func TestUnavailableWhenTheProgramCantBecome(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("no program at all"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, Options{Argv: []string{program}})
	if _, err := ask(t, r, ""); !errors.Is(err, runner.ErrUnavailable) || !strings.Contains(err.Error(), "exec format error") {
		t.Error(err)
	}
	r.options.Exe = "/none"
	if _, err := ask(t, r, ""); !errors.Is(err, runner.ErrUnavailable) {
		t.Error(err)
	}
}

// The panic of a sink leaves no working folder.
func TestPanicOfTheSink(t *testing.T) {
	r := newRunner(t, Options{})
	func() {
		defer func() { _ = recover() }()
		_ = r.Run(t.Context(), runner.Query{Text: `echo $$; sleep 3600`}, &runnertest.Recorder{OnOutput: func() { panic("in the sink") }})
	}()
	if left, _ := os.ReadDir(r.options.Dir); len(left) > 0 {
		t.Errorf("a working folder is left: %v", left)
	}
}

// within fails when f takes longer.
func within(t *testing.T, limit time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > limit {
		t.Errorf("it took %v, more than %v", took, limit)
	}
}
