package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
)

// askProgress tells a person where they stand: on a terminal in one line that changes, else in a line for each change.
type askProgress struct {
	out      io.Writer
	terminal bool
	told     string // the present line
	shown    bool   // it stands on the terminal
}

// show tells where the asker stands.
func (p *askProgress) show(at askView) {
	ticket := fmt.Sprintf("Ticket %d: ", at.Number)
	switch at.Status {
	case "ready":
		p.tell(ticket + "your turn")
		return
	case "running":
		p.running()
		return
	}
	words := ticket + fmt.Sprintf("place %d in line", at.Position)
	switch {
	case at.Paused:
		words += ", nobody is called at the moment"
	case at.Runner == "unavailable":
		words += ", the runner is not answering"
	case at.Wait.Likely != nil:
		words += ", about " + askDuration(*at.Wait.Likely)
		if at.Wait.Low != nil && at.Wait.High != nil {
			words += fmt.Sprintf(" (%s to %s)", askDuration(*at.Wait.Low), askDuration(*at.Wait.High))
		}
	}
	if at.Notice != "" {
		words += " · " + at.Notice
	}
	p.tell(words)
}

func (p *askProgress) running() { p.tell("Running") }

// tell changes the line.
func (p *askProgress) tell(words string) {
	words = askPlain(words)
	if words == p.told {
		return
	}
	p.told = words
	if p.terminal {
		fmt.Fprintf(p.out, "\r\x1b[K%s", words)
		p.shown = true
		return
	}
	fmt.Fprintln(p.out, words)
}

// say writes a line that stays.
func (p *askProgress) say(words string) {
	p.clear()
	fmt.Fprintln(p.out, askPlain(words))
	p.told = ""
}

// clear takes the line off a terminal.
func (p *askProgress) clear() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}

// askDuration is a number of seconds as people say it.
func askDuration(seconds int64) string {
	switch d := time.Duration(seconds) * time.Second; {
	case d < 90*time.Second:
		return fmt.Sprintf("%d s", seconds)
	case d < 90*time.Minute:
		return fmt.Sprintf("%d min", (seconds+30)/60)
	default:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
}

// askPlain takes out what a terminal would obey.
func askPlain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, text)
}
