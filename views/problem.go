package views

import "github.com/a-h/templ"

// script is what brings the page back by itself, if the problem passes by itself.
func (p Problem) script() string {
	if p.RefreshSeconds > 0 {
		return scriptReturn
	}
	return scriptPage
}

// attributes are what return.js needs to know.
func (p Problem) attributes() templ.Attributes {
	if p.RefreshSeconds == 0 {
		return nil
	}
	return templ.Attributes{"data-seconds": p.RefreshSeconds, "data-to": p.RefreshTo}
}

// waitingNow says how many people wait.
func waitingNow(n int) string {
	if n == 1 {
		return "1 person is waiting"
	}
	return People(int64(n)) + " are waiting"
}
