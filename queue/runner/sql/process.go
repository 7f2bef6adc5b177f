package sql

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// process is a child that answers one request. It ends when its answer is over, when its context ends, or by stop; wait must be called.
type process struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
	in     io.WriteCloser
	lines  *lineReader
	stderr head
}

const (
	stderrBytes = 16 << 10        // of a crash, for the log
	pipeDelay   = 2 * time.Second // for the pipes to close after the end of the process
)

// start starts a child and gives it the request. It kills the child when ctx ends.
func start(ctx context.Context, exe string, req request) (*process, error) {
	ctx, cancel := context.WithCancel(ctx)
	p := &process{cancel: cancel, stderr: head{room: stderrBytes}}
	p.cmd = exec.CommandContext(ctx, exe)
	p.cmd.Args = []string{"confluence: sql " + req.Do}
	p.cmd.Env = []string{childMark + "=1"}
	p.cmd.Dir = "/"
	p.cmd.Stderr = &p.stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.Cancel = p.kill
	p.cmd.WaitDelay = pipeDelay
	if err := p.open(req); err != nil {
		cancel()
		return nil, err
	}
	return p, nil
}

func (p *process) open(req request) error {
	line, err := json.Marshal(req)
	if err != nil {
		return err
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	// A line holds at most one row, or the names of the columns or the tables.
	p.lines = newLineReader(out, max(int(req.MaxBytes), 1<<20)+1<<20)
	if err := p.cmd.Start(); err != nil {
		return err
	}
	// A child that ended already will say why on its other pipes.
	_, _ = p.in.Write(append(line, '\n'))
	return nil
}

// kill ends the child's whole process group.
func (p *process) kill() error {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	return p.cmd.Process.Kill()
}

// stop kills the child if it is still there. It must not be called after wait.
func (p *process) stop() {
	_ = p.kill() // it may have ended already
	p.cancel()
}

// wait returns when the child is gone, and tells how it ended if not by itself. All its output must have been read, or stop called.
func (p *process) wait() (crash string) {
	// The end of its input ends a child that has nothing more to say.
	_ = p.in.Close()
	err := p.cmd.Wait()
	p.cancel()
	if err == nil {
		return ""
	}
	return strings.TrimSpace(err.Error() + "\n" + p.stderr.String())
}

// head keeps the beginning of what is written to it, where a crash says its reason.
type head struct {
	kept bytes.Buffer
	room int
}

func (h *head) Write(b []byte) (int, error) {
	n := min(len(b), h.room)
	h.room -= n
	h.kept.Write(b[:n])
	return len(b), nil
}

func (h *head) String() string { return h.kept.String() }

// next reads the next line of the child: its row, or its reply.
func (p *process) next(columns int) (row []any, r reply, err error) {
	line, err := p.lines.next()
	if err != nil {
		return nil, r, err
	}
	if len(line) > 0 && line[0] == '[' {
		row, err = decodeRow(line, columns)
		return row, r, err
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, r, fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	return nil, r, nil
}
