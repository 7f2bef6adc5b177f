// Package gallery is every page in every state, in every language, with something in every place that a model has: for tests and pictures.
package gallery

import (
	"slices"
	"time"

	"github.com/a-h/templ"

	"confluence/views"
	"confluence/views/i18n"
)

// State is one page in one state.
type State struct {
	Name string
	Page templ.Component
}

// States are all pages, with the text in every place where a visitor's, a runner's or the operator's words are shown. Whoever renders them
// gives the context the same language (i18n.With).
func States(l *i18n.Language, text string) []State {
	p := painter{l, text}
	return slices.Concat(p.asking(), p.waiting(), p.called(), p.running(), p.ended(), p.without(), p.onTheWall(), p.desk())
}

// Query is a text as people write it.
const Query = `SELECT branch, count(*) AS loans,
       round(avg(days_out), 1) AS avg_days
FROM loans JOIN branches USING (branch_id)
WHERE borrowed >= '2026-01-01'
GROUP BY branch
ORDER BY loans DESC`

// maxBytes is how long a query may be.
const maxBytes = 1 << 20

// limits are words of the operator's own, which no catalogue has.
const limits = "Read-only SQL, one statement."

var noon = time.Date(2026, 11, 30, 14, 32, 7, 0, time.UTC)

// painter makes the states of one language.
type painter struct {
	*i18n.Language
	text string
}

func (p painter) page(title, icon string) views.Page {
	return views.Page{Title: title, Icon: icon, KeptFor: p.Duration(time.Hour)}
}

// live is a page that loads itself again where scripts are off.
func (p painter) live(title, icon string) views.Page {
	page := p.page(title, icon)
	page.RefreshSeconds = 10
	return page
}

// estimate is a wait from a history of runs, in seconds.
func (p painter) estimate(low, likely, high, ahead int64) views.Phrase {
	return views.WaitPhrase(p.Language, views.Estimate{Low: low, Likely: likely, High: high, Basis: "history"}, ahead, views.Going{})
}

// usual is how long runs take.
var usual = views.Going{Elapsed: 120, UsualLow: 60, UsualHigh: 180, UsualKnown: true}
