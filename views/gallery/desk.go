package gallery

import (
	"confluence/views"
)

// mostNotice is how many characters a notice may have.
const mostNotice = 280

// desk is the operator's.
func (p painter) desk() []State {
	facts := views.LineFacts{Length: 12, Running: []int64{35}, Join: p.estimate(480, 610, 1170, 12)}
	numbers := views.DeskNumbers{Use: 91, Called: 212, Lapsed: 4, Told: 230, Held: 83, Error: p.SoFar(65), Classic: p.SoFar(120)}
	open := views.Desk{
		Page: views.Page{Title: p.Say("admin.title", "n", 12), Here: "/admin"}, State: views.DeskState(p.Language, facts),
		Updated: views.At(noon), Facts: views.DeskFacts(p.Language, facts, numbers),
		Slots: []views.DeskSlot{
			{State: views.SlotRunning, Number: 35, For: p.Clock(124)}, {State: views.SlotStopping, Number: 33, For: p.Clock(3723)},
			{State: views.SlotReserved, Number: 36, For: p.Clock(12)}, {State: views.SlotIdle},
		},
		Usual: p.Usual(60, 180), Next: []int64{37, 38, 39, 40, 41, 42, 43, 44, 45, 46}, Length: 12, Longest: mostNotice, Draft: p.text,
	}
	facts.Paused = true
	paused := open
	paused.State, paused.Paused, paused.Notice.Text = views.DeskState(p.Language, facts), true, p.text
	paused.Fault = p.Say("admin.notice.long", "length", 300, "most", mostNotice)
	facts = views.LineFacts{Unavailable: true}
	empty := views.Desk{
		Page: open.Page, State: views.DeskState(p.Language, facts), Updated: open.Updated,
		Facts: views.DeskFacts(p.Language, facts, views.DeskNumbers{}),
		Slots: []views.DeskSlot{{State: views.SlotIdle}}, Longest: mostNotice, Draft: p.text,
	}
	signIn := views.SignIn{Page: views.Page{Title: p.Say("admin.signIn.title"), Here: "/admin/sign-in"}}
	wrong := signIn
	wrong.Fault = p.Say("admin.signIn.wrong")
	return []State{
		{"desk", views.DeskPage(open)},
		{"desk-paused", views.DeskPage(paused)},
		{"desk-empty", views.DeskPage(empty)},
		{"desk-sign-in", views.SignInPage(signIn)},
		{"desk-sign-in-wrong", views.SignInPage(wrong)},
	}
}
