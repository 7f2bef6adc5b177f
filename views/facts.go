package views

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
func FormFacts(f LineFacts) []Fact {
	people := "Nobody"
	if f.Length > 0 {
		people = People(f.Length)
	}
	facts := []Fact{{Label: "In line", Value: people}, joinFact(f)}
	switch len(f.Running) {
	case 0:
	case 1:
		facts = append(facts, Fact{Label: f.running(), Value: "Ticket " + Numbers(f.Running)})
	default:
		facts = append(facts, Fact{Label: f.running(), Value: "Tickets " + Numbers(f.Running)})
	}
	return facts
}

func (f LineFacts) running() string {
	if f.Stopping {
		return "Stopping"
	}
	return "Running"
}

func joinFact(f LineFacts) Fact {
	switch {
	case f.Full:
		return Fact{Label: "If you join now", Value: "No room", Small: "the line is full"}
	case f.Unavailable:
		return Fact{Label: "If you join now", Value: "Not known", Small: "the runner is not answering; places are kept"}
	case f.Paused:
		return Fact{Label: "If you join now", Value: "Paused", Small: "nobody is called until the line goes on; places are kept"}
	case f.Free:
		return Fact{Label: "If you run now", Value: "Starts at once"}
	}
	return Fact{Label: "If you join now", Value: f.Join.Headline, Small: f.Join.Range}
}
