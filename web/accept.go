package web

import (
	"strconv"
	"strings"
)

// The media types of answers.
const (
	typeJSON   = "application/json"
	typeEvents = "text/event-stream"
	typeCSV    = "text/csv"
	typeText   = "text/plain"

	typeProblem = "application/problem+json"
)

// negotiate is the offer that an Accept header likes best, the first of equals. Who likes none gets the first: an answer in another form
// helps more than none.
func negotiate(accept string, offers ...string) string {
	best, bestWeight := offers[0], 0.0
	for _, offer := range offers {
		if weight := acceptWeight(accept, offer); weight > bestWeight {
			best, bestWeight = offer, weight
		}
	}
	return best
}

// acceptWeight is the weight of the range that names the offer most closely.
func acceptWeight(accept, offer string) float64 {
	kind, _, _ := strings.Cut(offer, "/")
	weight, closeness := 0.0, 0
	for part := range strings.SplitSeq(accept, ",") {
		media, parameters, _ := strings.Cut(part, ";")
		near := 0
		switch strings.ToLower(strings.TrimSpace(media)) {
		case offer:
			near = 3
		case kind + "/*":
			near = 2
		case "*/*":
			near = 1
		}
		if near > closeness {
			weight, closeness = qualityOf(parameters), near
		}
	}
	return weight
}

func qualityOf(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				return 0
			}
			return q
		}
	}
	return 1
}
