package views

import "github.com/a-h/templ"

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

// The words of a wait that isn't one because nobody is called; stateWords in wait.js says the same.
const (
	pausedHeadline      = "Paused"
	pausedWhy           = "The operator paused the line. Nobody is called until it goes on, and every place is kept."
	unavailableHeadline = "Not answering"
	unavailableWhy      = "The runner is not answering. Nobody is called until it is back, and every place is kept."
)

// stoppingWhy is why a wait may be longer than it was; wait.js says the same.
const stoppingWhy = "The present run was told to stop. The next person is called as soon as it has really ended."

func (w Wait) headline() string {
	switch w.State {
	case WaitPaused:
		return pausedHeadline
	case WaitUnavailable:
		return unavailableHeadline
	}
	return w.Phrase.Headline
}

func (w Wait) likely() string {
	if w.State == WaitPaused || w.State == WaitUnavailable {
		return ""
	}
	return w.Phrase.Range
}

func (w Wait) why() string {
	switch w.State {
	case WaitPaused:
		return pausedWhy
	case WaitUnavailable:
		return unavailableWhy
	}
	if w.Stopping {
		return stoppingWhy
	}
	return w.Phrase.Why
}
