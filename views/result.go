package views

import (
	"github.com/a-h/templ"

	"confluence/views/i18n"
)

// heading is the first thing to know of a run that has ended.
func (r Result) heading(l *i18n.Language) string {
	switch r.Outcome {
	case Failed:
		return l.Say("result.failed")
	case TimedOut:
		return l.Say("result.timedOut")
	case Cancelled:
		return l.Say("result.cancelled")
	case Disconnected:
		return l.Say("result.disconnected")
	case Interrupted:
		return l.Say("result.interrupted")
	}
	if r.Output.Kind == OutputText {
		return l.Say("result.text")
	}
	return l.Say("result.table")
}

// noteClass marks what went wrong; a run that its owner cancelled before anything came didn't.
func (r Result) noteClass() string {
	if r.Outcome == Cancelled && r.Output.empty() {
		return "note"
	}
	return "note bad"
}

// noteHeading says whether there is a part of an answer.
func (r Result) noteHeading(l *i18n.Language) string {
	if r.Output.empty() {
		return l.Say("result.note.none")
	}
	return l.Say("result.note.partial")
}

// note says why an answer is incomplete or missing, and what follows.
func (r Result) note(l *i18n.Language) string {
	var why string
	switch r.Outcome {
	case Failed:
		if r.Output.empty() {
			return l.Say("result.why.failed")
		}
		return l.Say("result.why.failed.below")
	case TimedOut:
		why = l.Say("result.why.timedOut", "time", r.Limit)
	case Cancelled:
		why = l.Say("result.why.cancelled", "time", r.Took)
	case Disconnected:
		why = l.Say("result.why.disconnected", "time", r.Unwatched)
	default:
		why = l.Say("result.why.interrupted")
	}
	if r.Output.empty() {
		return l.Say("result.note.nothing", "why", why)
	}
	return l.Say("result.note.below", "why", why)
}

// amount counts the answer, and says if it isn't the whole.
func (r Result) amount(l *i18n.Language) string {
	total := l.Count(int64(r.Output.Total))
	switch {
	case r.Outcome != Succeeded:
		return l.Say("result.unfinished", "count", total)
	case r.Truncated != "":
		return l.Say("result.cut", "count", total)
	}
	return total
}

// attributes tell result.js of a run whose end is still to come.
func (r Result) attributes() templ.Attributes {
	if !r.Stopping {
		return nil
	}
	return templ.Attributes{"data-stopping": r.ID}
}

// stoppingWords say what it means that the runner hasn't stopped yet.
func (r Result) stoppingWords(l *i18n.Language) string {
	if r.Held {
		return l.Say("result.held")
	}
	return l.Say("result.stopping")
}

func (r Result) tookLabel(l *i18n.Language) string {
	if r.Outcome == Succeeded {
		return l.Say("result.took")
	}
	return l.Say("result.stoppedAfter")
}

func (r Result) outputHeading(l *i18n.Language) string {
	whole := r.Outcome == Succeeded
	switch {
	case r.Output.Kind == OutputText && whole:
		return l.Say("result.answer")
	case r.Output.Kind == OutputText:
		return l.Say("result.answer.incomplete")
	case whole:
		return l.Say("result.rows")
	}
	return l.Say("result.rows.incomplete")
}

// noRows says why a table has none.
func (r Result) noRows(l *i18n.Language) string {
	if r.Outcome != Succeeded {
		return l.Say("result.noRow.then")
	}
	return l.Say("result.noRow")
}

// download is the address of the whole output in a format.
func (r Result) download(format string) string {
	return "/api/v1/runs/" + r.ID + "/output?format=" + format
}

// fileName is what a download is saved as; it tells of an answer that is not whole.
func (r Result) fileName(extension string) string {
	if r.Outcome != Succeeded || r.Truncated != "" {
		return r.ID + "-incomplete." + extension
	}
	return r.ID + "." + extension
}

// ResultTitle is the title of a run that has ended.
func ResultTitle(l *i18n.Language, outcome Outcome, output Output) string {
	switch {
	case outcome == Succeeded && output.Kind == OutputTable:
		return l.Say("rows", "n", output.Total)
	case outcome == Succeeded:
		return l.Say("result.text")
	case output.empty():
		return Result{Outcome: outcome}.heading(l)
	}
	return l.Say("result.incomplete")
}
