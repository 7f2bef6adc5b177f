package views

// The words of the wall screen; kiosk.js says the same.

func (k Kiosk) runningHeading() string {
	switch {
	case len(k.Running) > 0 && k.Stopping:
		return "Stopping"
	case len(k.Running) > 0:
		return "Now running"
	case k.Unavailable:
		return "Not answering"
	case k.Paused:
		return "Paused"
	}
	return "Free"
}

func (k Kiosk) runningWords() string {
	switch {
	case k.Unavailable:
		return "The runner is not answering. Every place is kept."
	case k.Paused:
		return "Nobody is called until the line goes on. Every place is kept."
	case len(k.Running) > 0 && k.Stopping:
		return "The next person is called as soon as it has ended."
	case len(k.Running) > 0:
		return k.RunFor
	case k.Length > 0:
		return "The next person is called in a moment."
	}
	return "Nobody is waiting: ask, and your query starts at once."
}

func (k Kiosk) joinHeading() string {
	if k.Free && !k.Paused && !k.Unavailable {
		return "If you ask now"
	}
	return "If you join now"
}

func (k Kiosk) joinWords() string {
	switch {
	case k.Full:
		return "The line is full"
	case k.Unavailable:
		return "Not known"
	case k.Paused:
		return "Paused"
	case k.Free:
		return "Starts at once"
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
