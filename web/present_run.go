package web

import (
	"encoding/json"
	"strings"
	"time"

	"confluence/queue"
	"confluence/views"
)

// What a page shows of an answer at most; the downloads have the rest.
const (
	pageRows  = 500
	pageCell  = 2 << 10   // bytes of one cell
	pageTable = 512 << 10 // bytes of all cells
	pageText  = 256 << 10 // bytes
)

// run is the page of a run that is going. rows are its first ones.
func (p presenter) run(st runState, rows [][]any, picture queue.Picture) views.Run {
	elapsed := int64(st.Elapsed / time.Second)
	run := views.Run{
		Page:           refreshed(p.page(p.lang.Say("run.title", "time", p.lang.Clock(elapsed)), views.IconRun), p.unwatched, p.line.Heartbeat),
		ID:             st.ID,
		Number:         st.Number,
		ElapsedSeconds: int(elapsed),
		Stopping:       st.Stopping,
		Output:         outputOf(st, rows),
		Unwatched:      p.lang.Duration(p.unwatched),
		Query:          st.Query,
	}
	if picture.UsualLow.Known && picture.UsualHigh.Known {
		run.Usual = p.lang.Usual(picture.UsualLow.N, picture.UsualHigh.N)
	}
	return run
}

// result is the page of a run that has ended. rows are its first ones.
func (p presenter) result(st runState, rows [][]any) views.Result {
	outcome := views.Outcome(st.Outcome)
	output := outputOf(st, rows)
	output.Markdown = p.about.Markdown && output.Kind == views.OutputText
	page := p.page(views.ResultTitle(p.lang, outcome, output), views.IconDone)
	if st.Stopping {
		page = refreshed(page)
	}
	return views.Result{
		Page:      page,
		ID:        st.ID,
		Outcome:   outcome,
		Output:    output,
		Stopping:  st.Stopping,
		Held:      st.Held,
		Took:      p.lang.Duration(st.Elapsed),
		Finished:  views.AtMinute(st.Ended),
		KeptUntil: views.AtMinute(st.Ended.Add(p.kept)),
		Truncated: p.lang.Tell(st.TruncatedWhy),
		Detail:    p.lang.Tell(st.Detail),
		Limit:     p.lang.Duration(p.runTimeout),
		Unwatched: p.lang.Duration(p.unwatched),
		Query:     st.Query,
	}
}

// outputOf is as much of an answer as a page may hold.
func outputOf(st runState, rows [][]any) views.Output {
	switch {
	case st.Columns != nil:
		return tableOf(st, rows)
	case st.Text != "":
		return views.Output{Kind: views.OutputText, Text: st.Text, Total: st.Words, Cut: int64(len(st.Text)) < st.TextBytes}
	}
	return views.Output{}
}

func tableOf(st runState, rows [][]any) views.Output {
	output := views.Output{Kind: views.OutputTable, Total: st.RowCount}
	size := 0
	for _, row := range rows {
		cells := make([]views.Cell, len(row))
		for i, value := range row {
			cells[i] = views.CellOf(value)
			if short := wholeRunes(cells[i].Text, pageCell); short < len(cells[i].Text) {
				cells[i].Text = cells[i].Text[:short] + "…"
				output.Cut = true
			}
			size += len(cells[i].Text)
		}
		if size > pageTable && len(output.Rows) > 0 {
			break
		}
		output.Rows = append(output.Rows, cells)
	}
	output.Cut = output.Cut || len(output.Rows) < st.RowCount
	for i, name := range st.Columns {
		output.Columns = append(output.Columns, views.Column{Name: name, Number: numeric(rows, i)})
	}
	return output
}

// numeric tells whether a column holds numbers alone, and at least one.
func numeric(rows [][]any, column int) bool {
	found := false
	for _, row := range rows {
		if column >= len(row) {
			continue
		}
		switch row[column].(type) {
		case nil:
		case json.Number:
			found = true
		default:
			return false
		}
	}
	return found
}

// titleBytes is how much of a query stands for it in a list.
const titleBytes = 80

// ownRuns is the list of a visitor's runs.
func (p presenter) ownRuns(states []runState) views.Runs {
	list := views.Runs{Page: p.page(p.lang.Say("runs"), views.IconPlain)}
	for _, st := range states {
		own := views.OwnRun{
			ID: st.ID, Title: titleOf(st.Query), Stopping: st.Stopping, Truncated: st.Truncated,
			Took: p.lang.Duration(st.Elapsed), Limit: p.lang.Duration(p.runTimeout),
		}
		if !st.Going {
			own.Outcome, own.Ended = views.Outcome(st.Outcome), views.AtMinute(st.Ended)
		} else {
			own.Took = p.lang.SoFar(int64(st.Elapsed / time.Second))
			list.Page = refreshed(list.Page, p.unwatched)
		}
		switch {
		case st.Columns != nil:
			own.Kind, own.Total = views.OutputTable, st.RowCount
		case st.TextBytes > 0:
			own.Kind, own.Total = views.OutputText, st.Words
		}
		list.Runs = append(list.Runs, own)
	}
	return list
}

// titleOf is the beginning of a query, in one line.
func titleOf(query string) string {
	n := wholeRunes(query, 4*titleBytes) // white space may be left out
	line := strings.Join(strings.Fields(query[:n]), " ")
	if short := wholeRunes(line, titleBytes); short < len(line) || n < len(query) {
		return strings.TrimSpace(line[:short]) + "…"
	}
	return line
}
