package views_test

import (
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"confluence/views"
	"confluence/views/i18n"
)

// state is one page in one state, with something in every place that a model has.
type state struct {
	name string
	page templ.Component
}

const loans = `SELECT branch, count(*) AS loans,
       round(avg(days_out), 1) AS avg_days
FROM loans JOIN branches USING (branch_id)
WHERE borrowed >= '2026-01-01'
GROUP BY branch
ORDER BY loans DESC`

var noon = time.Date(2026, 11, 30, 14, 32, 7, 0, time.UTC)

// ownRuns are runs of every kind.
func ownRuns(title string) []views.OwnRun {
	run := views.OwnRun{
		ID: "r_7Hk2mQx4aaBB-_cc", Title: title, Outcome: views.Succeeded, Kind: views.OutputTable, Total: 12,
		Took: "1 minute 18 seconds", Limit: "5 minutes", Ended: views.AtMinute(noon),
	}
	runs := []views.OwnRun{{ID: run.ID, Title: title, Took: "42 seconds"}, {ID: run.ID, Title: title, Took: "42 seconds", Stopping: true}, run}
	text, cut := run, run
	text.Kind, text.Total, cut.Truncated, cut.Total = views.OutputText, 168, true, 10_000
	runs = append(runs, text, cut)
	for _, outcome := range []views.Outcome{views.Failed, views.TimedOut, views.Cancelled, views.Disconnected, views.Interrupted} {
		run.Outcome = outcome
		runs = append(runs, run)
	}
	return runs
}

