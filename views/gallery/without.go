package gallery

import (
	"time"

	"confluence/views"
)

// without are the pages of those who have no ticket any more, or none yet, and of what went wrong.
func (p painter) without() []State {
	hint := views.JoinHint(p.Language, 5, false, p.estimate(120, 170, 290, 4))
	problem := func(heading, detail string) views.Problem {
		return views.Problem{
			Page: p.page(heading, ""), Heading: heading, Detail: detail,
			Way: views.Link{Text: p.Say("way.wait"), URL: "/wait"}, RequestID: p.text, At: views.AtMinute(noon),
		}
	}
	broken := problem(p.Say("problem.internal.page"), p.Say("problem.internal.page.detail"))
	broken.Code = "internal"
	broken.Standing = p.Say("error.safe.queued", "number", views.TicketNumber(42), "place", 3)
	restarting := problem(p.Say("problem.restarting.page"), p.Say("problem.restarting.page.detail"))
	restarting.Code, restarting.Icon, restarting.Tone = "restarting", views.IconOff, views.ToneStale
	restarting.RefreshSeconds, restarting.RefreshTo = 5, "/"
	return []State{
		{"expired", views.ExpiredPage(views.Expired{
			Page: p.page(p.Say("expired"), ""), Number: 42, CalledAt: views.At(noon), Window: p.Duration(time.Minute), WentTo: 43,
			Query: p.text, Hint: hint, MaxBytes: maxBytes,
		})},
		{"lost", views.LostPage(views.Lost{
			Page: p.page(p.Say("lost"), ""), Number: 42, Heartbeat: p.Duration(30 * time.Second), LeftAt: views.At(noon),
			Query: p.text, Hint: hint, MaxBytes: maxBytes,
		})},
		{"full", views.FullPage(views.Full{
			Page: p.page(p.Say("full"), ""), Waiting: 200, RetrySeconds: 40,
			Query: p.text, Hint: views.FullHint(p.Language, 120), MaxBytes: maxBytes,
		})},
		{"problem", views.ProblemPage(broken)},
		{"problem-restarting", views.ProblemPage(restarting)},
		{"problem-doc", views.ProblemDocPage(views.ProblemDoc{
			Page: p.page(p.Say("problem.queue_full"), ""), Code: "queue_full", Status: 503,
			Heading: p.Say("problem.queue_full"), Detail: p.Say("problem.queue_full.about"),
		})},
	}
}
