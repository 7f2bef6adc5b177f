package web

import (
	"errors"
	"math"
	"time"
	"unicode/utf8"

	"confluence/queue"
	"confluence/views"
)

// slotsShown is how many slots the desk has a row for: all of them, unless there are very many.
const slotsShown = 50

// desk is the operator's page. draft is a notice that was refused, and fault why.
func (p presenter) desk(picture queue.Picture, hour hourSum, now time.Time, draft string, fault error) views.Desk {
	facts := p.lineFacts(picture)
	desk := views.Desk{
		Page:    views.Page{Title: p.lang.Say("admin.title", "n", picture.Length), Here: p.here},
		State:   views.DeskState(p.lang, facts),
		Updated: views.At(now),
		Facts:   views.DeskFacts(p.lang, facts, p.deskNumbers(picture.Estimate, hour)),
		Slots:   p.slots(picture),
		Next:    picture.Next,
		Length:  picture.Length,
		Paused:  picture.Paused,
		Notice:  views.Notice{Text: picture.Notice},
		Draft:   draft,
		Longest: longestNotice,
	}
	if picture.UsualHigh.Known {
		desk.Usual = p.lang.Usual(picture.UsualLow.N, picture.UsualHigh.N)
	}
	switch {
	case errors.Is(fault, errNoNotice):
		desk.Fault = p.lang.Say("admin.notice.empty")
	case fault != nil:
		desk.Fault = p.lang.Say("admin.notice.long", "length", utf8.RuneCountInString(draft), "most", longestNotice)
	}
	return desk
}

func (p presenter) deskNumbers(e queue.Estimate, hour hourSum) views.DeskNumbers {
	length := func(seconds float64) string { return p.lang.Duration(time.Duration(seconds * float64(time.Second))) }
	numbers := views.DeskNumbers{
		Use: percent(hour.use), Called: hour.called, Lapsed: hour.lapsed,
		Told: e.Predictions, Held: percent(e.Coverage), Error: length(e.MeanError),
	}
	if e.ClassicKnown {
		numbers.Classic = length(e.ClassicError)
	}
	return numbers
}

func percent(share float64) int { return int(math.Round(100 * share)) }

// slots are the slots in the order in which they were taken, then the idle ones.
func (p presenter) slots(picture queue.Picture) []views.DeskSlot {
	slots := make([]views.DeskSlot, min(picture.Slots, slotsShown))
	for i := range slots {
		slots[i].State = views.SlotIdle
		if i < len(picture.Taken) {
			taken := picture.Taken[i]
			slots[i] = views.DeskSlot{State: views.SlotState(taken.State), Number: taken.Number, For: p.lang.Clock(int64(taken.For / time.Second))}
		}
	}
	return slots
}

// signIn is where the operator signs in; fault is why the last try was refused.
func (p presenter) signIn(fault string) views.SignIn {
	return views.SignIn{Page: views.Page{Title: p.lang.Say("admin.signIn.title"), Here: p.here}, Fault: fault}
}
