package views

import (
	"unicode"
	"unicode/utf8"

	"confluence/views/i18n"
)

// Estimate is a wait in seconds, as an 80 % range and a middle.
type Estimate struct {
	Low, Likely, High int64
	Basis             string // "none": the numbers mean nothing; "prior": a configured guess; "history": the runs that have ended
}

// Going is the run that is going, in seconds; the oldest if there are several.
type Going struct {
	Elapsed    int64 // 0 if none is going
	UsualLow   int64 // what most runs take
	UsualHigh  int64
	UsualKnown bool
}

// Overdue tells whether the run takes longer than most.
func (g Going) Overdue() bool { return g.UsualKnown && g.Elapsed > max(g.UsualHigh, 1) }

// Phrase is a wait in words.
type Phrase struct {
	Headline string // "About 3 minutes"
	Range    string // "likely 2 to 5"; may be empty
	Why      string // a sentence or two of explanation; may be empty
}

// Short is the headline inside a sentence: "about 3 minutes".
func (p Phrase) Short() string {
	first, size := utf8.DecodeRuneInString(p.Headline)
	if size == 0 {
		return ""
	}
	return string(unicode.ToLower(first)) + p.Headline[size:]
}

const (
	minute = 60
	hour   = 60 * minute

	soon         = 10          // a next person's wait that is shorter is "any moment"
	short        = 45          // a wait that is shorter is "less than a minute"
	wholeMinutes = 10 * minute // up to here a wait is said in whole minutes
	guessInTens  = 115         // a first guess that is shorter is said in seconds, to ten
)

// WaitPhrase says a wait, of someone with so many people ahead. The likely wait is rounded to the nearest step, the low end of the range
// down and the high end up, so that the words never claim a narrower range than the estimate.
func WaitPhrase(l *i18n.Language, e Estimate, ahead int64, g Going) Phrase {
	if e.Basis != "prior" && e.Basis != "history" {
		return Phrase{Headline: l.Say("wait.none"), Range: l.Say("wait.none.range")}
	}
	var why string
	if g.Overdue() {
		why = l.Say("wait.overdue.why", "time", l.SoFar(g.Elapsed), "usual", l.Usual(g.UsualLow, g.UsualHigh))
		if ahead <= 0 && e.Likely < short {
			return Phrase{Headline: l.Say("wait.overdue"), Why: l.Say("wait.overdue.next", "why", why)}
		}
	}
	p := Phrase{Headline: headline(l, e, ahead), Why: why}
	if e.Basis == "prior" {
		p.Range = l.Say("wait.guess")
		return p
	}
	p.Range = likelyRange(l, e)
	return p
}

func headline(l *i18n.Language, e Estimate, ahead int64) string {
	switch {
	case ahead <= 0 && e.Likely < soon:
		return l.Say("wait.soon")
	case e.Likely < short:
		return l.Say("wait.short")
	case e.Basis == "prior" && e.Likely < guessInTens:
		return l.Say("wait.about", "time", l.Say("length.seconds", "n", (e.Likely+5)/10*10))
	}
	return l.Say("wait.about", "time", l.Hours(nearest(e.Likely)))
}

// likelyRange is empty where it would say no more than the headline.
func likelyRange(l *i18n.Language, e Estimate) string {
	low, high := roundDown(e.Low), roundUp(e.High)
	if low == high || e.Likely < short && high <= minute {
		return ""
	}
	inMinutes := e.Likely >= short && nearest(e.Likely) < hour && high < hour // the headline names the unit already
	switch {
	case low == 0 && inMinutes:
		return l.Say("wait.upTo.minutes", "high", high/minute)
	case low == 0:
		return l.Say("wait.upTo", "time", l.Hours(high))
	case inMinutes:
		return l.Say("wait.between.minutes", "low", low/minute, "high", high/minute)
	}
	return l.Say("wait.between", "low", l.Hours(low), "high", l.Hours(high))
}

// stepOf is how finely a wait is said: to 10 minutes whole minutes, to an hour fives, above that quarter hours.
func stepOf(seconds int64) int64 {
	switch {
	case seconds <= wholeMinutes:
		return minute
	case seconds <= hour:
		return 5 * minute
	}
	return 15 * minute
}

func nearest(seconds int64) int64 {
	step := stepOf(seconds)
	return (seconds + step/2) / step * step
}

func roundDown(seconds int64) int64 {
	step := stepOf(seconds)
	return max(seconds, 0) / step * step
}

func roundUp(seconds int64) int64 {
	step := stepOf(seconds)
	return (max(seconds, 0) + step - 1) / step * step
}
