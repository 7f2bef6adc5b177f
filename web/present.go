package web

import (
	"net/url"
	"strconv"
	"time"

	"confluence/queue"
	"confluence/queue/runner"
	"confluence/views"
	"confluence/views/i18n"
)

// presenter makes the finished models of the pages. It is all that stays the same from page to page; everything else is in the arguments, the
// time of the wall clock included, so that each page is a function of what it shows.
type presenter struct {
	lang       *i18n.Language
	here       string // the path of the page
	about      runner.Description
	line       queue.Config
	maxQuery   int64         // bytes
	runTimeout time.Duration // a run's time limit
	unwatched  time.Duration // how long a run goes on that nobody watches
	kept       time.Duration // how long a run's answer is kept after its end
	lasting    bool          // the line outlives a restart
}

// refreshAtMost is how often a page without scripts looks again at least.
const refreshAtMost = 10 * time.Second

func (p presenter) page(title, icon string) views.Page {
	return views.Page{Title: title, Icon: icon, Here: p.here, KeptFor: p.lang.Duration(p.kept)}
}

// refreshed has the page look again by itself where scripts are off: three times within each of the times that silence costs something.
func refreshed(page views.Page, costly ...time.Duration) views.Page {
	every := refreshAtMost
	for _, d := range costly {
		every = min(every, d/3)
	}
	page.RefreshSeconds = max(1, int(every/time.Second))
	return page
}

// form is the page on which a visitor asks. v is the ticket that the visitor has already; nil: none.
func (p presenter) form(picture queue.Picture, v *queue.View, query string, fault views.Fault) views.Form {
	title := p.lang.Say("form.title")
	switch {
	case fault.Heading != "":
		title = p.lang.Say("form.title.fault")
	case picture.Length > 0:
		title = p.lang.Say("form.title.waiting", "n", picture.Length)
	}
	form := views.Form{
		Page:     p.page(title, views.IconPlain),
		Heading:  p.about.Title,
		Limits:   p.about.Limits,
		About:    p.about.About,
		Facts:    views.FormFacts(p.lang, p.lineFacts(picture)),
		Notice:   views.Notice{Text: picture.Notice},
		Query:    query,
		MaxBytes: p.maxQuery,
		Free:     picture.Free,
		Fault:    fault,
	}
	switch {
	case v != nil:
		form.Mine, form.Hint = p.mine(*v)
		form.Free = v.Status == queue.Ready
	case !picture.Free && !picture.Full:
		form.Hint = views.FormHint(p.lang, placeOfNext(picture))
	}
	for i, example := range p.about.Examples {
		address := "/?" + url.Values{"example": {strconv.Itoa(i + 1)}}.Encode()
		form.Examples = append(form.Examples, views.Link{Text: example.Title, URL: address})
	}
	return form
}

// example is the text that ?example=N names, counted from 1.
func (p presenter) example(n string) string {
	i, err := strconv.Atoi(n)
	if err != nil || i < 1 || i > len(p.about.Examples) {
		return ""
	}
	return p.about.Examples[i-1].Text
}

func (p presenter) lineFacts(picture queue.Picture) views.LineFacts {
	return views.LineFacts{
		Length:      int64(picture.Length),
		Running:     picture.Serving,
		Join:        p.joinPhrase(picture),
		Free:        picture.Free,
		Full:        picture.Full,
		Paused:      picture.Paused,
		Unavailable: picture.Runner == queue.RunnerUnavailable,
		Stopping:    picture.Runner == queue.RunnerStopping,
	}
}

// placeOfNext is the place of who joins now, when there is somebody to wait for.
func placeOfNext(picture queue.Picture) int64 {
	return int64(len(picture.Called)+picture.Length) + 1
}

// joinPhrase says the wait of who joins now.
func (p presenter) joinPhrase(picture queue.Picture) views.Phrase {
	return views.WaitPhrase(p.lang, estimateOf(picture.Wait), placeOfNext(picture)-1, goingOf(picture))
}

