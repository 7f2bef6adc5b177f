package views

import (
	"strconv"
	"strings"
	"time"
)

// Count is a number with its thousands apart: "12,345".
func Count(n int64) string {
	if n < 0 {
		return "-" + Count(-n)
	}
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Of is a number and the thing that is counted: "1 row", "12,345 rows".
func Of(n int64, one, many string) string {
	if n == 1 {
		return Count(n) + " " + one
	}
	return Count(n) + " " + many
}

// People is how many there are: "1 person", "7 people".
func People(n int64) string { return Of(n, "person", "people") }

// Ahead says how many people stand before a waiter.
func Ahead(n int64) string {
	if n <= 0 {
		return "You are next"
	}
	return People(n) + " ahead of you"
}

// Clock is a time that runs, in whole seconds: "0:48", "12:05", "1:02:03".
func Clock(seconds int64) string {
	if seconds < 0 {
		seconds = 0
	}
	h, m, s := seconds/3600, seconds/60%60, seconds%60
	if h > 0 {
		return strconv.FormatInt(h, 10) + ":" + twoDigits(m) + ":" + twoDigits(s)
	}
	return strconv.FormatInt(m, 10) + ":" + twoDigits(s)
}

func twoDigits(n int64) string {
	if n < 10 {
		return "0" + strconv.FormatInt(n, 10)
	}
	return strconv.FormatInt(n, 10)
}

// Duration is a length of time that is known exactly: "0.4 seconds", "52 seconds", "1 minute 18 seconds", "1 hour 5 minutes".
func Duration(d time.Duration) string {
	if d < 50*time.Millisecond {
		return "less than 0.1 seconds"
	}
	if d < 9950*time.Millisecond {
		tenths := int64((d + 50*time.Millisecond) / (100 * time.Millisecond))
		if tenths%10 != 0 {
			return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10) + " seconds"
		}
	}
	seconds := int64((d + time.Second/2) / time.Second)
	if seconds < 3600 {
		return span(seconds/60, "minute", seconds%60, "second")
	}
	return span(seconds/3600, "hour", seconds/60%60, "minute")
}

// span says a length in two units, and leaves out the one that is nought.
func span(big int64, bigName string, small int64, smallName string) string {
	var parts []string
	if big > 0 {
		parts = append(parts, Of(big, bigName, bigName+"s"))
	}
	if small > 0 || big == 0 {
		parts = append(parts, Of(small, smallName, smallName+"s"))
	}
	return strings.Join(parts, " ")
}

// SoFar is a time that is still growing, in whole units that have passed: "12 seconds", "4 minutes", "1 hour 5 minutes".
func SoFar(seconds int64) string {
	switch {
	case seconds < 60:
		return Of(max(seconds, 0), "second", "seconds")
	case seconds < 3600:
		return Of(seconds/60, "minute", "minutes")
	}
	return span(seconds/3600, "hour", seconds/60%60, "minute")
}

// Usual is what most runs take, in seconds from low to high: "1 to 3 minutes".
func Usual(low, high int64) string {
	switch {
	case high <= 0:
		return "less than a second"
	case high == 1:
		return "about a second"
	case high < 90:
		return between(low, high, "seconds")
	case high < 5400:
		return between(low/60, (high+59)/60, "minutes")
	}
	return between(low/3600, (high+3599)/3600, "hours")
}

func between(low, high int64, unit string) string {
	switch {
	case low <= 0:
		return "up to " + Count(high) + " " + unit
	case low >= high:
		return "about " + Count(high) + " " + unit
	}
	return Count(low) + " to " + Count(high) + " " + unit
}

// RunWords tells of the one run that is going: "for 2 minutes; most take 1 to 3 minutes".
func RunWords(g Going) string {
	words := "for " + SoFar(g.Elapsed)
	if g.UsualKnown {
		words += "; most take " + Usual(g.UsualLow, g.UsualHigh)
	}
	return words
}

// Numbers is a list of ticket numbers: "35", "35 and 36", "35, 36 and 3 more".
func Numbers(numbers []int64) string {
	switch len(numbers) {
	case 0:
		return ""
	case 1:
		return strconv.FormatInt(numbers[0], 10)
	case 2:
		return strconv.FormatInt(numbers[0], 10) + " and " + strconv.FormatInt(numbers[1], 10)
	case 3:
		return strconv.FormatInt(numbers[0], 10) + ", " + strconv.FormatInt(numbers[1], 10) + " and " + strconv.FormatInt(numbers[2], 10)
	}
	return strconv.FormatInt(numbers[0], 10) + ", " + strconv.FormatInt(numbers[1], 10) + " and " + Count(int64(len(numbers)-2)) + " more"
}

// WaitTitle is the title of a waiting room: the place and the wait, or why there is none.
func WaitTitle(state WaitState, place int64, wait Phrase) string {
	switch state {
	case WaitPaused:
		return "Paused · " + Count(place)
	case WaitUnavailable:
		return "Runner not answering · " + Count(place)
	}
	if place <= 1 {
		return "Next · " + wait.Short()
	}
	return Count(place) + " · " + wait.Short()
}

// TurnTitle is the title of the turn.
func TurnTitle(secondsLeft int64) string {
	return "Your turn: " + Of(max(secondsLeft, 0), "second", "seconds") + " left"
}

// PlaceIcon is the tab's icon of a place in line: one icon a place up to 9, then the plain one.
func PlaceIcon(place int64) string {
	if place < 1 || place > 9 {
		return IconPlain
	}
	return "icon-" + strconv.FormatInt(place, 10) + ".svg"
}

// FormHint stands beside the button of the form of who would have to wait.
func FormHint(place int64) string {
	return "You would get place " + Count(place) + ". Looking is free: no ticket until you press."
}

// JoinHint says what joining again would give.
func JoinHint(place int64, free bool, wait Phrase) string {
	if free {
		return "The runner is free: your query would start at once."
	}
	words := "You would get place " + Count(place) + ": " + wait.Short()
	if wait.Range != "" {
		words += ", " + wait.Range
	}
	return words + "."
}

// FullHint says how often a place comes free; every is in seconds.
func FullHint(every int64) string {
	if every < 10 {
		return "A place comes free every few seconds."
	}
	if every < 60 {
		return "A place comes free about every " + Of(every, "second", "seconds") + "."
	}
	return "A place comes free about every " + lengthOf(nearest(every)) + "."
}
