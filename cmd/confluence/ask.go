package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// The exit codes of ask beyond those of every command.
const (
	askRejected    = 3   // the query has a mistake; no turn was used
	askRunFailed   = 4   // the runner could not finish, or was away when the turn came
	askTimedOut    = 5   // the run reached its limit
	askCancelled   = 6   // the run was stopped: by its owner, by the server's end, or since the connection broke
	askTurnedAway  = 7   // the line is full
	askPlaceLost   = 8   // the place or the turn is gone
	askInterrupted = 130 // by Ctrl-C, as shells count it
)

const askHelp = `Ask a running Confluence: join, wait, claim, and print the answer.

The place and the wait go to standard error, the answer to standard output: a text as it is; a table in columns on a terminal, else as CSV; with --json the result as JSON. Ctrl-C leaves the line or stops the run.

Exit codes: 0 answered · 1 the server can't be reached or broke · 2 the command line is wrong · 3 the query has a mistake · 4 the run failed · 5 it took too long · 6 it was stopped · 7 the line is full · 8 the place or the turn was lost · 130 Ctrl-C.`

// askCommand is the command line of ask.
type askCommand struct {
	Server string `type:"text" default:"http://127.0.0.1:8080" placeholder:"URL" help:"Where Confluence is."`
	JSON   bool   `name:"json" type:"switch" help:"Print the result as JSON."`
	Query  string `arg:"" optional:"" help:"What to ask; without it, or with -, standard input."`
}

// Help is what --help says beside the flags.
func (askCommand) Help() string { return askHelp }

const (
	askLongestQuery = 64 << 20 // bytes of standard input; the server has a limit of its own
	askLeaveWithin  = 3 * time.Second
)

// ask asks and is the exit code.
func ask(asked askCommand, in io.Reader, out, errs io.Writer) int {
	base, err := askAddress(asked.Server)
	if err != nil {
		fmt.Fprintf(errs, "confluence: --server is %q: %v\n", asked.Server, err)
		return exitMisused
	}
	text := asked.Query
	if text == "" || text == "-" {
		all, err := io.ReadAll(io.LimitReader(in, askLongestQuery))
		if err != nil {
			fmt.Fprintf(errs, "confluence: standard input: %v\n", err)
			return exitFailed
		}
		text = string(all)
	}
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer release()
	context.AfterFunc(ctx, release) // the second signal ends the process at once

	a := &asker{
		server: newAskServer(base), text: text, json: asked.JSON, out: out,
		progress: &askProgress{out: errs, terminal: isTerminal(errs)}, answer: newAskOutput(out, isTerminal(out)),
	}
	code, err := a.ask(ctx)
	a.progress.clear()
	switch {
	case ctx.Err() != nil:
		a.leave()
		fmt.Fprintln(errs, "confluence: stopped; you are not in the line any more")
		return askInterrupted
	case err != nil:
		fmt.Fprintf(errs, "confluence: %v\n", err)
	}
	return code
}

// asker is one question on its way.
type asker struct {
	server   *askServer
	text     string
	json     bool
	out      io.Writer
	progress *askProgress
	answer   *askOutput

	joined bool   // a ticket may be there
	key    string // names this question, so that a claim that is sent twice runs once
	run    string // once it is known
	last   string // id of the last event of its output
	end    *askEnd
}

// ask is the whole way. Its error is for people; the exit code says the same to programs.
func (a *asker) ask(ctx context.Context) (int, error) {
	if err := a.server.open(ctx); err != nil {
		return askCodeOf(err), err
	}
	for {
		again, err := a.once(ctx)
		switch {
		case again:
			a.progress.say("Joining again: " + err.Error() + ".")
		case err != nil:
			return askCodeOf(err), err
		default:
			return a.finish(ctx)
		}
	}
}

var (
	errAskForgotten    = errors.New("the server doesn't know the ticket any more")
	errAskDisconnected = errors.New("the connection broke, and so the run was stopped")
	errAskBusy         = errors.New("somebody else was called first")
)

// once joins, waits, claims and reads. If again is true the way begins anew, for the reason that the error tells.
func (a *asker) once(ctx context.Context) (again bool, err error) {
	a.key, a.run, a.last, a.end = rand.Text(), "", "", nil
	var at askView
	err = a.patiently(ctx, func() error { return a.server.call(ctx, http.MethodPost, "queue/join", a.body(), &at) })
	if err != nil {
		return false, err
	}
	a.joined = true
	for a.run == "" {
		if at.Status == "queued" {
			err = a.patiently(ctx, func() error { return a.await(ctx, &at) })
			if refused := askRefusalOf(err); refused != nil && refused.Reason == "none" {
				return true, errAskForgotten // it was restarted
			}
			if lost := askRefusalOf(err).lost(); lost != nil {
				return false, lost
			}
			if err != nil {
				return false, err
			}
		}
		a.progress.show(at)
		err = a.patiently(ctx, func() error { return a.claim(ctx) })
		refused := askRefusalOf(err)
		switch {
		case err == nil:
		case refused != nil && refused.Code == "busy" && refused.Standing != nil:
			at = *refused.Standing // the claim came too early
		case refused != nil && refused.Code == "busy":
			return true, errAskBusy
		case refused.lost() != nil:
			return false, refused.lost()
		default:
			return false, err
		}
	}
	if a.end == nil {
		if err := a.patiently(ctx, func() error { return a.read(ctx) }); err != nil {
			return false, err
		}
	}
	if a.end.Outcome == "disconnected" && !a.answer.begun {
		return true, errAskDisconnected
	}
	return false, nil
}

