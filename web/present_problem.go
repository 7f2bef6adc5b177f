package web

import (
	"strconv"
	"time"

	"confluence/queue"
	"confluence/views"
)

// pageWords are what a page says of an error in place of the API's words, which are for those who write clients.
type pageWords struct {
	heading string
	detail  string
}

var problemWords = map[string]pageWords{
	"cross_site": {"This came from another site",
		"A page at another address sent this, so nothing was done. Open Confluence at its own address and start from there. If you did, a proxy in front changes the host name: tell the operator to set CONFLUENCE_WEB_PUBLIC_URL to the address that you see."},
	"internal": {"Something broke on our side",
		"This page could not be made."},
	"method_not_allowed": {"This can’t be done here",
		"The address exists, but not for this kind of request. Start again from the form."},
	"not_found": {"There is no such page",
		"Check the address. A run can be read by its owner alone, in the browser that started it, for one hour after its end."},
	"restarting": {"Confluence is restarting",
		"Nothing new starts for a moment. We try again by ourselves."},
	"run_failed": {"Something broke on our side",
		"Your query could not be started."},
	"runner_unavailable": {"The runner is not answering",
		"Nobody is called until it is back, and every place is kept. We look again by ourselves."},
	"store_unavailable": {"The line can’t be saved at the moment",
		"Nothing was changed, and every place is kept. We try again by ourselves."},
	"too_large": {"This is too much",
		"What was sent is larger than we take. Nothing was done."},
	"unsupported_media_type": {"We can’t read this",
		"What was sent is not what the form on this site sends. Start again from the form."},
}

// problemAt is everything that a page tells of an error beside the error itself.
type problemAt struct {
	requestID string
	now       time.Time
	standing  *queue.View // the visitor's ticket; nil: none, or not known
	reload    string      // where to look again if the problem passes by itself; empty: nowhere
}

// problem is the page of an error that has no page of its own.
func (p presenter) problem(of problem, at problemAt) views.Problem {
	words, ok := problemWords[of.Code]
	if !ok {
		words = pageWords{of.Title, of.About}
	}
	if of.Code == "restarting" {
		words.detail += p.overARestart()
	}
	page := views.Problem{
		Page:      p.page(words.heading, views.IconPlain),
		Code:      of.Code,
		Heading:   words.heading,
		Detail:    words.detail,
		Way:       views.Link{Text: "Back to the form", URL: "/"},
		RequestID: at.requestID,
		At:        views.AtMinute(at.now),
	}
	if of.RetryAfter > 0 && at.reload != "" {
		page.Tone = views.ToneStale
		page.RefreshSeconds, page.RefreshTo = of.RetryAfter, at.reload
	}
	if at.standing != nil {
		page.Standing, page.Way = safe(*at.standing)
	}
	return page
}

// overARestart is what becomes of a place; wait.js says the same.
func (p presenter) overARestart() string {
	if p.lasting {
		return " Who waits or was called keeps the place."
	}
	return " Places are not kept, so you may have to join again."
}

// safe says that the visitor's ticket is as it was, and leads there.
func safe(v queue.View) (string, views.Link) {
	ticket := "Ticket " + strconv.FormatInt(v.Number, 10)
	switch v.Status {
	case queue.Ready:
		return ticket + " is safe: it is your turn.", views.Link{Text: "Go to your turn", URL: "/wait"}
	case queue.Running:
		return ticket + " is safe: your query is running.", views.Link{Text: "Watch your run", URL: runAddress(v.RunID)}
	}
	return ticket + " is safe: you are still in line, at place " + views.Count(int64(v.Position)) + ".",
		views.Link{Text: "Back to the waiting room", URL: "/wait"}
}

// problemDoc is the page that explains a code of the API.
func (p presenter) problemDoc(of problem) views.ProblemDoc {
	return views.ProblemDoc{
		Page:    p.page(of.Title, views.IconPlain),
		Code:    of.Code,
		Status:  of.Status,
		Heading: of.Title,
		Detail:  of.About,
	}
}
