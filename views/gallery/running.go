package gallery

import (
	"strconv"
	"strings"
	"time"

	"confluence/views"
)

const runID = "r_7Hk2mQx4aaBB-_cc"

// running is a run that goes on.
func (p painter) running() []State {
	run := views.Run{
		Page:           views.Page{Title: p.Say("run.title", "time", p.Clock(42)), Icon: views.IconRun, RefreshSeconds: 5, KeptFor: p.Duration(time.Hour)},
		ID:             runID,
		Number:         42,
		ElapsedSeconds: 42,
		Usual:          p.Usual(60, 180),
		Unwatched:      p.Duration(30 * time.Second),
		Query:          p.text,
	}
	table, prose, stopping := run, run, run
	table.Output, prose.Output, stopping.Stopping = p.wideTable(), p.prose(), true
	return []State{
		{"run-silent", views.RunPage(run)},
		{"run-table", views.RunPage(table)},
		{"run-text", views.RunPage(prose)},
		{"run-stopping", views.RunPage(stopping)},
	}
}

func (p painter) table() views.Output {
	table := views.Output{
		Kind:    views.OutputTable,
		Columns: []views.Column{{Name: "branch"}, {Name: p.text}, {Name: "loans", Number: true}, {Name: "avg_days", Number: true}},
		Total:   12,
	}
	for i, name := range []string{"Harbour", "Old Town", "University", "Northgate", "Mill Lane", "Riverside", "St Anne’s", "Hill Road"} {
		cell := views.Cell{Text: p.text}
		if i%2 == 1 {
			cell = views.CellOf(nil)
		}
		table.Rows = append(table.Rows, []views.Cell{views.CellOf(name), cell, views.CellOf(int64(18204 - 1237*i)), views.CellOf(12.4 + float64(i))})
	}
	return table
}

// wideTable was cut.
func (p painter) wideTable() views.Output {
	wide := p.table()
	wide.Cut, wide.Total = true, 52_310
	for i := range 9 {
		wide.Columns = append(wide.Columns, views.Column{Name: "column_" + strconv.Itoa(i)})
	}
	return wide
}

func (p painter) prose() views.Output {
	return views.Output{
		Kind: views.OutputText, Text: strings.Repeat("The library should move the Harbour branch’s Saturday stock first. ", 9) + p.text, Total: 96,
	}
}

func (p painter) markdown() views.Output {
	return views.Output{Kind: views.OutputText, Markdown: true, Text: answer + p.text, Total: 64}
}

// answer is one of a model.
const answer = `# Which branch first?

**Harbour**, for two reasons:

1. its Saturday stock is lent out *by noon*;
2. the van passes it anyway.

| branch | loans | days out |
|---|--:|--:|
| Harbour | 18,204 | 12.4 |
| Old Town | 16,967 | 13.4 |

> Loans of 2026 so far; returns by post are not among them.

`
