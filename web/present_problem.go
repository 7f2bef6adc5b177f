package web

import (
	"time"

	"confluence/queue"
	"confluence/views"
	"confluence/views/i18n"
)

// pageWords are what a page says of an error in place of the API's words, which are for those who write clients.
type pageWords struct{ heading, detail i18n.Message }

var problemWords = map[string]pageWords{
	"cross_site":             {i18n.Msg("problem.cross_site.page"), i18n.Msg("problem.cross_site.page.detail")},
	"internal":               {i18n.Msg("problem.internal.page"), i18n.Msg("problem.internal.page.detail")},
	"method_not_allowed":     {i18n.Msg("problem.method_not_allowed.page"), i18n.Msg("problem.method_not_allowed.page.detail")},
	"not_found":              {i18n.Msg("problem.not_found.page"), i18n.Msg("problem.not_found.page.detail")},
	"restarting":             {i18n.Msg("problem.restarting.page"), i18n.Msg("problem.restarting.page.detail")},
	"run_failed":             {i18n.Msg("problem.run_failed.page"), i18n.Msg("problem.run_failed.page.detail")},
	"runner_unavailable":     {i18n.Msg("problem.runner_unavailable.page"), i18n.Msg("problem.runner_unavailable.page.detail")},
	"store_unavailable":      {i18n.Msg("problem.store_unavailable.page"), i18n.Msg("problem.store_unavailable.page.detail")},
	"too_large":              {i18n.Msg("problem.too_large.page"), i18n.Msg("problem.too_large.page.detail")},
	"unsupported_media_type": {i18n.Msg("problem.unsupported_media_type.page"), i18n.Msg("problem.unsupported_media_type.page.detail")},
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
	if of.Code == "restarting" && p.lasting {
		words.detail = i18n.Msg("problem.restarting.page.kept")
	}
	page := views.Problem{
		Page:      p.page(p.lang.Tell(words.heading), views.IconPlain),
		Code:      of.Code,
		Heading:   p.lang.Tell(words.heading),
		Detail:    p.lang.Tell(words.detail),
		Way:       views.Link{Text: p.lang.Say("way.form"), URL: "/"},
		RequestID: at.requestID,
		At:        views.AtMinute(at.now),
	}
	if of.RetryAfter > 0 && at.reload != "" {
		page.Tone = views.ToneStale
		page.RefreshSeconds, page.RefreshTo = of.RetryAfter, at.reload
	}
	if at.standing != nil {
		page.Standing, page.Way = p.safe(*at.standing)
	}
	return page
}

// safe says that the visitor's ticket is as it was, and leads there.
func (p presenter) safe(v queue.View) (string, views.Link) {
	ticket := views.TicketNumber(v.Number)
	switch v.Status {
	case queue.Ready:
		return p.lang.Say("error.safe.ready", "number", ticket), views.Link{Text: p.lang.Say("way.turn"), URL: "/wait"}
	case queue.Running:
		return p.lang.Say("error.safe.running", "number", ticket), views.Link{Text: p.lang.Say("way.run"), URL: runAddress(v.RunID)}
	}
	return p.lang.Say("error.safe.queued", "number", ticket, "place", v.Position),
		views.Link{Text: p.lang.Say("way.wait"), URL: "/wait"}
}

// problemDoc is the page that explains a code of the API.
func (p presenter) problemDoc(of problem) views.ProblemDoc {
	return views.ProblemDoc{
		Page:    p.page(p.lang.Tell(of.Title), views.IconPlain),
		Code:    of.Code,
		Status:  of.Status,
		Heading: p.lang.Tell(of.Title),
		Detail:  p.lang.Tell(of.About),
	}
}
