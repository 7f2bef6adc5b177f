package gallery

import (
	"time"

	"confluence/views"
)

// called is one's turn.
func (p painter) called() []State {
	turn := views.Turn{
		Page: views.Page{
			Title: views.TurnTitle(p.Language, 48), Icon: views.IconTurn, Tone: views.ToneTurn,
			RefreshSeconds: 49, RefreshTo: "/wait", KeptFor: p.Duration(time.Hour),
		},
		Number:        42,
		SecondsLeft:   48,
		WindowSeconds: 60,
		Window:        p.Duration(time.Minute),
		NextNumber:    43,
		Updated:       views.At(noon),
		Limits:        limits,
		Query:         p.text,
		MaxBytes:      maxBytes,
	}
	auto := turn
	auto.AutoStart = true
	refused := turn
	refused.Fault = views.Fault{Heading: p.Say("fault.rejected"), Detail: p.text}
	kept := turn
	kept.Unavailable = true
	return []State{
		{"turn-manual", views.TurnPage(turn)},
		{"turn-auto", views.TurnPage(auto)},
		{"turn-refused", views.TurnPage(refused)},
		{"turn-unavailable", views.TurnPage(kept)},
	}
}
