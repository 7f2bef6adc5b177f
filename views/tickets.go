package views

// fewAhead is how many people ahead are drawn one by one.
const fewAhead = 4

// Tickets draws the line around one ticket: who is running, who is called, the next ones, a gap with the count of those it leaves out, and
// the ticket itself. ahead is how many people stand before it.
func Tickets(serving, called, next []int64, mine int64, ahead int) []Ticket {
	var drawn []Ticket
	for i, number := range serving {
		if i == fewAhead {
			drawn = append(drawn, Ticket{More: len(serving) - i, Kind: TicketRunning})
			break
		}
		drawn = append(drawn, Ticket{Number: number, Kind: TicketRunning})
	}
	before := append(kindOf(called, mine, TicketCalled), kindOf(next, mine, TicketWaiting)...)
	if len(before) > ahead {
		before = before[:max(ahead, 0)]
	}
	if ahead > fewAhead && len(before) > 2 {
		before = before[:2]
	}
	drawn = append(drawn, before...)
	if more := ahead - len(before); more > 0 {
		drawn = append(drawn, Ticket{More: more})
	}
	return append(drawn, Ticket{Number: mine, Kind: TicketMine})
}

// kindOf draws the numbers up to mine.
func kindOf(numbers []int64, mine int64, kind TicketKind) []Ticket {
	drawn := make([]Ticket, 0, len(numbers))
	for _, number := range numbers {
		if number == mine {
			break
		}
		drawn = append(drawn, Ticket{Number: number, Kind: kind})
	}
	return drawn
}
