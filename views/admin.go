package views

import "confluence/views/i18n"

// Desk is the operator's page.
type Desk struct {
	Page
	State   string // "The line is open"; DeskState says it
	Updated Moment
	Facts   []Fact // DeskFacts makes them
	Slots   []DeskSlot
	Usual   string  // what most runs take: "1 to 3 minutes"; empty: not known
	Next    []int64 // the first in line
	Length  int     // how many wait
	Paused  bool
	Notice  Notice // that everybody sees
	Draft   string // a notice that was refused
	Fault   string // why; empty: none was
	Longest int    // characters of a notice
}

// DeskSlot is one slot, as the operator sees it.
type DeskSlot struct {
	State  SlotState
	Number int64  // of the ticket that has it; 0: it is idle
	For    string // since when: "2:04"
}

// SlotState is what a slot is doing.
type SlotState string

// The states of a slot.
const (
	SlotIdle     SlotState = "idle"
	SlotReserved SlotState = "reserved"
	SlotRunning  SlotState = "running"
	SlotStopping SlotState = "stopping"
)

func (s SlotState) words(l *i18n.Language) string {
	switch s {
	case SlotReserved:
		return l.Say("admin.slot.reserved")
	case SlotRunning:
		return l.Say("admin.slot.running")
	case SlotStopping:
		return l.Say("admin.slot.stopping")
	}
	return l.Say("admin.slot.idle")
}

// DeskState says what the line does.
func DeskState(l *i18n.Language, f LineFacts) string {
	switch {
	case f.Unavailable:
		return l.Say("problem.runner_unavailable")
	case f.Paused:
		return l.Say("admin.paused")
	}
	return l.Say("admin.open")
}

// DeskNumbers is what the desk tells beside the line: of the last hour, and how good the waits were that people were told. Shares are in percent.
type DeskNumbers struct {
	Use            int
	Called, Lapsed int
	Told           int    // waits that were found out; 0: the rest means nothing
	Held           int    // of those, within their range
	Error          string // of the told waits, in the mean: "1 minute 5 seconds"
	Classic        string // the same of the classic estimate; empty: not known
}

// A range should hold so many percent of the waits.
const (
	aimLow  = 75
	aimHigh = 90
)

// DeskFacts says the facts of the desk.
func DeskFacts(l *i18n.Language, f LineFacts, n DeskNumbers) []Fact {
	join := joinFact(l, f)
	join.Label = l.Say("admin.join")
	held := Fact{Label: l.Say("admin.held"), Value: l.Say("wait.none"), Small: l.Say("wait.none.range")}
	facts := []Fact{
		{Label: l.Say("form.inLine"), Value: l.Count(f.Length)},
		join,
		{Label: l.Say("admin.use"), Value: l.Say("admin.percent", "share", n.Use)},
		{Label: l.Say("admin.lapsed"), Value: l.Say("admin.lapsed.of", "lapsed", n.Lapsed, "called", n.Called)},
	}
	if n.Told == 0 {
		return append(facts, held)
	}
	held.Value, held.Small = l.Say("admin.percent", "share", n.Held), l.Say("admin.held.aim", "low", aimLow, "high", aimHigh)
	off := Fact{Label: l.Say("admin.error"), Value: n.Error, Small: l.Say("admin.error.of", "n", n.Told)}
	if n.Classic != "" {
		off.Small = l.Say("admin.error.classic", "error", n.Classic)
	}
	return append(facts, held, off)
}

// SignIn is where the operator signs in.
type SignIn struct {
	Page
	Fault string // why the last try was refused; empty: there was none
}

// steer is where the button of the line leads.
func (m Desk) steer() string {
	if m.Paused {
		return "/admin/resume"
	}
	return "/admin/pause"
}
