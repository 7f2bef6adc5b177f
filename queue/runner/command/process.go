package command

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"confluence/queue/runner"
)

const (
	stderrBytes = 64 << 10        // of the end of the standard error, for the log
	pipeDelay   = 2 * time.Second // for the pipes to close after the end of the supervisor
)

// process is a run's supervisor, and through it the command. It ends when the command does, or by stop; wait must be called.
type process struct {
	cmd      *exec.Cmd
	lifeline *os.File // its end stops the command
	out      *os.File // what the command writes
	reports  *os.File
	stderr   tail

	stopping sync.Once
	ended    chan struct{} // closed when the supervisor is gone; then these are final
	last     *end          // how the command ended; nil if nobody knows
	crash    error         // how the supervisor ended, if not well
}

// start starts a supervisor with the request and gives the query to the command's standard input.
func start(exe string, req request, query string) (*process, error) {
	line, err := json.Marshal(req)
	if err != nil {
		return nil, err
	}
	p := &process{stderr: tail{max: stderrBytes}, ended: make(chan struct{})}
	var theirs []*os.File // the other ends of the pipes
	pipe := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
		}
		return r, w
	}
	lifeline, ours := pipe()
	out, stdout := pipe()
	reports, report := pipe()
	theirs = []*os.File{lifeline, stdout, report}
	p.lifeline, p.out, p.reports = ours, out, reports

	p.cmd = exec.Command(exe)
	p.cmd.Args = []string{"confluence: command supervisor"}
	p.cmd.Env = []string{childMark + "=" + markSupervise}
	p.cmd.Dir = "/"
	p.cmd.Stdin = strings.NewReader(query)
	p.cmd.Stdout = stdout
	p.cmd.Stderr = &p.stderr
	p.cmd.ExtraFiles = []*os.File{lifeline, report}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = pipeDelay
	if err == nil {
		err = p.cmd.Start()
	}
	for _, f := range theirs {
		f.Close() // harmless for one that was not opened
	}
	if err != nil {
		p.closeFiles()
		return nil, err
	}
	go p.await()
	// A supervisor that ended already will say why on its other pipes.
	_, _ = p.lifeline.Write(append(line, '\n'))
	return p, nil
}

// await owns the wait for the supervisor.
func (p *process) await() {
	p.readReports()
	p.crash = p.cmd.Wait()
	_ = p.out.SetReadDeadline(time.Now().Add(pipeDelay)) // for a Read that waits; see there
	close(p.ended)
}

// readReports reads what the supervisor tells until it is gone.
func (p *process) readReports() {
	var command int
	for reports := json.NewDecoder(p.reports); ; {
		var r report
		if err := reports.Decode(&r); err != nil {
			break
		}
		command, p.last = max(command, r.Process), r.End
	}
	if p.last == nil && command > 0 {
		// The supervisor was killed. The command is killed with it; this is for its group.
		_ = syscall.Kill(-command, syscall.SIGKILL)
	}
}

// Read reads what the command writes, up to its end. When the supervisor is gone all writers should be; one that isn't, since the supervisor
// was killed, or another service got hold of the pipe, can't hold the reader for longer than pipeDelay.
func (p *process) Read(b []byte) (int, error) {
	select {
	case <-p.ended:
		_ = p.out.SetReadDeadline(time.Now().Add(pipeDelay))
	default:
	}
	return p.out.Read(b)
}

// stop has the supervisor kill all of the command. It can be called again.
func (p *process) stop() {
	p.stopping.Do(func() {
		p.lifeline.Close()
		_ = p.cmd.Process.Signal(syscall.SIGCONT) // the command may have stopped it
	})
}

// wait returns when the supervisor is gone, and tells how the command ended; nil if nobody knows. All its output must have been read, or stop
// called. It can be called again.
func (p *process) wait() *end {
	<-p.ended
	p.stop()
	p.closeFiles()
	return p.last
}

func (p *process) closeFiles() {
	for _, f := range []*os.File{p.lifeline, p.out, p.reports} {
		f.Close()
	}
}

// pass passes on what the command writes until its end. It errs when the sink does, or when the answer is full.
func (p *process) pass(out runner.Sink, limit int64, stopped <-chan struct{}) error {
	text := runner.NewTextWriter(out, limit)
	buffer := make([]byte, 32<<10)
	for {
		n, err := p.Read(buffer)
		select {
		case <-stopped:
			return nil
		default:
		}
		if _, err := text.Write(buffer[:n]); err != nil {
			return err
		}
		if err != nil {
			return text.Close()
		}
	}
}