func (p presenter) joinHint(picture queue.Picture) string {
	if picture.Full {
		return p.lang.Say("join.hint.full")
	}
	return views.JoinHint(p.lang, placeOfNext(picture), picture.Free, p.joinPhrase(picture))
}

func estimateOf(w queue.Wait) views.Estimate {
	return views.Estimate{Low: w.Low.N, Likely: w.Likely.N, High: w.High.N, Basis: string(w.Basis)}
}

func goingOf(picture queue.Picture) views.Going {
	return going(picture.RunElapsed, picture.UsualLow, picture.UsualHigh)
}

func going(elapsed time.Duration, low, high queue.Seconds) views.Going {
	return views.Going{
		Elapsed:    int64(elapsed / time.Second),
		UsualLow:   low.N,
		UsualHigh:  high.N,
		UsualKnown: low.Known && high.Known,
	}
}

// mine is the note for a visitor who meets the form while having a ticket, and what the form's button does then.
func (p presenter) mine(v queue.View) (note *views.Mine, hint string) {
	ticket := views.TicketNumber(v.Number)
	switch v.Status {
	case queue.Ready:
		return &views.Mine{
			Words: p.lang.Say("form.mine.ready", "number", ticket),
			Link:  views.Link{Text: p.lang.Say("way.turn"), URL: "/wait"},
		}, p.lang.Say("form.mine.ready.hint")
	case queue.Running:
		return &views.Mine{
			Words: p.lang.Say("form.mine.running", "number", ticket),
			Link:  views.Link{Text: p.lang.Say("way.run"), URL: runAddress(v.RunID)},
		}, p.lang.Say("form.mine.running.hint")
	}
	return &views.Mine{
		Words: p.lang.Say("form.mine.queued", "number", ticket, "place", v.Position),
		Link:  views.Link{Text: p.lang.Say("way.wait"), URL: "/wait"},
	}, p.lang.Say("form.mine.queued.hint")
}

func runAddress(id string) string { return "/runs/" + url.PathEscape(id) }

// rejected is a text that the runner refused, in its own words.
func (p presenter) rejected(detail string) views.Fault {
	return views.Fault{Heading: p.lang.Say("fault.rejected"), Detail: detail}
}

func (p presenter) emptyText() views.Fault {
	return views.Fault{Heading: p.lang.Say("fault.empty"), Detail: p.lang.Say("fault.empty.detail")}
}

// textNotKept is a text for which there is no room beside the ticket.
func (p presenter) textNotKept() views.Fault {
	return views.Fault{Heading: p.lang.Say("fault.notKept"), Detail: p.lang.Say("fault.notKept.detail")}
}

// crowded is a visitor from whose address enough have come.
func (p presenter) crowded() views.Fault {
	return views.Fault{Heading: p.lang.Say("fault.crowded"), Detail: p.lang.Say("fault.crowded.detail")}
}

// noCookie is a browser that has not sent back the cookie which came with the form.
func (p presenter) noCookie() views.Fault {
	return views.Fault{Heading: p.lang.Say("fault.noCookie"), Detail: p.lang.Say("fault.noCookie.detail")}
}

// noTurn is a claim that comes when there is nothing to claim.
func (p presenter) noTurn() views.Fault {
	return views.Fault{Heading: p.lang.Say("fault.rejected"), Detail: p.lang.Say("fault.noTurn.detail")}
}

func (p presenter) tooLong(length int) views.Fault {
	fault := views.Fault{Heading: p.lang.Say("fault.tooLong")}
	if most := p.lang.Size(p.maxQuery); int64(length) > p.maxQuery {
		fault.Detail = p.lang.Say("fault.tooLong.detail", "most", most, "length", p.lang.Size(int64(length)))
	} else {
		fault.Detail = p.lang.Say("fault.tooLong.cut", "most", most)
	}
	return fault
}
