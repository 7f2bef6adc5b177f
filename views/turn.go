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
