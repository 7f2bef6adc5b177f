package command

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	lookEvery  = 100 * time.Millisecond // at what the kernel doesn't bound
	sweepEvery = 10 * time.Millisecond  // for what the last kill has missed
)

// supervisor starts one command and ends when all of it has ended.
type supervisor struct {
	req      request
	children chan os.Signal // SIGCHLD
	pid      int            // of the command, and of its process group
	ended    bool           // the command was waited for
	status   syscall.WaitStatus
}

// supervise is the whole of a supervisor's life.
func supervise() error {
	// The command dies with the thread that started it.
	runtime.LockOSThread()
	syscall.CloseOnExec(lifelineFile)
	syscall.CloseOnExec(reportFile)
	// The server alone says when a command is to be stopped. Ignoring the signals would pass on to the command.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	s := supervisor{children: make(chan os.Signal, 1)}
	signal.Notify(s.children, syscall.SIGCHLD)

	lifeline := bufio.NewReader(os.NewFile(lifelineFile, "lifeline"))
	line, err := lifeline.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	if err := json.Unmarshal(line, &s.req); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become a subreaper: %w", err)
	}
	lost := make(chan struct{})
	go func() { // ends with this process at the latest
		_, _ = io.Copy(io.Discard, lifeline)
		close(lost)
	}()
	reports := json.NewEncoder(os.NewFile(reportFile, "report"))
	launched, err := s.start()
	if err != nil {
		return reports.Encode(report{End: &end{Launch: err.Error()}})
	}
	// A server that is gone reads no report: everything must end all the same.
	_ = reports.Encode(report{Process: s.pid})
	e := s.watch(lost)
	s.sweep()
	e.Launch = <-launched
	e.Exit, e.Signal = s.status.ExitStatus(), 0
	if s.status.Signaled() {
		e.Signal = int(s.status.Signal())
	}
	if err := removeFolder(s.req.Dir); err != nil {
		fmt.Fprintln(os.Stderr, "remove the working folder:", err)
	}
	return reports.Encode(report{End: &e})
}

// start starts the process that becomes the command. The channel tells why it could not, or an empty string when it has.
func (s *supervisor) start() (launched <-chan string, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	mark := fmt.Sprintf("%s=%s %d %d", childMark, markLaunch, s.req.MaxMemory, s.req.MaxFileSize)
	s.pid, err = syscall.ForkExec("/proc/self/exe",
		append([]string{"confluence: command launch", s.req.Path}, s.req.Argv...),
		&syscall.ProcAttr{
			Dir:   s.req.Dir,
			Env:   append(s.req.Env, mark),
			Files: []uintptr{0, 1, 2, w.Fd()},
			Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
		})
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("start %s: %w", s.req.Path, err)
	}
	// The ends of the command's pipes are to be seen when the command closes them, and not later.
	os.Stdin.Close()
	os.Stdout.Close()
	why := make(chan string, 1)
	go func() { // ends when the process has become the command, or is gone
		defer r.Close()
		text, _ := io.ReadAll(r)
		why <- string(text)
	}()
	return why, nil
}

// watch returns when the command has ended, is to be stopped, or has reached a limit.
func (s *supervisor) watch(lost <-chan struct{}) (e end) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-lost:
			e.Stopped = true
			return e
		case <-s.children:
			if s.reap(); s.ended {
				return e
			}
		case <-look.C:
			if e.Over = s.over(); e.Over != "" {
				return e
			}
		}
	}
}

// over is the limit that the run has passed, if any.
func (s *supervisor) over() string {
	pids := descendants()
	switch {
	case len(pids) > s.req.MaxProcesses:
		return overProcesses
	case len(pids) > 1 && takeMoreThan(s.req.MaxMemory, pids): // one alone is bound by the kernel
		return overMemory
	}
	return ""
}

// sweep kills all that is left of the run and returns when it is gone.
func (s *supervisor) sweep() {
	// One step for the whole group: nothing in it can fork on meanwhile. If the command has just been waited for and nothing else is in its
	// group, its number is free, but it won't be given to another group before all others were.
	_ = syscall.Kill(-s.pid, syscall.SIGKILL)
	again := time.NewTicker(sweepEvery)
	defer again.Stop()
	for {
		for _, pid := range descendants() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if !s.reap() {
			return
		}
		select {
		case <-s.children:
		case <-again.C:
		}
	}
}

// reap waits for the children that have ended, and says whether there are others.
func (s *supervisor) reap() (more bool) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return false
		case pid == 0:
			return true
		case pid == s.pid:
			s.ended, s.status = true, status
		}
	}
}
