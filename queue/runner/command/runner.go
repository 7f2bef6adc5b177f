package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"

	"confluence/queue/runner"
)

// Runner asks a program. It has nothing to close.
type Runner struct {
	options Options
	program string // its whole path
}

// New makes a runner. Errors: ErrOptions, ErrProgram, ErrFolder (wrapped).
func New(options Options) (*Runner, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "linux" {
		return nil, fmt.Errorf("%w: commands need Linux, this is %s", ErrOptions, runtime.GOOS)
	}
	program, err := find(options.Argv[0])
	if err != nil {
		return nil, err
	}
	r := &Runner{options: options, program: program}
	return r, r.Health(context.Background())
}

// Describe names the program.
func (r *Runner) Describe() runner.Description {
	return runner.Description{
		Title:    "Ask " + filepath.Base(r.options.Argv[0]),
		Limits:   "Any text.",
		Language: "text",
	}
}

// Check finds no mistakes: only the program knows what it takes.
func (r *Runner) Check(context.Context, runner.Query) error { return nil }

// Health says whether the program can be executed and a working folder can be made. Errors: ErrProgram, ErrFolder (wrapped).
func (r *Runner) Health(context.Context) error {
	if _, err := find(r.program); err != nil {
		return err
	}
	if err := unix.Access(r.options.Dir, unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrFolder, r.options.Dir, err)
	}
	return nil
}

// Run starts the program, gives it the query and passes on what it writes. Errors: runner.ErrUnavailable (wrapped) if it can't be started;
// *runner.FailedError if it fails, with its exit code in Detail and the end of its standard error in Log; the cause of ctx (wrapped); the
// Sink's. An answer that is cut at MaxBytes is no error.
func (r *Runner) Run(ctx context.Context, q runner.Query, out runner.Sink) error {
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	folder, err := newFolder(r.options.Dir)
	if err != nil {
		return fmt.Errorf("%w: %w", runner.ErrUnavailable, err)
	}
	defer func() { _ = removeFolder(folder) }() // the supervisor did it, unless it was killed
	p, err := start(r.options.Exe, r.request(folder), q.Text)
	if err != nil {
		return fmt.Errorf("%w: %w", runner.ErrUnavailable, err)
	}
	defer func() { // also when the sink panics
		p.stop()
		p.wait()
	}()
	defer context.AfterFunc(ctx, p.stop)()
	err = p.pass(out, r.options.MaxBytes, ctx.Done())
	if err != nil {
		p.stop()
	}
	last := p.wait()
	switch {
	case errors.Is(err, runner.ErrTextFull):
		return nil
	case err != nil:
		return err
	case ctx.Err() != nil:
		return stopped(ctx)
	}
	return r.outcome(p, last)
}

func (r *Runner) request(folder string) request {
	return request{
		Path: r.program, Argv: r.options.Argv, Dir: folder,
		Env:       append(r.options.environment(), "HOME="+folder, "TMPDIR="+folder),
		MaxMemory: r.options.MaxMemory, MaxFileSize: r.options.MaxFileSize, MaxProcesses: r.options.MaxProcesses,
	}
}
