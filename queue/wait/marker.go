package wait

import "time"

// marker stands for a place in the line, whoever has it.
type marker struct {
	distance int // at which it began
	ahead    int // places before it
	at       time.Duration
	by       [means]float64 // predicted by each running mean, in seconds
	middle   float64        // and by their mixture
	told     Prediction
	joiner   bool // somebody was told so as they joined
	rivalled bool
	rival    float64 // told by another method
}

const (
	markersMost    = 8 // at each distance, standing at once
	markersALength = 2 // begun while the line moves by the distance
)

// markers are those that stand.
type markers struct {
	standing []marker
	count    [distances]int
	begun    [distances]float64 // allowance to begin: a share of a marker is earned with each call
	turn     int
}

// earn lets more markers begin, as the line has moved by one.
func (m *markers) earn() {
	for d := range m.begun {
		m.begun[d] = min(m.begun[d]+markersALength/float64(max(1, nearest(d))), markersALength)
	}
}

// may says whether a marker may begin at that distance, and counts it.
func (m *markers) may(d int) bool {
	if m.count[d] == markersMost || m.begun[d] < 1 {
		return false
	}
	m.begun[d]--
	m.count[d]++
	return true
}

// moved is told that somebody with so many ahead has gone out of the line.
func (m *markers) moved(ahead int) {
	for i := range m.standing {
		if m.standing[i].ahead > ahead {
			m.standing[i].ahead--
		}
	}
}

// called is told that the first place is called, and calls fn with the markers that stand there.
func (m *markers) called(fn func(*marker)) {
	keep := m.standing[:0]
	for i := range m.standing {
		s := &m.standing[i]
		if s.ahead == 0 {
			m.count[s.distance]--
			fn(s)
			continue
		}
		s.ahead--
		keep = append(keep, *s)
	}
	m.standing = keep
}

// void takes all markers away.
func (m *markers) void() {
	m.standing = m.standing[:0]
	m.count = [distances]int{}
}
