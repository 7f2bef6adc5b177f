package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a running Confluence: the real binary.
type process struct {
	url    string // with a slash at the end
	cmd    *exec.Cmd
	out    *transcript // what a person is told
	log    *transcript
	exited chan struct{}
}

// transcript is what a process has written so far.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *transcript) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *transcript) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// launch starts the binary with these arguments and waits for nothing. What is left of it is killed when the test ends.
func launch(t *testing.T, args ...string) *process {
	t.Helper()
	return launchBinary(t, binary(t), args...)
}

func launchBinary(t *testing.T, program string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(program, args...), out: &transcript{}, log: &transcript{}, exited: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.log
	p.cmd.Env = append(p.cmd.Env, envName("drain-seconds")+"=0") // who wants a drain says so by the flag
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, envPrefix) {
			p.cmd.Env = append(p.cmd.Env, pair)
		}
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.exited
		if t.Failed() {
			t.Logf("the server's log:\n%s", p.log)
		}
	})
	return p
}

// serving starts Confluence on a free port with a data folder of its own, and waits until it is healthy. When the test ends it must stop
// at SIGTERM with exit code 0.
func serving(t *testing.T, args ...string) *process {
	t.Helper()
	return servingIn(t, dataWithDemo(t), args...)
}

// servingWithRaces is serving with a binary that has the race detector, if this test has it: a race ends it with another exit code.
func servingWithRaces(t *testing.T, args ...string) *process {
	t.Helper()
	return servingBinary(t, binary(t, raceFlags...), dataWithDemo(t), args...)
}

func servingIn(t *testing.T, data string, args ...string) *process {
	t.Helper()
	return servingBinary(t, binary(t), data, args...)
}

func servingBinary(t *testing.T, program, data string, args ...string) *process {
	t.Helper()
	p := launchBinary(t, program, append([]string{"serve", "--addr=127.0.0.1:0", "--data-dir=" + data}, args...)...)
	p.untilHealthy(t)
	t.Cleanup(func() {
		if code := p.terminate(t); code != exitDone {
			t.Errorf("it stopped with exit code %d\n%s", code, p.log)
		}
	})
	return p
}

var askLine = regexp.MustCompile(`(?m)^  Ask +(http://\S+/)$`)

// untilHealthy finds the address in what a person is told, and waits until it answers.
func (p *process) untilHealthy(t *testing.T) {
	t.Helper()
	eventually(t, 60*time.Second, "the address to be printed", func() bool {
		select {
		case <-p.exited:
			t.Fatalf("it ended at its start\n%s%s", p.out, p.log)
		default:
		}
		if found := askLine.FindStringSubmatch(p.out.String()); found != nil {
			p.url = found[1]
		}
		return p.url != ""
	})
	eventually(t, soonEnough, "/healthz to answer", func() bool {
		answer, err := http.Get(p.url + "healthz")
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
}

// terminate sends SIGTERM, waits for the end, and is the exit code.
func (p *process) terminate(t *testing.T) int {
	t.Helper()
	p.signal(t, syscall.SIGTERM)
	return p.exitCode(t, 20*time.Second)
}

func (p *process) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
}

func (p *process) exitCode(t *testing.T, within time.Duration) int {
	t.Helper()
	select {
	case <-p.exited:
	case <-time.After(within):
		t.Fatalf("it has not ended within %v\n%s", within, p.log)
	}
	return p.cmd.ProcessState.ExitCode()
}

// eventually polls until a condition holds.
func eventually(t *testing.T, within time.Duration, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited %v in vain for %s", within, what)
		}
	}
}

// demo is a data folder that has the demo database in it, made once for all tests.
var demo struct {
	sync.Once
	file string
}

// dataWithDemo is a new data folder with a copy of the demo database, so that a start takes no time.
func dataWithDemo(t *testing.T) string {
	t.Helper()
	demo.Do(func() {
		made := filepath.Join(workshop(t), "demo")
		p := launch(t, "serve", "--addr=127.0.0.1:0", "--data-dir="+made)
		p.untilHealthy(t)
		if code := p.terminate(t); code != exitDone {
			t.Fatalf("the first start ended with exit code %d\n%s", code, p.log)
		}
		demo.file = filepath.Join(made, demoFile)
	})
	if demo.file == "" {
		t.Fatal("there is no demo database: see the test that made it")
	}
	folder := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(folder, folderMode); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(demo.file, filepath.Join(folder, demoFile)); err != nil {
		copyFile(t, demo.file, filepath.Join(folder, demoFile))
	}
	return folder
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
