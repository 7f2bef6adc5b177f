package i18n

import (
	"strconv"
	"time"
)

// Clock is a time that runs, in whole seconds: "0:48", "12:05", "1:02:03".
func (l *Language) Clock(seconds int64) string {
	if seconds < 0 {
		seconds = 0
	}
	h, m, s := seconds/3600, seconds/60%60, seconds%60
	if h > 0 {
		return l.Digits(strconv.FormatInt(h, 10) + ":" + twoDigits(m) + ":" + twoDigits(s))
	}
	return l.Digits(strconv.FormatInt(m, 10) + ":" + twoDigits(s))
}

func twoDigits(n int64) string {
	if n < 10 {
		return "0" + strconv.FormatInt(n, 10)
	}
	return strconv.FormatInt(n, 10)
}

// Duration is a length of time that is known exactly: "0.4 seconds", "52 seconds", "1 minute 18 seconds", "1 hour 5 minutes".
func (l *Language) Duration(d time.Duration) string {
	if d < 50*time.Millisecond {
		return l.Say("length.instant")
	}
	if d < 9950*time.Millisecond {
		if n := tenths((d + 50*time.Millisecond) / (100 * time.Millisecond)); n%10 != 0 {
			return l.Say("length.seconds", "n", n)
		}
	}
	seconds := int64((d + time.Second/2) / time.Second)
	if seconds < 3600 {
		return l.minutes(seconds)
	}
	return l.Hours(seconds)
}

// minutes is a length in minutes and seconds, without the one that is nought.
func (l *Language) minutes(seconds int64) string {
	whole, rest := seconds/60, seconds%60
	switch {
	case whole == 0:
		return l.Say("length.seconds", "n", rest)
	case rest == 0:
		return l.Say("length.minutes", "n", whole)
	}
	return l.Say("length.both", "big", l.Say("length.minutes", "n", whole), "small", l.Say("length.seconds", "n", rest))
}

// Hours is a length of whole minutes, given in seconds, in hours and minutes, without the one that is nought.
func (l *Language) Hours(seconds int64) string {
	whole, rest := seconds/3600, seconds/60%60
	switch {
	case whole == 0:
		return l.Say("length.minutes", "n", rest)
	case rest == 0:
		return l.Say("length.hours", "n", whole)
	}
	return l.Say("length.both", "big", l.Say("length.hours", "n", whole), "small", l.Say("length.minutes", "n", rest))
}

// SoFar is a time that is still growing, in whole units that have passed: "12 seconds", "4 minutes", "1 hour 5 minutes".
func (l *Language) SoFar(seconds int64) string {
	switch {
	case seconds < 60:
		return l.Say("length.seconds", "n", max(seconds, 0))
	case seconds < 3600:
		return l.Say("length.minutes", "n", seconds/60)
	}
	return l.Hours(seconds)
}

// between are the keys of a range in one unit: with no low end, with equal ends, and with both.
type between struct{ upTo, about, both string }

var (
	secondsBetween = between{"usual.seconds.upTo", "usual.seconds.about", "usual.seconds.between"}
	minutesBetween = between{"usual.minutes.upTo", "usual.minutes.about", "usual.minutes.between"}
	hoursBetween   = between{"usual.hours.upTo", "usual.hours.about", "usual.hours.between"}
)

// Usual is what most runs take, in seconds from low to high: "1 to 3 minutes".
func (l *Language) Usual(low, high int64) string {
	switch {
	case high <= 0:
		return l.Say("usual.instant")
	case high == 1:
		return l.Say("usual.second")
	case high < 90:
		return l.between(secondsBetween, low, high)
	case high < 5400:
		return l.between(minutesBetween, low/60, (high+59)/60)
	}
	return l.between(hoursBetween, low/3600, (high+3599)/3600)
}

func (l *Language) between(keys between, low, high int64) string {
	switch {
	case low <= 0:
		return l.Say(keys.upTo, "n", high)
	case low >= high:
		return l.Say(keys.about, "n", high)
	}
	return l.Say(keys.both, "low", low, "n", high)
}
