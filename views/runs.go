package views

// lead is what is to be noticed about a run; empty: all is well.
func (r OwnRun) lead() string {
	switch {
	case r.Stopping:
		return "Stopping"
	case r.Outcome == "":
		return "Running"
	case r.Outcome == Cancelled:
		return "Cancelled"
	case r.Outcome == Failed && r.Total == 0:
		return "Failed"
	case r.Outcome != Succeeded:
		return "Incomplete:"
	case r.Truncated && r.Kind == OutputTable:
		return "Cut at " + Of(int64(r.Total), "row", "rows")
	case r.Truncated:
		return "Cut at " + Of(int64(r.Total), "word", "words")
	}
	return ""
}

// words go on after the lead.
func (r OwnRun) words() string {
	switch {
	case r.Outcome == "":
		return "for " + r.Took
	case r.Stopping:
		return "after " + r.Took
	case r.Outcome == Cancelled:
		return "by you after " + r.Took
	case r.Outcome == TimedOut:
		return "stopped at the limit of " + r.Limit
	case r.Outcome == Disconnected:
		return "stopped after " + r.Took + ", as nobody was watching"
	case r.Outcome == Interrupted:
		return "interrupted on our side after " + r.Took
	case r.Outcome == Failed && r.Total == 0, r.Truncated:
		return "after " + r.Took
	case r.Outcome == Failed:
		return "failed after " + r.Took
	case r.Kind == OutputTable:
		return Of(int64(r.Total), "row", "rows") + " in " + r.Took
	case r.Kind == OutputText:
		return Of(int64(r.Total), "word", "words") + " in " + r.Took
	}
	return "No answer in " + r.Took
}
