package gallery

import (
	"time"

	"confluence/views"
)

// ended are the results of runs, and the list of them.
func (p painter) ended() []State {
	result := func(outcome views.Outcome, output views.Output) views.Result {
		return views.Result{
			Page:      p.page(views.ResultTitle(p.Language, outcome, output), views.IconDone),
			ID:        runID,
			Outcome:   outcome,
			Output:    output,
			Took:      p.Duration(78 * time.Second),
			Finished:  views.AtMinute(noon),
			KeptUntil: views.AtMinute(noon.Add(time.Hour)),
			Limit:     p.Duration(5 * time.Minute),
			Unwatched: p.Duration(30 * time.Second),
			Query:     p.text,
		}
	}
	empty := views.Output{Kind: views.OutputTable, Columns: []views.Column{{Name: "branch"}}}
	failed := result(views.Failed, views.Output{})
	failed.Detail = p.text
	stopping := result(views.TimedOut, p.prose())
	stopping.Stopping, stopping.RefreshSeconds = true, 5
	held := stopping
	held.Held = true
	cut := result(views.Succeeded, p.wideTable())
	cut.Truncated = p.Say("answer.tooLong", "most", p.Size(16<<20))

	return []State{
		{"result-table", views.ResultPage(result(views.Succeeded, p.table()))},
		{"result-cut", views.ResultPage(cut)},
		{"result-empty", views.ResultPage(result(views.Succeeded, empty))},
		{"result-text", views.ResultPage(result(views.Succeeded, p.prose()))},
		{"result-answer", views.ResultPage(result(views.Succeeded, p.markdown()))},
		{"result-failed", views.ResultPage(failed)},
		{"result-timed-out", views.ResultPage(result(views.TimedOut, p.table()))},
		{"result-cancelled", views.ResultPage(result(views.Cancelled, views.Output{}))},
		{"result-disconnected", views.ResultPage(result(views.Disconnected, p.table()))},
		{"result-interrupted", views.ResultPage(result(views.Interrupted, p.prose()))},
		{"result-stopping", views.ResultPage(stopping)},
		{"result-held", views.ResultPage(held)},
		{"runs", views.RunsPage(views.Runs{Page: p.page(p.Say("runs"), ""), Runs: p.ownRuns()})},
		{"runs-none", views.RunsPage(views.Runs{Page: p.page(p.Say("runs"), "")})},
	}
}

// ownRuns are runs of every kind.
func (p painter) ownRuns() []views.OwnRun {
	run := views.OwnRun{
		ID: runID, Title: p.text, Outcome: views.Succeeded, Kind: views.OutputTable, Total: 12,
		Took: p.Duration(78 * time.Second), Limit: p.Duration(5 * time.Minute), Ended: views.AtMinute(noon),
	}
	going := views.OwnRun{ID: runID, Title: p.text, Took: p.Duration(42 * time.Second)}
	stopping, text, cut := going, run, run
	stopping.Stopping = true
	text.Kind, text.Total, cut.Truncated, cut.Total = views.OutputText, 168, true, 10_000
	runs := []views.OwnRun{going, stopping, run, text, cut}
	for _, outcome := range []views.Outcome{views.Failed, views.TimedOut, views.Cancelled, views.Disconnected, views.Interrupted} {
		run.Outcome = outcome
		runs = append(runs, run)
	}
	return runs
}
