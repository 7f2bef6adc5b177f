package main

import (
	"bytes"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"confluence/queue/simulation"
)

const (
	drawnWidth  = 28 * vg.Centimeter
	drawnHeight = 30 * vg.Centimeter
	drawnMost   = 800 // people, evenly; more would hide each other
)

// Colours that people with a colour deficiency tell apart (Okabe and Ito).
var (
	drawnActual  = color.NRGBA{R: 0x22, G: 0x22, B: 0x22, A: 0xff}
	drawnWait    = color.NRGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}
	drawnRange   = color.NRGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0x38}
	drawnClassic = color.NRGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}
)

// drawSimulated draws those who had to wait, as SVG: their waits over time with what was predicted as they joined, and below predicted against actual.
func drawSimulated(out io.Writer, r simulation.Result) error {
	points := evenly(r.Series, drawnMost)
	overTime, err := waitsOverTime(points)
	if err != nil {
		return err
	}
	against, err := predictedAgainstActual(points)
	if err != nil {
		return err
	}
	paper := vgsvg.New(drawnWidth, drawnHeight)
	tiles := draw.Tiles{Rows: 2, Cols: 1, PadX: 6 * vg.Millimeter, PadY: 8 * vg.Millimeter, PadTop: 4 * vg.Millimeter, PadBottom: 4 * vg.Millimeter, PadLeft: 4 * vg.Millimeter, PadRight: 8 * vg.Millimeter}
	plots := [][]*plot.Plot{{overTime}, {against}}
	for i, row := range plot.Align(plots, tiles, draw.New(paper)) {
		plots[i][0].Draw(row[0])
	}
	var svg bytes.Buffer
	if _, err := paper.WriteTo(&svg); err != nil {
		return err
	}
	// Where the font that the plot was laid out with isn't, one of the same widths is.
	_, err = out.Write(bytes.ReplaceAll(svg.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")))
	return err
}

// evenly takes at most n of them.
func evenly(all []simulation.Point, n int) []simulation.Point {
	if len(all) <= n {
		return all
	}
	some := make([]simulation.Point, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}

func waitsOverTime(points []simulation.Point) (*plot.Plot, error) {
	var until, longest float64
	for _, p := range points {
		until, longest = max(until, p.Joined.Seconds()), max(longest, p.Waited.Seconds(), float64(p.Wait.High.N), float64(p.Classic.N))
	}
	time, wait := unitOf(until), unitOf(longest)
	p := emptyPlot("Waits, and what was predicted as people joined", "joined after, in "+time.name, "wait, in "+wait.name, until/time.seconds, longest/wait.seconds)

	var actual, likely, classic, low, high plotter.XYs
	for _, point := range points {
		at := func(seconds float64) plotter.XY {
			return plotter.XY{X: point.Joined.Seconds() / time.seconds, Y: seconds / wait.seconds}
		}
		actual = append(actual, at(point.Waited.Seconds()))
		if point.Classic.Known {
			classic = append(classic, at(float64(point.Classic.N)))
		}
		if point.Wait.Likely.Known {
			likely = append(likely, at(float64(point.Wait.Likely.N)))
			low, high = append(low, at(float64(point.Wait.Low.N))), append(high, at(float64(point.Wait.High.N)))
		}
	}
	if len(low) > 0 {
		band := low
		for i := len(high) - 1; i >= 0; i-- {
			band = append(band, high[i])
		}
		area, err := plotter.NewPolygon(band)
		if err != nil {
			return nil, err
		}
		area.Color, area.LineStyle.Width = drawnRange, 0
		p.Add(area)
		p.Legend.Add("wait: low to high", area)
	}
	return p, scatter(p, dots{"eta_seconds (classic)", classic, drawnClassic}, dots{"wait: likely", likely, drawnWait}, dots{"actual", actual, drawnActual})
}

func predictedAgainstActual(points []simulation.Point) (*plot.Plot, error) {
	var longest float64
	for _, p := range points {
		longest = max(longest, p.Waited.Seconds(), float64(p.Wait.Likely.N), float64(p.Classic.N))
	}
	unit := unitOf(longest)
	p := emptyPlot("Predicted against actual", "actual wait, in "+unit.name, "predicted, in "+unit.name, longest/unit.seconds, longest/unit.seconds)
	var likely, classic plotter.XYs
	for _, point := range points {
		at := func(seconds int64) plotter.XY {
			return plotter.XY{X: point.Waited.Seconds() / unit.seconds, Y: float64(seconds) / unit.seconds}
		}
		if point.Classic.Known {
			classic = append(classic, at(point.Classic.N))
		}
		if point.Wait.Likely.Known {
			likely = append(likely, at(point.Wait.Likely.N))
		}
	}
	right, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: p.X.Max, Y: p.Y.Max}})
	if err != nil {
		return nil, err
	}
	right.LineStyle.Color = drawnActual
	p.Add(right)
	p.Legend.Add("predicted = actual", right)
	return p, scatter(p, dots{"eta_seconds (classic)", classic, drawnClassic}, dots{"wait: likely", likely, drawnWait})
}

// dots are what a picture shows of one kind.
type dots struct {
	name   string
	at     plotter.XYs
	colour color.Color
}

func scatter(p *plot.Plot, all ...dots) error {
	for _, d := range all {
		if len(d.at) == 0 {
			continue
		}
		s, err := plotter.NewScatter(d.at)
		if err != nil {
			return err
		}
		s.GlyphStyle = draw.GlyphStyle{Color: d.colour, Radius: vg.Points(1.6), Shape: draw.CircleGlyph{}}
		p.Add(s)
		p.Legend.Add(d.name, s)
	}
	return nil
}

// emptyPlot has axes from 0 on.
func emptyPlot(title, x, y string, maxX, maxY float64) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, max(maxX, 1), 0, max(maxY, 1)
	p.Title.Padding, p.Legend.Top, p.Legend.Left = 3*vg.Millimeter, true, true
	for _, f := range []*font.Font{&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font, &p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &p.Legend.TextStyle.Font} {
		f.Variant = "Sans"
	}
	p.Add(plotter.NewGrid())
	return p
}

// unit is what an axis counts in.
type unit struct {
	name    string
	seconds float64
}

// unitOf is one in which so many seconds are a number that people read easily.
func unitOf(seconds float64) unit {
	switch {
	case seconds > 3*86400:
		return unit{"days", 86400}
	case seconds > 3*3600:
		return unit{"hours", 3600}
	case seconds > 3*60:
		return unit{"minutes", 60}
	}
	return unit{"seconds", 1}
}
