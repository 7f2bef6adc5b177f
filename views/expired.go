package views

import "confluence/views/i18n"

// words say what became of a turn; {at} stands for the moment of the call.
func (e Expired) words(l *i18n.Language) string {
	ticket := TicketNumber(e.Number)
	if e.WentTo > 0 {
		return l.Say("expired.words.went", "number", ticket, "time", e.Window, "next", TicketNumber(e.WentTo))
	}
	return l.Say("expired.words", "number", ticket, "time", e.Window)
}

// words say why a place was given up; {at} stands for the moment.
func (lost Lost) words(l *i18n.Language) string {
	return l.Say("lost.words", "time", lost.Heartbeat, "number", TicketNumber(lost.Number))
}
