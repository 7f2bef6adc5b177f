package web

import (
	"time"

	"confluence/queue"
	"confluence/views"
)

// kiosk is the screen on the wall. address is where one joins.
func (p presenter) kiosk(picture queue.Picture, address string, now time.Time) views.Kiosk {
	page := p.page(p.kioskTitle(picture), views.IconPlain)
	page.RefreshSeconds = int(refreshAtMost / time.Second)
	kiosk := views.Kiosk{
		Page:        page,
		Name:        p.about.Title,
		Address:     address,
		Now:         views.AtMinute(now),
		Called:      picture.Called,
		Running:     picture.Serving,
		Next:        picture.Next,
		Length:      picture.Length,
		Join:        p.joinPhrase(picture),
		Free:        picture.Free,
		Full:        picture.Full,
		Paused:      picture.Paused,
		Unavailable: picture.Runner == queue.RunnerUnavailable,
		Stopping:    picture.Runner == queue.RunnerStopping,
		Slots:       picture.Slots,
		Window:      p.lang.Duration(p.line.Reservation),
		Notice:      views.Notice{Text: picture.Notice},
	}
	if len(picture.Serving) == 1 {
		kiosk.RunFor = views.RunWords(p.lang, goingOf(picture))
	}
	return kiosk
}

func (p presenter) kioskTitle(picture queue.Picture) string {
	switch {
	case len(picture.Called) > 0:
		return p.lang.Say("kiosk.title.called", "numbers", views.Numbers(p.lang, picture.Called))
	case len(picture.Serving) > 0:
		return p.lang.Say("kiosk.title.running", "numbers", views.Numbers(p.lang, picture.Serving))
	}
	return p.lang.Say("kiosk.title.nobody")
}
