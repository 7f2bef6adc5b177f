package gallery

import (
	"time"

	"confluence/views"
)

// waiting is the waiting room.
func (p painter) waiting() []State {
	wait := views.Wait{
		Number:          42,
		Place:           3,
		JoinedAt:        12,
		State:           views.WaitLive,
		Phrase:          p.estimate(120, 170, 290, 2),
		Tickets:         views.Tickets([]int64{39}, nil, []int64{40, 41, 42}, 42, 2),
		Updated:         views.At(noon),
		Query:           p.text,
		AutoStart:       true,
		HeartbeatMillis: 30000,
		Heartbeat:       p.Duration(30 * time.Second),
	}
	next := wait
	next.Place = 1
	next.Phrase = views.WaitPhrase(p.Language, views.Estimate{Basis: "history"}, 0, views.Going{Elapsed: 250, UsualLow: 60, UsualHigh: 180, UsualKnown: true})
	next.Tickets = views.Tickets([]int64{41}, nil, []int64{42}, 42, 0)
	far := wait
	far.Number, far.Place, far.JoinedAt = 14_002, 12_345, 13_000
	far.Phrase = p.estimate(16_200, 18_900, 25_200, 12_344)
	far.Tickets = views.Tickets([]int64{1650, 1651}, []int64{1652}, []int64{1653, 1654, 1655}, 14_002, 12_344)
	far.Notice = views.Notice{Text: p.text}
	unknown := wait
	unknown.Phrase = views.WaitPhrase(p.Language, views.Estimate{Basis: "none"}, 2, views.Going{})
	guessed := wait
	guessed.Phrase = views.WaitPhrase(p.Language, views.Estimate{Low: 30, Likely: 90, High: 200, Basis: "prior"}, 2, views.Going{})
	paused := wait
	paused.State = views.WaitPaused
	paused.Notice = views.Notice{Text: "Swapping a disk. We go on at about 15:00."}
	behind := wait
	behind.Stopping = true
	unavailable := wait
	unavailable.State = views.WaitUnavailable

	room := func(name string, wait views.Wait) State {
		place := int64(wait.Place)
		wait.Page = p.live(views.WaitTitle(p.Language, wait.State, place, wait.Phrase), views.PlaceIcon(place))
		return State{name, views.WaitPage(wait)}
	}
	return []State{
		room("wait-live", wait),
		room("wait-next", next),
		room("wait-far", far),
		room("wait-unknown", unknown),
		room("wait-guessed", guessed),
		room("wait-paused", paused),
		room("wait-stopping", behind),
		room("wait-unavailable", unavailable),
	}
}
