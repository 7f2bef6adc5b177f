package main

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// least is where the scale begins, in ms: a logarithm has no place for 0.
const least = 0.1

// nines are the shares that are drawn, each with as much room as the one before: the rare and slow is what one wants to see.
var nines = []float64{0, 0.5, 0.9, 0.99, 0.999, 0.9999}

// draw draws the latencies into a file: for each kind, how long the fastest share of them took at most.
func (l *latencies) draw(file string) error {
	p := plot.New()
	p.Title.Text = "Latencies"
	p.X.Label.Text = "share that took no longer"
	p.Y.Label.Text = "ms"
	p.Y.Scale = plot.LogScale{}
	p.Y.Tick.Marker = plot.LogTicks{Prec: -1}
	var marks []plot.Tick
	for _, share := range nines {
		marks = append(marks, plot.Tick{Value: ninesOf(share), Label: fmt.Sprintf("%g %%", math.Round(share*1e6)/1e4)})
	}
	p.X.Tick.Marker = plot.ConstantTicks(marks)
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	drawn := 0
	for _, what := range latencyWords {
		all := l.sorted(what.name)
		if len(all) == 0 {
			continue
		}
		line, err := plotter.NewLine(curve(all))
		if err != nil {
			return fmt.Errorf("the picture of %s: %w", what.name, err)
		}
		line.Color, line.Dashes, line.Width = plotutil.Color(drawn), plotutil.Dashes(drawn/7), vg.Points(1.5)
		p.Add(line)
		p.Legend.Add(what.name, line)
		drawn++
	}
	p.X.Min, p.X.Max = 0, max(1, p.X.Max)+1 // room for the legend
	p.Y.Min, p.Y.Max = least, max(10*least, p.Y.Max)
	canvas := vgsvg.New(9*vg.Inch, 6*vg.Inch)
	p.Draw(draw.New(canvas))
	picture, err := openPicture(file)
	if err != nil {
		return fmt.Errorf("the picture: %w", err)
	}
	defer picture.Cleanup()
	if _, err := canvas.WriteTo(picture); err != nil {
		return fmt.Errorf("the picture: %w", err)
	}
	if err := picture.CloseAtomicallyReplace(); err != nil {
		return fmt.Errorf("the picture: %w", err)
	}
	return nil
}

// curve is the sorted latencies over the share that each of them is not exceeded by.
func curve(sorted []time.Duration) plotter.XYs {
	const points = 200
	end := ninesOf(1 - 1/float64(len(sorted)+1))
	line := make(plotter.XYs, points+1)
	for i := range line {
		x := end * float64(i) / points
		line[i].X = x
		line[i].Y = max(least, float64(quantile(sorted, 1-math.Pow(10, -x)))/float64(time.Millisecond))
	}
	return line
}

// ninesOf is how many nines a share has.
func ninesOf(share float64) float64 { return -math.Log10(1 - share) }
