package views

import "confluence/views/i18n"

// lead is what is to be noticed about a run; empty: all is well.
func (r OwnRun) lead(l *i18n.Language) string {
	switch {
	case r.Stopping:
		return l.Say("runs.stopping")
	case r.Outcome == "":
		return l.Say("runs.running")
	case r.Outcome == Cancelled:
		return l.Say("runs.cancelled")
	case r.Outcome == Failed && r.Total == 0:
		return l.Say("runs.failed")
	case r.Outcome != Succeeded:
		return l.Say("runs.incomplete")
	case r.Truncated && r.Kind == OutputTable:
		return l.Say("runs.cut.rows", "n", r.Total)
	case r.Truncated:
		return l.Say("runs.cut.words", "n", r.Total)
	}
	return ""
}

// words go on after the lead.
func (r OwnRun) words(l *i18n.Language) string {
	switch {
	case r.Outcome == "":
		return l.Say("runs.for", "time", r.Took)
	case r.Stopping:
		return l.Say("runs.after", "time", r.Took)
	case r.Outcome == Cancelled:
		return l.Say("runs.byYou", "time", r.Took)
	case r.Outcome == TimedOut:
		return l.Say("runs.timedOut", "time", r.Limit)
	case r.Outcome == Disconnected:
		return l.Say("runs.disconnected", "time", r.Took)
	case r.Outcome == Interrupted:
		return l.Say("runs.interrupted", "time", r.Took)
	case r.Outcome == Failed && r.Total == 0, r.Truncated:
		return l.Say("runs.after", "time", r.Took)
	case r.Outcome == Failed:
		return l.Say("runs.failedAfter", "time", r.Took)
	case r.Kind == OutputTable:
		return l.Say("runs.rows", "n", r.Total, "time", r.Took)
	case r.Kind == OutputText:
		return l.Say("runs.words", "n", r.Total, "time", r.Took)
	}
	return l.Say("runs.nothing", "time", r.Took)
}
