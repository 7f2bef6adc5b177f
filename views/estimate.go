package views

import (
	"strconv"
	"strings"
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
	if p.Headline == "" {
		return ""
	}
	return strings.ToLower(p.Headline[:1]) + p.Headline[1:]
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
func WaitPhrase(e Estimate, ahead int64, g Going) Phrase {
	if e.Basis != "prior" && e.Basis != "history" {
		return Phrase{Headline: "No estimate yet", Range: "not enough runs have ended"}
	}
	var why string
	if g.Overdue() {
		why = "The query now running has taken " + SoFar(g.Elapsed) + "; most take " + Usual(g.UsualLow, g.UsualHigh) + "."
		if ahead <= 0 && e.Likely < short {
			return Phrase{Headline: "Longer than usual", Why: why + " You are called the moment it ends."}
		}
	}
	p := Phrase{Headline: headline(e, ahead), Why: why}
	if e.Basis == "prior" {
		p.Range = "a first guess"
		return p
	}
	p.Range = likelyRange(e)
	return p
}

func headline(e Estimate, ahead int64) string {
	switch {
	case ahead <= 0 && e.Likely < soon:
		return "Any moment"
	case e.Likely < short:
		return "Less than a minute"
	case e.Basis == "prior" && e.Likely < guessInTens:
		return "About " + strconv.FormatInt((e.Likely+5)/10*10, 10) + " seconds"
	}
	return "About " + lengthOf(nearest(e.Likely))
}

// likelyRange is empty where it would say no more than the headline.
func likelyRange(e Estimate) string {
	low, high := roundDown(e.Low), roundUp(e.High)
	if low == high || e.Likely < short && high <= minute {
		return ""
	}
	inMinutes := e.Likely >= short && nearest(e.Likely) < hour && high < hour // the headline names the unit already
	switch {
	case low == 0 && inMinutes:
		return "likely up to " + strconv.FormatInt(high/minute, 10)
	case low == 0:
		return "likely up to " + lengthOf(high)
	case inMinutes:
		return "likely " + strconv.FormatInt(low/minute, 10) + " to " + strconv.FormatInt(high/minute, 10)
	}
	return "likely " + lengthOf(low) + " to " + lengthOf(high)
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

// lengthOf says whole minutes and hours, given in seconds.
func lengthOf(seconds int64) string {
	return span(seconds/hour, "hour", seconds/minute%60, "minute")
}
