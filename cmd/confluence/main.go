// Confluence is a waiting room in front of a query runner that can serve only one person at a time, or a few.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"confluence/queue/runner/command"
	"confluence/queue/runner/sql"
)

// version is set by the build.
var version string

// The exit codes.
const (
	exitDone    = 0
	exitFailed  = 1 // what was asked for could not be done, or broke
	exitMisused = 2 // what was asked for can't be: a wrong setting or argument
)

func main() {
	sql.MaybeChild() // this program again, as a process of one run
	command.MaybeChild()
	os.Exit(run(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// run does what the command line asks, and returns the exit code.
func run(args, environ []string, in io.Reader, out, errs io.Writer) int {
	asked, err := parse(args, environ, out, errs)
	if err != nil {
		fmt.Fprintf(errs, "confluence: %v\n", err)
		return exitMisused
	}
	switch asked.command {
	case "serve":
		return serve(asked, out, errs)
	case "ask":
		return ask(asked.Ask, in, out, errs)
	case "loadtest":
		return runLoadtest(asked.Loadtest, out, errs)
	case "replay":
		return replayFile(asked.Replay.File, in, out, errs)
	case "inspect":
		return inspect(context.Background(), asked.Inspect.DataDir, asked.Inspect.JSON, out, errs)
	case "backup":
		return backup(asked.Backup.DataDir, asked.Backup.File, out, errs)
	case "simulate":
		return simulate(asked.Simulate, in, out, errs)
	case "version":
		fmt.Fprintln(out, versionLine())
	}
	return exitDone
}

// serve serves until a signal asks it to stop, or something breaks.
func serve(asked invocation, out, errs io.Writer) int {
	log := asked.Serve.logger(errs)
	slog.SetDefault(log)
	for _, name := range asked.unknown {
		log.Warn("not a setting of Confluence; it is ignored", "name", name)
	}
	for _, doubt := range asked.Serve.doubts() {
		log.Warn(doubt)
	}
	ctx, release := untilSignal(context.Background(), log)
	defer release()

	confluence := newApp(asked.Serve, log, out)
	err := confluence.Start(ctx)
	if err == nil {
		err = confluence.Wait(ctx)
	}
	stopped := confluence.Stop(context.Background())
	switch {
	case ctx.Err() != nil && stopped == nil:
		return exitDone
	case err != nil:
		fmt.Fprintf(errs, "confluence: %v\n", err)
	case stopped != nil:
		fmt.Fprintf(errs, "confluence: stopping: %v\n", stopped)
	}
	return exitFailed
}

// untilSignal is a context that ends with the first SIGINT or SIGTERM. The second one ends the process at once.
func untilSignal(parent context.Context, log *slog.Logger) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case s := <-signals:
			log.Info("stopping; the same again stops at once", "signal", s.String())
			cancel()
		case <-done:
			return
		}
		select {
		case <-signals:
			log.Warn("stopped at once by a second signal")
			os.Exit(exitFailed)
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}

// versionLine is the version, and what it was built with.
func versionLine() string {
	return fmt.Sprintf("confluence %s (%s %s/%s)", versionName(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func versionName() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