// states are all pages, each with the text in every place where a visitor's or a runner's words are shown.
func states(text string) []state {
	page := func(title, icon string) views.Page {
		return views.Page{Title: title, Icon: icon, KeptFor: "one hour"}
	}
	live := func(title, icon string) views.Page {
		p := page(title, icon)
		p.RefreshSeconds = 10
		return p
	}
	threeMinutes := views.Phrase{Headline: "About 3 minutes", Range: "likely 2 to 5"}

	form := views.Form{
		Page:     page("Ask", ""),
		Heading:  "Ask the library’s report database",
		Limits:   "Read-only SQL, one statement.",
		About:    "Tables: loans, branches, titles, copies, members, notes.",
		Facts:    views.FormFacts(i18n.English, views.LineFacts{Free: true}),
		MaxBytes: 1 << 20,
		Free:     true,
		Examples: []views.Link{
			{Text: "Loans per branch this year", URL: "/?example=1"},
			{Text: "Books that were never borrowed", URL: "/?example=2"},
			{Text: "Full text: notes that mention “water damage”", URL: "/?example=3"},
			{Text: "Members by month of joining (slow)", URL: "/?example=4"},
		},
	}
	line := form
	line.Title, line.Free, line.Query = "7 waiting", false, text
	line.Facts = views.FormFacts(i18n.English, views.LineFacts{Length: 7, Running: []int64{35}, Join: views.Phrase{Headline: "About 10 minutes", Range: "likely 8 to 20"}})
	line.Hint = views.FormHint(i18n.English, 8)
	invalid := form
	invalid.Title, invalid.Query = "Error: check your query", text
	invalid.Fault = views.Fault{Heading: "Your query did not run", Detail: "no such column: " + text}
	holder := line
	holder.Mine = &views.Mine{
		Words: "You are in line already: ticket 42, place 3.",
		Link:  views.Link{Text: "Back to the waiting room", URL: "/wait"},
	}
	holder.Notice = views.Notice{Text: text}

	wait := views.Wait{
		Page:            live("3 · about 3 minutes", "icon-3.svg"),
		Number:          42,
		Place:           3,
		JoinedAt:        12,
		State:           views.WaitLive,
		Phrase:          threeMinutes,
		Tickets:         views.Tickets([]int64{39}, nil, []int64{40, 41, 42}, 42, 2),
		Updated:         views.At(noon),
		Query:           text,
		AutoStart:       true,
		HeartbeatMillis: 30000,
		Heartbeat:       "30 seconds",
	}
	next := wait
	next.Page, next.Place = live("Next · longer than usual", "icon-1.svg"), 1
	next.Phrase = views.WaitPhrase(i18n.English, views.Estimate{Basis: "history"}, 0, views.Going{Elapsed: 250, UsualLow: 60, UsualHigh: 180, UsualKnown: true})
	next.Tickets = views.Tickets([]int64{41}, nil, []int64{42}, 42, 0)
	far := wait
	far.Page, far.Number, far.Place, far.JoinedAt = live("12,345 · about 5 hours", "icon.svg"), 14_002, 12_345, 13_000
	far.Phrase = views.Phrase{Headline: "About 5 hours 15 minutes", Range: "likely 4 hours 30 minutes to 7 hours"}
	far.Tickets = views.Tickets([]int64{1650, 1651}, []int64{1652}, []int64{1653, 1654, 1655}, 14_002, 12_344)
	far.Notice = views.Notice{Text: text}
	paused := wait
	paused.Page, paused.State = live("Paused · 3", "icon-3.svg"), views.WaitPaused
	paused.Notice = views.Notice{Text: "Swapping a disk. We go on at about 15:00."}
	behind := wait
	behind.Stopping = true
	unavailable := wait
	unavailable.Page, unavailable.State = live("Runner not answering · 3", "icon-3.svg"), views.WaitUnavailable

	turn := views.Turn{
		Page: views.Page{
			Title: "Your turn: 48 seconds left", Icon: views.IconTurn, Tone: views.ToneTurn,
			RefreshSeconds: 49, RefreshTo: "/wait", KeptFor: "one hour",
		},
		Number:        42,
		SecondsLeft:   48,
		WindowSeconds: 60,
		Window:        "1 minute",
		NextNumber:    43,
		Updated:       views.At(noon),
		Limits:        "Read-only SQL, one statement.",
		Query:         text,
		MaxBytes:      1 << 20,
	}
	auto := turn
	auto.AutoStart = true
	refused := turn
	refused.Fault = views.Fault{Heading: "Your query did not run", Detail: text}
	kept := turn
	kept.Unavailable = true

	table := views.Output{
		Kind:    views.OutputTable,
		Columns: []views.Column{{Name: "branch"}, {Name: text}, {Name: "loans", Number: true}, {Name: "avg_days", Number: true}},
		Total:   12,
	}
	for i, name := range []string{"Harbour", "Old Town", "University", "Northgate", "Mill Lane", "Riverside", "St Anne’s", "Hill Road"} {
		cell := views.Cell{Text: text}
		if i%2 == 1 {
			cell = views.CellOf(nil)
		}
		table.Rows = append(table.Rows, []views.Cell{views.CellOf(name), cell, views.CellOf(int64(18204 - 1237*i)), views.CellOf(12.4 + float64(i))})
	}
	wide := table
	wide.Cut, wide.Total = true, 52_310
	for i := range 9 {
		wide.Columns = append(wide.Columns, views.Column{Name: "column_" + strconv.Itoa(i)})
	}
	prose := views.Output{Kind: views.OutputText, Text: strings.Repeat("The library should move the Harbour branch’s Saturday stock first. ", 9) + text, Total: 96}
	empty := views.Output{Kind: views.OutputTable, Columns: []views.Column{{Name: "branch"}}}

	run := views.Run{
		Page:           views.Page{Title: "Running 0:42", Icon: views.IconRun, RefreshSeconds: 5, KeptFor: "one hour"},
		ID:             "r_7Hk2mQx4aaBB-_cc",
		Number:         42,
		ElapsedSeconds: 42,
		Usual:          "1 to 3 minutes",
		Unwatched:      "30 seconds",
		Query:          text,
	}
	runTable, runText, runStopping := run, run, run
	runTable.Output, runText.Output, runStopping.Stopping = wide, prose, true

	ended := func(outcome views.Outcome, output views.Output) views.Result {
		return views.Result{
			Page:      page(views.ResultTitle(i18n.English, outcome, output), views.IconDone),
			ID:        "r_7Hk2mQx4aaBB-_cc",
			Outcome:   outcome,
			Output:    output,
			Took:      "1 minute 18 seconds",
			Finished:  views.AtMinute(noon),
			KeptUntil: views.AtMinute(noon.Add(time.Hour)),
			Limit:     "5 minutes",
			Unwatched: "30 seconds",
			Query:     text,
		}
	}
	failed := ended(views.Failed, views.Output{})
	failed.Detail = text
	stopping := ended(views.TimedOut, prose)
	stopping.Stopping, stopping.RefreshSeconds = true, 5
	held := stopping
	held.Held = true
	cut := ended(views.Succeeded, wide)
	cut.Truncated = "The table was cut at 52,310 rows, the most that one answer may have."

	kiosk := views.Kiosk{
		Page:    views.Page{Title: "Now running 39", RefreshSeconds: 10},
		Name:    "Library reports",
		Address: "ask.library.example",
		Now:     views.AtMinute(noon),
		Running: []int64{39},
		RunFor:  "for 2 minutes; most take 1 to 3 minutes",
		Next:    []int64{40, 41, 42, 43, 44, 45, 46},
		Length:  7,
		Join:    views.Phrase{Headline: "About 10 minutes", Range: "likely 8 to 20"},
		Slots:   1,
		Window:  "1 minute",
	}
	called := kiosk
	called.Running, called.Called = nil, []int64{40}
	several := kiosk
	several.Slots, several.Running, several.Called, several.RunFor = 4, []int64{36, 37, 39}, []int64{40}, ""
	several.Notice = views.Notice{Text: text}
	crowd := kiosk
	crowd.Slots, crowd.Running, crowd.RunFor = 8, []int64{31, 32, 33, 34, 35, 36, 37, 39}, ""
	idle := kiosk
	idle.Running, idle.Next, idle.Length, idle.Free = nil, nil, 0, true
	halted := kiosk
	halted.Running, halted.Paused = nil, true
	ending := kiosk
	ending.Stopping = true

	return append(deskStates(text), []state{
		{"form-idle", views.FormPage(form)},
		{"form-line", views.FormPage(line)},
		{"form-invalid", views.FormPage(invalid)},
		{"form-holder", views.FormPage(holder)},
		{"wait-live", views.WaitPage(wait)},
		{"wait-next", views.WaitPage(next)},
		{"wait-far", views.WaitPage(far)},
		{"wait-paused", views.WaitPage(paused)},
		{"wait-stopping", views.WaitPage(behind)},
		{"wait-unavailable", views.WaitPage(unavailable)},
		{"turn-manual", views.TurnPage(turn)},
		{"turn-auto", views.TurnPage(auto)},
		{"turn-refused", views.TurnPage(refused)},
		{"turn-unavailable", views.TurnPage(kept)},
		{"run-silent", views.RunPage(run)},
		{"run-table", views.RunPage(runTable)},
		{"run-text", views.RunPage(runText)},
		{"run-stopping", views.RunPage(runStopping)},
		{"result-stopping", views.ResultPage(stopping)},
		{"result-held", views.ResultPage(held)},
		{"runs", views.RunsPage(views.Runs{Page: page("My runs", ""), Runs: ownRuns(text)})},
		{"runs-none", views.RunsPage(views.Runs{Page: page("My runs", "")})},
		{"result-table", views.ResultPage(ended(views.Succeeded, table))},
		{"result-cut", views.ResultPage(cut)},
		{"result-empty", views.ResultPage(ended(views.Succeeded, empty))},
		{"result-text", views.ResultPage(ended(views.Succeeded, prose))},
		{"result-answer", views.ResultPage(ended(views.Succeeded, views.Output{Kind: views.OutputText, Markdown: true, Text: "# So\n\n" + text, Total: 9}))},
		{"result-failed", views.ResultPage(failed)},
		{"result-timed-out", views.ResultPage(ended(views.TimedOut, table))},
		{"result-cancelled", views.ResultPage(ended(views.Cancelled, views.Output{}))},
		{"result-disconnected", views.ResultPage(ended(views.Disconnected, table))},
		{"result-interrupted", views.ResultPage(ended(views.Interrupted, prose))},
		{"expired", views.ExpiredPage(views.Expired{
			Page: page("Your turn has passed", ""), Number: 42, CalledAt: views.At(noon), Window: "1 minute", WentTo: 43,
			Query: text, Hint: views.JoinHint(i18n.English, 5, false, threeMinutes), MaxBytes: 1 << 20,
		})},
		{"lost", views.LostPage(views.Lost{
			Page: page("Your place was given up", ""), Number: 42, Heartbeat: "30 seconds", LeftAt: views.At(noon),
			Query: text, Hint: views.JoinHint(i18n.English, 5, false, threeMinutes), MaxBytes: 1 << 20,
		})},
		{"full", views.FullPage(views.Full{
			Page: page("The line is full", ""), Waiting: 200, RetrySeconds: 40,
			Query: text, Hint: views.FullHint(i18n.English, 120), MaxBytes: 1 << 20,
		})},
		{"problem", views.ProblemPage(views.Problem{
			Page: page("Something broke", ""), Code: "internal", Heading: "Something broke on our side",
			Detail: "This page could not be made.", Standing: "Your ticket is safe: you are still in line at place 3.",
			Way: views.Link{Text: "Back to the waiting room", URL: "/wait"}, RequestID: text, At: views.AtMinute(noon),
		})},
		{"problem-restarting", views.ProblemPage(views.Problem{
			Page: views.Page{Title: "Restarting", Icon: views.IconOff, Tone: views.ToneStale, RefreshSeconds: 5, RefreshTo: "/"},
			Code: "restarting", Heading: "Back in a moment", Detail: "Confluence is restarting. This page comes back by itself.",
		})},
		{"problem-doc", views.ProblemDocPage(views.ProblemDoc{
			Page: page("The line is full", ""), Code: "queue_full", Status: 503, Heading: "The line is full",
			Detail: "The line takes no more tickets now. Wait for as long as Retry-After says and join again.",
		})},
		{"kiosk", views.KioskPage(kiosk)},
		{"kiosk-called", views.KioskPage(called)},
		{"kiosk-several", views.KioskPage(several)},
		{"kiosk-crowd", views.KioskPage(crowd)},
		{"kiosk-idle", views.KioskPage(idle)},
		{"kiosk-paused", views.KioskPage(halted)},
		{"kiosk-stopping", views.KioskPage(ending)},
	}...)
}
