package views

import "github.com/a-h/templ"

// attributes are what run.js needs to know before the first event.
func (r Run) attributes() templ.Attributes {
	return templ.Attributes{
		"data-run":     r.ID,
		"data-elapsed": r.ElapsedSeconds,
	}
}

// label names what an answer is counted in.
func (o Output) label() string {
	if o.Kind == OutputText {
		return "Words"
	}
	return "Rows"
}

// coming is the heading over the output of a run that is going.
func (o Output) coming() string {
	switch o.Kind {
	case OutputTable:
		return "Rows as they come"
	case OutputText:
		return "Answer as it comes"
	}
	return "Nothing has come yet"
}

// bounded says that the page of a run that is going shows only the first part.
func (o Output) bounded() string {
	if o.Kind == OutputText {
		return "The first part is shown here. All of it is there when the run has ended."
	}
	return "The first " + Of(int64(len(o.Rows)), "row is", "rows are") + " shown here. All of them are there when the run has ended."
}

// rest says that a result's page shows only the first part.
func (o Output) rest() string {
	if o.Kind == OutputText {
		return "The first part is shown here. The download has the whole."
	}
	return "The first " + Count(int64(len(o.Rows))) + " of " + Of(int64(o.Total), "row", "rows") + " are shown here. The downloads have them all."
}

// empty tells whether nothing came, not even one row.
func (o Output) empty() bool {
	return o.Kind == OutputNone || o.Kind == OutputTable && o.Total == 0 || o.Kind == OutputText && o.Text == ""
}
