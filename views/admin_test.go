package views_test

import (
	"confluence/views"
	"confluence/views/i18n"
)

// deskStates are the operator's pages.
func deskStates(text string) []state {
	facts := views.LineFacts{Length: 12, Running: []int64{35}, Join: views.Phrase{Headline: "About 10 minutes", Range: "likely 8 to 20"}}
	numbers := views.DeskNumbers{Use: 91, Called: 212, Lapsed: 4, Told: 230, Held: 83, Error: "1 minute 5 seconds", Classic: "2 minutes"}
	page := views.Page{Title: "12 in line · Desk", Here: "/admin"}
	open := views.Desk{
		Page: page, State: views.DeskState(i18n.English, facts), Updated: views.At(noon), Facts: views.DeskFacts(i18n.English, facts, numbers),
		Slots: []views.DeskSlot{{State: views.SlotRunning, Number: 35, For: "2:04"}, {State: views.SlotStopping, Number: 33, For: "1:02:03"},
			{State: views.SlotReserved, Number: 36, For: "0:12"}, {State: views.SlotIdle}},
		Usual: "1 to 3 minutes", Next: []int64{37, 38, 39, 40, 41, 42, 43, 44, 45, 46}, Length: 12, Longest: 280, Draft: text,
	}
	facts.Paused = true
	paused := open
	paused.State, paused.Paused, paused.Notice.Text, paused.Fault = views.DeskState(i18n.English, facts), true, text, "The notice is too long."
	facts = views.LineFacts{Unavailable: true}
	empty := views.Desk{
		Page: page, State: views.DeskState(i18n.English, facts), Updated: views.At(noon), Facts: views.DeskFacts(i18n.English, facts, views.DeskNumbers{}),
		Slots: []views.DeskSlot{{State: views.SlotIdle}}, Longest: 280, Draft: text,
	}
	signIn := views.SignIn{Page: views.Page{Title: "Sign in · Desk", Here: "/admin/sign-in"}}
	wrong := signIn
	wrong.Fault = "That is not the token."
	return []state{
		{"desk", views.DeskPage(open)},
		{"desk-paused", views.DeskPage(paused)},
		{"desk-empty", views.DeskPage(empty)},
		{"desk-sign-in", views.SignInPage(signIn)},
		{"desk-sign-in-wrong", views.SignInPage(wrong)},
	}
}
