package views

import "confluence/views/i18n"

// LineFacts is what the form tells of the line before a visitor joins.
type LineFacts struct {
	Length      int64   // people in line
	Running     []int64 // ticket numbers
	Join        Phrase  // the wait of who joins now
	Free        bool    // who joins now starts at once
	Full        bool    // who joins now is refused
	Paused      bool
	Unavailable bool // the runner is not answering
	Stopping    bool // the runs that are going were told to stop
}

// FormFacts says the facts of the line.
func FormFacts(l *i18n.Language, f LineFacts) []Fact {
	people := l.Say("form.nobody")
	if f.Length > 0 {
		people = l.Say("people", "n", f.Length)
	}
	facts := []Fact{{Label: l.Say("form.inLine"), Value: people}, joinFact(l, f)}
	running := l.Say("form.running")
	if f.Stopping {
		running = l.Say("form.stopping")
	}
	switch len(f.Running) {
	case 0:
	case 1:
		facts = append(facts, Fact{Label: running, Value: l.Say("form.ticket", "number", Numbers(l, f.Running))})
	default:
		facts = append(facts, Fact{Label: running, Value: l.Say("form.tickets", "numbers", Numbers(l, f.Running))})
	}
	return facts
}

// joinFact says the wait of who joins now.
func joinFact(l *i18n.Language, f LineFacts) Fact {
	join := l.Say("join")
	switch {
	case f.Full:
		return Fact{Label: join, Value: l.Say("join.full"), Small: l.Say("join.full.small")}
	case f.Unavailable:
		return Fact{Label: join, Value: l.Say("join.unknown"), Small: l.Say("join.unknown.small")}
	case f.Paused:
		return Fact{Label: join, Value: l.Say("join.paused"), Small: l.Say("join.paused.small")}
	case f.Free:
		return Fact{Label: l.Say("join.run"), Value: l.Say("join.free")}
	}
	return Fact{Label: join, Value: f.Join.Headline, Small: f.Join.Range}
}
