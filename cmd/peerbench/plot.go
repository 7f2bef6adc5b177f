package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
)

// plot draws each row that has a goal as a bar on a logarithmic scale: how far the ratio is from its goal, which is the line in the middle.
// Left of it the goal is met.
func (t *table) plot() []byte {
	const width, left, middle, line, top = 960, 430, 640, 24, 40
	var rows []row
	for _, r := range t.rows {
		if r.Goal != 0 && r.Floor != 0 {
			rows = append(rows, r)
		}
	}
	height := top + line*len(rows) + 20
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/><text x="%d" y="20" text-anchor="middle">goal</text><text x="%d" y="20" text-anchor="end">better</text><text x="%d" y="20">worse</text>`+"\n", middle, middle-40, middle+40)
	for i, r := range rows {
		y := top + line*i
		beyond := math.Log2(r.ratio() / r.Goal) // above 0: worse than the goal
		if r.More {
			beyond = -beyond
		}
		length := math.Max(-200, math.Min(200, beyond*80))
		colour := "#2a7d4f"
		if !r.met() {
			colour = "#b3402f"
		}
		x := float64(middle)
		if length < 0 {
			x += length
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`, left, y+15, html.EscapeString(r.What))
		fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="14" fill="%s"/>`, x, y+4, math.Max(1, math.Abs(length)), colour)
		fmt.Fprintf(&b, `<text x="%d" y="%d">%s of %s</text>`+"\n", middle+210, y+15, figure(r.ratio()), figure(r.Goal))
	}
	fmt.Fprintf(&b, `<line x1="%d" y1="28" x2="%d" y2="%d" stroke="black"/>`+"\n</svg>\n", middle, middle, height-10)
	return b.Bytes()
}
