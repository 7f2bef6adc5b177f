package views

import "time"

// At is a moment to the second, as t's own zone has it.
func At(t time.Time) Moment {
	return Moment{Machine: t.UTC().Format(time.RFC3339), Shown: t.Format("15:04:05")}
}

// AtMinute is a moment to the minute.
func AtMinute(t time.Time) Moment {
	return Moment{Machine: t.UTC().Format(time.RFC3339), Shown: t.Format("15:04"), Minute: true}
}

// zone tells the script that rewrites the time how finely it is shown.
func (m Moment) zone() string {
	if m.Minute {
		return "minute"
	}
	return "second"
}
