package command

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"syscall"
	"unicode"

	"confluence/queue/runner"
)

// stopped is the error of a run that its context ended.
func stopped(ctx context.Context) error {
	return fmt.Errorf("command: stopped: %w", context.Cause(ctx))
}

// outcome is the error that the end of a command stands for; nil for exit code 0.
func (r *Runner) outcome(p *process, e *end) error {
	stderr := p.stderr.String()
	switch {
	case e == nil:
		return &runner.FailedError{
			Detail: "The command was stopped by something else on its machine.",
			Log:    fmt.Sprintf("the supervisor ended without a report: %v\n%s", p.crash, stderr),
		}
	case e.Launch != "":
		return fmt.Errorf("%w: %w: %s", runner.ErrUnavailable, ErrProgram, e.Launch)
	case e.Over == "" && e.Signal == 0 && e.Exit == 0:
		return nil
	}
	how := r.ending(e)
	log := how
	if stderr != "" {
		log += " Standard error:\n" + strings.ToValidUTF8(stderr, "\uFFFD")
	}
	if words := lastWords(stderr); words != "" {
		how += " Its last words: " + words
	}
	return &runner.FailedError{Detail: how, Log: log}
}

// ending says in a sentence how a command failed.
func (r *Runner) ending(e *end) string {
	switch {
	case e.Over == overMemory:
		return fmt.Sprintf("The command took more than %s of memory and was stopped.", runner.Size(r.options.MaxMemory))
	case e.Over == overProcesses:
		return fmt.Sprintf("The command started more than %d processes and was stopped.", r.options.MaxProcesses)
	case e.Signal == 0:
		return fmt.Sprintf("The command ended with exit code %d.", e.Exit)
	}
	switch signal := syscall.Signal(e.Signal); signal {
	case syscall.SIGKILL:
		return "The command was killed by the system (signal 9), likely for want of memory."
	case syscall.SIGXFSZ:
		return fmt.Sprintf("The command wrote a file of more than %s and was stopped (signal %d).", runner.Size(r.options.MaxFileSize), e.Signal)
	default:
		return fmt.Sprintf("The command was ended by signal %d (%v).", e.Signal, signal)
	}
}

const (
	lastLines = 3
	lastRunes = 300
)

// escapes are the sequences by which programs colour their messages.
var escapes = regexp.MustCompile("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// lastWords are the last lines of a program's messages on one line, fit to be shown.
func lastWords(stderr string) string {
	text := escapes.ReplaceAllString(strings.ToValidUTF8(stderr, "\uFFFD"), "")
	lines := strings.Split(text, "\n")
	var last []string
	for i := len(lines) - 1; i >= 0 && len(last) < lastLines; i-- {
		line := strings.TrimRight(lines[i], "\r")
		line = line[strings.LastIndexByte(line, '\r')+1:] // what a terminal would still show
		line = strings.TrimSpace(strings.Map(printable, line))
		if line != "" {
			last = append([]string{line}, last...)
		}
	}
	words := []rune(strings.Join(last, " / "))
	if len(words) > lastRunes {
		return "…" + string(words[len(words)-lastRunes:])
	}
	return string(words)
}

// printable makes a space of what would disturb a line.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return ' '
}
