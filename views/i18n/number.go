package i18n

import (
	"strconv"
	"strings"
)

// numberFormat is how a language writes numbers. The catalogue says it, for pages and scripts alike: what browsers and libraries know of it
// differs from version to version.
type numberFormat struct {
	Group   string `json:"group"`            // between thousands
	Decimal string `json:"decimal"`          // before tenths
	Digits  string `json:"digits,omitempty"` // from 0 to 9; empty: the Latin ones
}

// Count is a number with its thousands apart: "12,345".
func (l *Language) Count(n int64) string {
	if n < 0 {
		return "-" + l.Count(-n)
	}
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + l.number.Group + digits[i:]
	}
	return l.Digits(digits)
}

// tenths is a number with one place after the point.
type tenths int64

func (l *Language) tenths(n tenths) string {
	return l.Count(int64(n)/10) + l.number.Decimal + l.Digits(strconv.FormatInt(int64(n)%10, 10))
}

// Bytes is a number of bytes, as a value of a message.
type Bytes int64

// Size is a number of bytes: "640 bytes", "1.5 KiB", "16 MiB".
func (l *Language) Size(bytes int64) string {
	switch {
	case bytes >= 1<<20:
		return l.rounded(bytes, 1<<20) + " MiB"
	case bytes >= 1<<10:
		return l.rounded(bytes, 1<<10) + " KiB"
	}
	return l.Say("size.bytes", "n", bytes)
}

// rounded is a number of units, to tenths.
func (l *Language) rounded(n, unit int64) string {
	if n := tenths((n*10 + unit/2) / unit); n%10 != 0 {
		return l.tenths(n)
	} else {
		return l.Count(int64(n) / 10)
	}
}

// Digits is a text, such as a time of day, with its digits as the language writes them.
func (l *Language) Digits(text string) string {
	if l.number.Digits == "" {
		return text
	}
	own := []rune(l.number.Digits)
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return r
		}
		return own[r-'0']
	}, text)
}
