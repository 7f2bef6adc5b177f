package views

import "confluence/views/i18n"

// The words of the wall screen; kiosk.js says the same.

func (k Kiosk) runningHeading(l *i18n.Language) string {
	switch {
	case len(k.Running) > 0 && k.Stopping:
		return l.Say("kiosk.stopping")
	case len(k.Running) > 0:
		return l.Say("kiosk.now")
	case k.Unavailable:
		return l.Say("kiosk.unavailable")
	case k.Paused:
		return l.Say("kiosk.paused")
	}
	return l.Say("kiosk.free")
}

func (k Kiosk) runningWords(l *i18n.Language) string {
	switch {
	case k.Unavailable:
		return l.Say("kiosk.unavailable.words")
	case k.Paused:
		return l.Say("kiosk.paused.words")
	case len(k.Running) > 0 && k.Stopping:
		return l.Say("kiosk.stopping.words")
	case len(k.Running) > 0:
		return k.RunFor
	case k.Length > 0:
		return l.Say("kiosk.free.next")
	}
	return l.Say("kiosk.free.words")
}

func (k Kiosk) joinHeading(l *i18n.Language) string {
	if k.Free && !k.Paused && !k.Unavailable {
		return l.Say("join.ask")
	}
	return l.Say("join")
}

func (k Kiosk) joinWords(l *i18n.Language) string {
	switch {
	case k.Full:
		return l.Say("kiosk.full")
	case k.Unavailable:
		return l.Say("join.unknown")
	case k.Paused:
		return l.Say("join.paused")
	case k.Free:
		return l.Say("join.free")
	}
	return k.Join.Headline
}

func (k Kiosk) joinRange() string {
	if k.Full || k.Unavailable || k.Paused || k.Free {
		return ""
	}
	return k.Join.Range
}

// kioskFigure makes several numbers smaller, so that they fit.
func kioskFigure(numbers []int64) string {
	if len(numbers) > 1 {
		return "figure several"
	}
	if numbers[0] > 9999 {
		return "figure long"
	}
	return "figure"
}
