package gallery

import (
	"confluence/views"
)

// asking is the form.
func (p painter) asking() []State {
	form := views.Form{
		Page:     p.page(p.Say("form.title"), ""),
		Heading:  "Ask the library’s report database",
		Limits:   limits,
		About:    "Tables: loans, branches, titles, copies, members, notes.",
		Facts:    views.FormFacts(p.Language, views.LineFacts{Free: true}),
		MaxBytes: maxBytes,
		Free:     true,
		Examples: []views.Link{
			{Text: "Loans per branch this year", URL: "/?example=1"},
			{Text: "Books that were never borrowed", URL: "/?example=2"},
			{Text: "Full text: notes that mention “water damage”", URL: "/?example=3"},
			{Text: "Members by month of joining (slow)", URL: "/?example=4"},
		},
	}
	line := form
	line.Title, line.Free, line.Query = p.Say("form.title.waiting", "n", 7), false, p.text
	line.Facts = views.FormFacts(p.Language, views.LineFacts{Length: 7, Running: []int64{35}, Join: p.estimate(480, 610, 1170, 7)})
	line.Hint = views.FormHint(p.Language, 8)
	invalid := form
	invalid.Title, invalid.Query = p.Say("form.title.fault"), p.text
	invalid.Fault = views.Fault{Heading: p.Say("fault.rejected"), Detail: "no such column: " + p.text}
	holder := line
	holder.Mine = &views.Mine{
		Words: p.Say("form.mine.queued", "number", views.TicketNumber(42), "place", 3),
		Link:  views.Link{Text: p.Say("way.wait"), URL: "/wait"},
	}
	holder.Notice = views.Notice{Text: p.text}
	return []State{
		{"form-idle", views.FormPage(form)},
		{"form-line", views.FormPage(line)},
		{"form-invalid", views.FormPage(invalid)},
		{"form-holder", views.FormPage(holder)},
	}
}
