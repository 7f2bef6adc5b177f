package views

import (
	"github.com/a-h/templ"

	"confluence/views/i18n"
)

// attributes are what wait.js needs to know before the first message.
func (w Wait) attributes() templ.Attributes {
	return templ.Attributes{
		"data-heartbeat-millis": w.HeartbeatMillis,
		"data-number":           w.Number,
		"data-joined-at":        w.from(),
		"data-place":            w.Place,
		"data-state":            string(w.State),
		"data-has-query":        w.Query != "",
		"data-stopping":         w.Stopping,
		"data-lasting":          w.Lasting,
	}
}

// headline is the wait, or why nobody is called; stateWords in wait.js says the same.
func (w Wait) headline(l *i18n.Language) string {
	switch w.State {
	case WaitPaused:
		return l.Say("wait.paused")
	case WaitUnavailable:
		return l.Say("wait.unavailable")
	}
	return w.Phrase.Headline
}

func (w Wait) likely() string {
	if w.State == WaitPaused || w.State == WaitUnavailable {
		return ""
	}
	return w.Phrase.Range
}

func (w Wait) why(l *i18n.Language) string {
	switch w.State {
	case WaitPaused:
		return l.Say("wait.paused.why")
	case WaitUnavailable:
		return l.Say("wait.unavailable.why")
	}
	if w.Stopping {
		return l.Say("wait.stopping.why")
	}
	return w.Phrase.Why
}