func (a *asker) body() any { return map[string]string{"query": a.text} }

// await follows the standing until it is no longer queued. The stream is the heartbeat.
func (a *asker) await(ctx context.Context, at *askView) error {
	a.progress.show(*at)
	return a.server.follow(ctx, http.MethodGet, "queue/status", nil, nil, func(ev askEvent) (bool, error) {
		if ev.name != "standing" {
			return false, &askLost{kind: ev.name}
		}
		if err := ev.into(at); err != nil {
			return false, err
		}
		a.progress.show(*at)
		return at.Status == "queued", nil
	})
}

// claim starts the run and reads its answer, as far as the connection goes. It may be called again: the key keeps the query from running twice.
func (a *asker) claim(ctx context.Context) error {
	err := a.server.follow(ctx, http.MethodPost, "query", a.body(), http.Header{"Idempotency-Key": {a.key}}, a.take)
	refused := askRefusalOf(err)
	switch {
	case refused != nil && refused.Code == "run_in_progress" && refused.RunID != "":
		a.run = refused.RunID
		return nil
	case a.run != "" && errors.Is(err, errAskCut) && ctx.Err() == nil:
		a.progress.say("The connection broke.") // what there is of the answer can still be read
		return nil
	}
	return err
}

// read follows the run's output behind what has come already.
func (a *asker) read(ctx context.Context) error {
	header := http.Header{}
	if a.last != "" {
		header.Set("Last-Event-ID", a.last)
	}
	return a.server.follow(ctx, http.MethodGet, "runs/"+a.run+"/output", nil, header, a.take)
}

// take is an event of a run.
func (a *asker) take(ev askEvent) (more bool, err error) {
	switch ev.name {
	case "accepted":
		var accepted struct {
			RunID string `json:"run_id"`
		}
		if err := ev.into(&accepted); err != nil {
			return false, err
		}
		a.run = accepted.RunID
		a.progress.running()
	case "output":
		if ev.id != "" {
			a.last = ev.id
		}
		if !a.json {
			a.progress.clear()
			return true, a.answer.event(ev)
		}
	case "end":
		a.end = &askEnd{}
		return false, ev.into(a.end)
	}
	return true, nil
}

// finish prints what is left, and is the exit code of the outcome.
func (a *asker) finish(ctx context.Context) (int, error) {
	a.joined = false
	a.progress.clear()
	if a.json {
		err := a.patiently(ctx, func() error { return a.server.copy(ctx, "runs/"+a.run+"/output", a.out) })
		if err != nil {
			return exitFailed, err
		}
	} else if err := a.answer.finish(); err != nil {
		return exitFailed, err
	}
	if a.end.Truncated {
		a.progress.say("The answer was cut. " + a.end.TruncatedWhy)
	}
	switch a.end.Outcome {
	case "succeeded":
		return exitDone, nil
	case "timed_out":
		return askTimedOut, errors.New(a.end.Detail)
	case "cancelled", "disconnected", "interrupted":
		return askCancelled, errors.New(a.end.Detail)
	default:
		if a.end.Code == "query_rejected" {
			return askRejected, errors.New(a.end.Detail)
		}
		return askRunFailed, errors.New(a.end.Detail)
	}
}

// leave gives the ticket back, and has a run stopped.
func (a *asker) leave() {
	if !a.joined {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), askLeaveWithin)
	defer cancel()
	_ = a.server.call(ctx, http.MethodDelete, "queue/ticket", nil, nil) // who can't be told will notice the silence
}

// askCodeOf is the exit code of what ended the way early.
func askCodeOf(err error) int {
	if _, lost := errors.AsType[*askLost](err); lost {
		return askPlaceLost
	}
	refused := askRefusalOf(err)
	if refused == nil {
		return exitFailed
	}
	switch refused.Code {
	case "invalid_query", "query_rejected", "too_large":
		return askRejected
	case "run_failed", "runner_unavailable":
		return askRunFailed
	case "run_timed_out":
		return askTimedOut
	case "run_cancelled", "run_interrupted", "not_found": // the latter: the server was restarted, and the run is gone
		return askCancelled
	case "queue_full":
		return askTurnedAway
	}
	return exitFailed
}
