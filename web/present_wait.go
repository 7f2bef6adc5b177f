package web

import (
	"time"

	"confluence/queue"
	"confluence/views"
)

// wait is the waiting room of a queued ticket.
func (p presenter) wait(v queue.View, picture queue.Picture, now time.Time) views.Wait {
	state := waitState(v)
	phrase := views.WaitPhrase(p.lang, estimateOf(v.Wait), int64(v.Ahead), going(v.RunElapsed, v.UsualLow, v.UsualHigh))
	place := int64(v.Position)
	return views.Wait{
		Page:            refreshed(p.page(views.WaitTitle(p.lang, state, place, phrase), views.PlaceIcon(place)), v.HeartbeatEvery, p.line.Reservation),
		Number:          v.Number,
		Place:           v.Position,
		JoinedAt:        max(v.JoinedAt, v.Position),
		State:           state,
		Phrase:          phrase,
		Tickets:         views.Tickets(picture.Serving, picture.Called, picture.Next, v.Number, v.Ahead),
		Stopping:        picture.Runner == queue.RunnerStopping,
		Updated:         views.At(now),
		Notice:          views.Notice{Text: v.Notice},
		Query:           v.Kept.Query,
		AutoStart:       v.Kept.AutoStart,
		Lasting:         p.lasting,
		HeartbeatMillis: v.HeartbeatEvery.Milliseconds(),
		Heartbeat:       p.lang.Duration(v.HeartbeatEvery),
	}
}

func waitState(v queue.View) views.WaitState {
	switch {
	case v.Runner == queue.RunnerUnavailable:
		return views.WaitUnavailable
	case v.Paused:
		return views.WaitPaused
	}
	return views.WaitLive
}

// turn is the page of a reservation. query is shown in place of the kept text where the visitor has sent another one.
func (p presenter) turn(v queue.View, picture queue.Picture, query string, fault views.Fault, now time.Time) views.Turn {
	left := v.ReservationIn.N
	page := p.page(views.TurnTitle(p.lang, left), views.IconTurn)
	page.Tone = views.ToneTurn
	unavailable := v.Runner == queue.RunnerUnavailable // as the socket will say it, or the page would load itself again and again
	if unavailable {
		page = refreshed(page, p.line.Reservation)
	} else {
		page.RefreshSeconds = int(left) + 1 // just after the deadline, to say what became of the turn
	}
	page.RefreshTo = "/wait"
	if query == "" {
		query = v.Kept.Query
	}
	turn := views.Turn{
		Page:          page,
		Number:        v.Number,
		AutoStart:     v.Kept.AutoStart && v.Kept.Query != "" && fault.Heading == "",
		Unavailable:   unavailable,
		SecondsLeft:   int(left),
		WindowSeconds: max(1, int(p.line.Reservation/time.Second)),
		Window:        p.lang.Duration(p.line.Reservation),
		Updated:       views.At(now),
		Limits:        p.about.Limits,
		Query:         query,
		MaxBytes:      p.maxQuery,
		Fault:         fault,
	}
	if len(picture.Next) > 0 {
		turn.NextNumber = picture.Next[0]
	}
	return turn
}

// expired is the page of a turn that passed unclaimed.
func (p presenter) expired(e queue.Ended, picture queue.Picture, query string, now time.Time) views.Expired {
	return views.Expired{
		Page:     p.page(p.lang.Say("expired"), views.IconPlain),
		Number:   e.Number,
		CalledAt: views.At(now.Add(-e.Called)),
		Window:   p.lang.Duration(p.line.Reservation),
		WentTo:   p.wentTo(e, picture),
		Query:    query,
		Hint:     p.joinHint(picture),
		MaxBytes: p.maxQuery,
	}
}

// wentTo is the ticket that has the turn now; 0 where that can't be said: nobody has it, there are several slots, or it has been passed on
// since, perhaps more than once.
func (p presenter) wentTo(e queue.Ended, picture queue.Picture) int64 {
	if picture.Slots != 1 || e.Since >= p.line.Reservation {
		return 0
	}
	for _, numbers := range [][]int64{picture.Called, picture.Serving} {
		if len(numbers) > 0 && numbers[0] > e.Number {
			return numbers[0]
		}
	}
	return 0
}

// lost is the page of a place that was given up.
func (p presenter) lost(e queue.Ended, picture queue.Picture, query string, now time.Time) views.Lost {
	return views.Lost{
		Page:      p.page(p.lang.Say("lost"), views.IconPlain),
		Number:    e.Number,
		Heartbeat: p.lang.Duration(p.line.Heartbeat),
		LeftAt:    views.At(now.Add(-e.Since)),
		Query:     query,
		Hint:      p.joinHint(picture),
		MaxBytes:  p.maxQuery,
	}
}

// full is the page of a line that takes no more. retry is in seconds.
func (p presenter) full(picture queue.Picture, query string, retry int) views.Full {
	full := views.Full{
		Page:         p.page(p.lang.Say("full"), views.IconPlain),
		Waiting:      picture.Length,
		RetrySeconds: max(1, retry),
		Query:        query,
		MaxBytes:     p.maxQuery,
	}
	if picture.UsualLow.Known && picture.UsualHigh.Known {
		usual := (picture.UsualLow.N + picture.UsualHigh.N) / 2
		full.Hint = views.FullHint(p.lang, usual/int64(max(1, picture.Slots)))
	}
	return full
}
