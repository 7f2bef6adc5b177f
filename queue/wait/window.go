package wait

import "slices"

// window is the last so many of some numbers, in order of coming and in order of size.
type window struct {
	last   []float64 // oldest first
	sorted []float64
	most   int
}

func (w *window) add(x float64) {
	if len(w.last) == w.most {
		i, _ := slices.BinarySearch(w.sorted, w.last[0])
		w.sorted = slices.Delete(w.sorted, i, i+1)
		w.last = slices.Delete(w.last, 0, 1)
	}
	w.last = append(w.last, x)
	i, _ := slices.BinarySearch(w.sorted, x)
	w.sorted = slices.Insert(w.sorted, i, x)
}

func (w *window) n() int { return len(w.last) }

func (w *window) clear() { w.last, w.sorted = w.last[:0], w.sorted[:0] }

// quantile interpolates linearly between the order statistics (Hyndman and Fan 1996, type 7).
func (w *window) quantile(q float64) float64 {
	at := q * float64(len(w.sorted)-1)
	i := int(at)
	if i+1 >= len(w.sorted) {
		return w.sorted[len(w.sorted)-1]
	}
	return w.sorted[i] + (at-float64(i))*(w.sorted[i+1]-w.sorted[i])
}
