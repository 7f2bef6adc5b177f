package views

import (
	"github.com/a-h/templ"

	"confluence/views/i18n"
)

// attributes are what turn.js needs to know before the first message.
func (t Turn) attributes() templ.Attributes {
	return templ.Attributes{
		"data-auto":         t.AutoStart && t.Query != "" && t.Fault.Heading == "",
		"data-unavailable":  t.Unavailable,
		"data-seconds-left": t.SecondsLeft,
		"data-number":       t.Number,
	}
}

// limits stands under the label of the text at the turn.
func (t Turn) limits(l *i18n.Language) string {
	words := l.Say("turn.limits")
	if t.Limits == "" {
		return words
	}
	return t.Limits + " " + words
}
