package views

import "github.com/a-h/templ"

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
func (t Turn) limits() string {
	const words = "You can still change it. The time runs on while you do."
	if t.Limits == "" {
		return words
	}
	return t.Limits + " " + words
}
