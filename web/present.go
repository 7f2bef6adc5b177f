package web

import (
	"net/url"
	"strconv"
	"time"

	"confluence/queue"
	"confluence/queue/runner"
	"confluence/views"
)

// presenter makes the finished models of the pages. It is all that stays the same from page to page; everything else is in the arguments, the
// time of the wall clock included, so that each page is a function of what it shows.
type presenter struct {
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
	return views.Page{Title: title, Icon: icon, KeptFor: views.Duration(p.kept)}
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
	title := "Ask"
	switch {
	case fault.Heading != "":
		title = "Error: check your query"
	case picture.Length > 0:
		title = views.Count(int64(picture.Length)) + " waiting"
	}
	form := views.Form{
		Page:     p.page(title, views.IconPlain),
		Heading:  p.about.Title,
		Limits:   p.about.Limits,
		About:    p.about.About,
		Facts:    views.FormFacts(lineFacts(picture)),
		Notice:   views.Notice{Text: picture.Notice},
		Query:    query,
		MaxBytes: p.maxQuery,
		Free:     picture.Free,
		Fault:    fault,
	}
	switch {
	case v != nil:
		form.Mine, form.Hint = mine(*v)
		form.Free = v.Status == queue.Ready
	case !picture.Free && !picture.Full:
		form.Hint = views.FormHint(placeOfNext(picture))
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

func lineFacts(picture queue.Picture) views.LineFacts {
	return views.LineFacts{
		Length:      int64(picture.Length),
		Running:     picture.Serving,
		Join:        joinPhrase(picture),
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
func joinPhrase(picture queue.Picture) views.Phrase {
	return views.WaitPhrase(estimateOf(picture.Wait), placeOfNext(picture)-1, goingOf(picture))
}

func joinHint(picture queue.Picture) string {
	if picture.Full {
		return "The line takes no more people at the moment."
	}
	return views.JoinHint(placeOfNext(picture), picture.Free, joinPhrase(picture))
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
func mine(v queue.View) (note *views.Mine, hint string) {
	ticket := "ticket " + strconv.FormatInt(v.Number, 10)
	switch v.Status {
	case queue.Ready:
		return &views.Mine{
			Words: "It is your turn: " + ticket + " was called.",
			Link:  views.Link{Text: "Go to your turn", URL: "/wait"},
		}, "This uses your turn."
	case queue.Running:
		return &views.Mine{
			Words: "A query of yours is running: " + ticket + ".",
			Link:  views.Link{Text: "Watch your run", URL: runAddress(v.RunID)},
		}, "One at a time: cancel that run, or wait for its end, before you ask again."
	}
	return &views.Mine{
		Words: "You are in line already: " + ticket + ", place " + views.Count(int64(v.Position)) + ".",
		Link:  views.Link{Text: "Back to the waiting room", URL: "/wait"},
	}, "You keep your place. This text takes the place of the one that is kept with your ticket."
}

func runAddress(id string) string { return "/runs/" + url.PathEscape(id) }

// rejected is a text that the runner refused, in its own words.
func rejected(detail string) views.Fault {
	return views.Fault{Heading: "Your query did not run", Detail: detail}
}

// What is wrong with a text before the runner has seen it, and with a claim that comes when there is nothing to claim.
var (
	emptyText   = views.Fault{Heading: "There is no query yet", Detail: "Write a query, then press Run."}
	textNotKept = views.Fault{Heading: "Your text is not kept", Detail: "Your ticket is safe. As much text waits with the tickets as there is room for: keep yours yourself, and run it at your turn."}
	crowded     = views.Fault{Heading: "Many have come from your address", Detail: "Others at the same network address have joined or wait in line. Try again in a minute."}
	noTurn      = views.Fault{Heading: "Your query did not run", Detail: "You have left the line, so there is no turn to use. Run it again to join."}
)

func (p presenter) tooLong(length int) views.Fault {
	detail := "A query may have " + sizeWords(p.maxQuery) + " at most."
	if int64(length) > p.maxQuery {
		detail += " This one has " + sizeWords(int64(length)) + "."
	} else {
		detail += " This one is much longer: only its beginning is kept below."
	}
	return views.Fault{Heading: "Your query is too long", Detail: detail}
}
