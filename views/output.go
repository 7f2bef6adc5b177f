package views

import (
	"github.com/a-h/templ"

	"confluence/views/i18n"
)

// attributes are what run.js needs to know before the first event.
func (r Run) attributes() templ.Attributes {
	return templ.Attributes{
		"data-run":     r.ID,
		"data-elapsed": r.ElapsedSeconds,
	}
}

// label names what an answer is counted in.
func (o Output) label(l *i18n.Language) string {
	if o.Kind == OutputText {
		return l.Say("run.words")
	}
	return l.Say("run.rows")
}

// coming is the heading over the output of a run that is going.
func (o Output) coming(l *i18n.Language) string {
	switch o.Kind {
	case OutputTable:
		return l.Say("run.coming.rows")
	case OutputText:
		return l.Say("run.coming.words")
	}
	return l.Say("run.coming.nothing")
}

// bounded says that the page of a run that is going shows only the first part.
func (o Output) bounded(l *i18n.Language) string {
	if o.Kind == OutputText {
		return l.Say("run.bounded.words")
	}
	return l.Say("run.bounded.rows", "n", len(o.Rows))
}

// rest says that a result's page shows only the first part.
func (o Output) rest(l *i18n.Language) string {
	if o.Kind == OutputText {
		return l.Say("result.rest.words")
	}
	return l.Say("result.rest.rows", "shown", len(o.Rows), "n", o.Total)
}

// empty tells whether nothing came, not even one row.
func (o Output) empty() bool {
	return o.Kind == OutputNone || o.Kind == OutputTable && o.Total == 0 || o.Kind == OutputText && o.Text == ""
}
