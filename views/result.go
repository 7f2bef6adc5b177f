package views

import "github.com/a-h/templ"

// heading is the first thing to know of a run that has ended.
func (r Result) heading() string {
	switch r.Outcome {
	case Failed:
		return "Your query failed"
	case TimedOut:
		return "Stopped at the time limit"
	case Cancelled:
		return "Cancelled"
	case Disconnected:
		return "Stopped, as nobody was watching"
	case Interrupted:
		return "Interrupted on our side"
	}
	if r.Output.Kind == OutputText {
		return "Your answer"
	}
	return "Your result"
}

// noteClass marks what went wrong; a run that its owner cancelled before anything came didn't.
func (r Result) noteClass() string {
	if r.Outcome == Cancelled && r.Output.empty() {
		return "note"
	}
	return "note bad"
}

// noteHeading says whether there is a part of an answer.
func (r Result) noteHeading() string {
	if r.Output.empty() {
		return "There is no answer"
	}
	return "This answer is incomplete"
}

// note says why an answer is incomplete or missing, and what follows.
func (r Result) note() string {
	var why string
	switch r.Outcome {
	case Failed:
		if r.Output.empty() {
			return "That is what the runner said. You can change the text and ask again."
		}
		return "That is what the runner said. What had arrived before is below."
	case TimedOut:
		why = "A run may take " + r.Limit + " at most."
	case Cancelled:
		why = "You cancelled this run after " + r.Took + "."
	case Disconnected:
		why = "Nobody watched this run for " + r.Unwatched + ", so it was stopped and the next person was called."
	default:
		why = "Confluence stopped during this run. That was not your query’s fault; you can ask again."
	}
	if r.Output.empty() {
		return why + " Nothing had arrived by then."
	}
	return why + " What had arrived by then is below."
}

// amount counts the answer, and says if it isn't the whole.
func (r Result) amount() string {
	total := Count(int64(r.Output.Total))
	switch {
	case r.Outcome != Succeeded:
		return total + " of an unfinished answer"
	case r.Truncated != "":
		return total + ", cut"
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
func (r Result) stoppingWords() string {
	if r.Held {
		return "The runner doesn’t stop. Nobody else is served in its place until it does, and the operator’s log says so. You can ask again after that."
	}
	return "The runner is still stopping. The next person is called as soon as it has really ended, and you can ask again then."
}

func (r Result) tookLabel() string {
	if r.Outcome == Succeeded {
		return "Took"
	}
	return "Stopped after"
}

func (r Result) outputHeading() string {
	answer := r.Output.label()
	if r.Output.Kind == OutputText {
		answer = "Answer"
	}
	if r.Outcome != Succeeded {
		return answer + ", incomplete"
	}
	return answer
}

// noRows says why a table has none.
func (r Result) noRows() string {
	if r.Outcome != Succeeded {
		return "No row had come by then."
	}
	return "No row fits the query."
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
func ResultTitle(outcome Outcome, output Output) string {
	switch {
	case outcome == Succeeded && output.Kind == OutputTable:
		return Of(int64(output.Total), "row", "rows")
	case outcome == Succeeded:
		return "Your answer"
	case output.empty():
		return Result{Outcome: outcome}.heading()
	}
	return "Incomplete answer"
}
