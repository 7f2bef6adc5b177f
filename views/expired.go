package views

import "strconv"

// outcome says what became of a turn, after "was called at 14:33:10".
func (e Expired) outcome() string {
	words := " and not started within " + e.Window
	if e.WentTo > 0 {
		words += ", so the turn went to ticket " + strconv.FormatInt(e.WentTo, 10)
	} else {
		words += ", so the turn has passed"
	}
	return words + ". Your query did not run."
}

// words say why a place was given up, up to the time when.
func (l Lost) words() string {
	return "We heard nothing from this page for more than " + l.Heartbeat + ", so ticket " + strconv.FormatInt(l.Number, 10) + " left the line"
}
