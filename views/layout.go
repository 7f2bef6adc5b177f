package views

import (
	"context"
	"strconv"
)

// The module that each kind of page starts.
const (
	scriptPage   = "page.js" // pages that only want what every page does
	scriptForm   = "form.js"
	scriptWait   = "wait.js"
	scriptTurn   = "turn.js"
	scriptRun    = "run.js"
	scriptResult = "result.js"
	scriptFull   = "full.js"
	scriptReturn = "return.js"
	scriptKiosk  = "kiosk.js"
	scriptAdmin  = "admin.js"
)

func (p Page) icon() string {
	if p.Icon == "" {
		return IconPlain
	}
	return p.Icon
}

func (p Page) refresh(ctx context.Context) string {
	seconds := strconv.Itoa(p.RefreshSeconds)
	if p.RefreshTo == "" {
		return seconds
	}
	return seconds + "; url=" + Address(ctx, p.RefreshTo)
}

// figureClass makes a long number smaller, so that it fits a narrow screen.
func figureClass(place int) string {
	if place > 999 {
		return "figure long"
	}
	return "figure"
}

// describedBy names what describes the field of the query, and is on the page.
func describedBy(limits string, fault Fault) string {
	ids := "count"
	if limits != "" {
		ids = "limits " + ids
	}
	if fault.Heading != "" {
		ids = "query-error " + ids
	}
	return ids
}

// travelled is how far a ticket has come from where it joined.
func (w Wait) travelled() int { return max(w.from()-w.Place, 0) }

// from is the place at joining, never ahead of the present one.
func (w Wait) from() int { return max(w.JoinedAt, w.Place) }

// asking marks the form itself in the navigation.
func (p Page) asking() Page {
	p.asks = true
	return p
}

// listing marks the list of one's own runs in the navigation.
func (p Page) listing() Page {
	p.mine = true
	return p
}
