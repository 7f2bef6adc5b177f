package runner

import "strconv"

// CutAtRows tells the reader of a table why it ends after so many rows: an answer has no more than most.
func CutAtRows(rows, most int) string {
	return firstRows(rows) + ": an answer has at most " + Thousands(most) + "."
}

// CutAtBytes tells the reader of a table why it ends after so many rows: an answer has no more than most bytes.
func CutAtBytes(rows int, most int64) string {
	return firstRows(rows) + ": an answer has at most " + Size(most) + "."
}

func firstRows(rows int) string {
	switch rows {
	case 0:
		return "No row is here"
	case 1:
		return "Only the first row is here"
	}
	return "Only the first " + Thousands(rows) + " rows are here"
}

// Thousands writes a number as 100,000.
func Thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
