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
