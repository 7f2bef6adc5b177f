package views

import (
	"strconv"

	"confluence/views/i18n"
)

// TicketNumber is the number of a ticket, in the same digits in every language: those of the wall and of what people write down.
func TicketNumber(number int64) string { return strconv.FormatInt(number, 10) }

// Ahead says how many people stand before a waiter.
func Ahead(l *i18n.Language, n int64) string {
	if n <= 0 {
		return l.Say("wait.next")
	}
	return l.Say("wait.ahead", "n", n)
}

// RunWords tells of the one run that is going: "for 2 minutes; most take 1 to 3 minutes".
func RunWords(l *i18n.Language, g Going) string {
	if !g.UsualKnown {
		return l.Say("kiosk.now.words", "time", l.SoFar(g.Elapsed))
	}
	return l.Say("kiosk.now.usual", "time", l.SoFar(g.Elapsed), "usual", l.Usual(g.UsualLow, g.UsualHigh))
}

// Numbers is a list of ticket numbers: "35", "35 and 36", "35, 36 and 3 more".
func Numbers(l *i18n.Language, numbers []int64) string {
	shown := make([]string, 0, 3)
	for _, n := range numbers[:min(len(numbers), 3)] {
		shown = append(shown, TicketNumber(n))
	}
	switch len(numbers) {
	case 0:
		return ""
	case 1:
		return shown[0]
	case 2:
		return l.Say("numbers.two", "a", shown[0], "b", shown[1])
	case 3:
		return l.Say("numbers.three", "a", shown[0], "b", shown[1], "c", shown[2])
	}
	return l.Say("numbers.more", "a", shown[0], "b", shown[1], "n", len(numbers)-2)
}

// WaitTitle is the title of a waiting room: the place and the wait, or why there is none.
func WaitTitle(l *i18n.Language, state WaitState, place int64, wait Phrase) string {
	switch state {
	case WaitPaused:
		return l.Say("wait.title.paused", "place", place)
	case WaitUnavailable:
		return l.Say("wait.title.unavailable", "place", place)
	}
	if place <= 1 {
		return l.Say("wait.title.next", "wait", wait.Short())
	}
	return l.Say("wait.title.place", "place", place, "wait", wait.Short())
}

// TurnTitle is the title of the turn.
func TurnTitle(l *i18n.Language, secondsLeft int64) string {
	return l.Say("turn.title", "n", max(secondsLeft, 0))
}

// PlaceIcon is the tab's icon of a place in line: one icon a place up to 9, then the plain one.
func PlaceIcon(place int64) string {
	if place < 1 || place > 9 {
		return IconPlain
	}
	return "icon-" + strconv.FormatInt(place, 10) + ".svg"
}

// FormHint stands beside the button of the form of who would have to wait.
func FormHint(l *i18n.Language, place int64) string { return l.Say("form.hint", "place", place) }

// JoinHint says what joining again would give.
func JoinHint(l *i18n.Language, place int64, free bool, wait Phrase) string {
	switch {
	case free:
		return l.Say("join.hint.free")
	case wait.Range == "":
		return l.Say("join.hint", "place", place, "wait", wait.Short())
	}
	return l.Say("join.hint.range", "place", place, "wait", wait.Short(), "range", wait.Range)
}

// FullHint says how often a place comes free; every is in seconds.
func FullHint(l *i18n.Language, every int64) string {
	switch {
	case every < 10:
		return l.Say("full.hint.seconds")
	case every < 60:
		return l.Say("full.hint", "time", l.SoFar(every))
	}
	return l.Say("full.hint", "time", l.Hours(nearest(every)))
}
