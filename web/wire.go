package web

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"confluence/queue"
)

// The JSON of what is pushed to many is appended by hand: a push to thousands must not allocate for each.

// appendView appends the JSON of a standing, as GET /api/v1/queue/status answers it.
func appendView(b []byte, v queue.View) []byte {
	b = append(b, '{')
	b = appendViewFields(b, v)
	return append(b, '}')
}

// appendViewMessage appends a standing as a socket sends it.
func appendViewMessage(b []byte, v queue.View) []byte {
	b = append(b, `{"type":"standing",`...)
	b = appendViewFields(b, v)
	return append(b, '}')
}

func appendViewFields(b []byte, v queue.View) []byte {
	b = appendString(append(b, `"ticket_id":`...), v.TicketID)
	b = appendString(append(b, `,"status":`...), string(v.Status))
	b = strconv.AppendInt(append(b, `,"position":`...), int64(v.Position), 10)
	b = strconv.AppendInt(append(b, `,"ahead":`...), int64(v.Ahead), 10)
	b = appendSeconds(append(b, `,"eta_seconds":`...), v.ETA)
	b = appendSeconds(append(b, `,"reservation_expires_in_seconds":`...), v.ReservationIn)
	b = appendString(append(b, `,"runner":`...), string(v.Runner))
	b = strconv.AppendInt(append(b, `,"number":`...), v.Number, 10)
	b = appendWait(append(b, `,"wait":`...), v.Wait)
	b = appendDuration(append(b, `,"heartbeat_within_seconds":`...), v.HeartbeatEvery)
	b = strconv.AppendInt(append(b, `,"poll_after_seconds":`...), PollAfter(v.HeartbeatEvery, v.ClaimWithin), 10)
	b = strconv.AppendInt(append(b, `,"revision":`...), v.Revision, 10)
	b = appendOptional(append(b, `,"run_id":`...), v.RunID)
	b = strconv.AppendBool(append(b, `,"paused":`...), v.Paused)
	b = appendOptional(append(b, `,"notice":`...), v.Notice)
	b = strconv.AppendInt(append(b, `,"joined_position":`...), int64(v.JoinedAt), 10)
	b = strconv.AppendBool(append(b, `,"query_kept":`...), v.Kept.Query != "")
	b = strconv.AppendBool(append(b, `,"auto_start":`...), v.Kept.AutoStart)
	return appendRunTimes(b, v.RunElapsed, v.UsualLow, v.UsualHigh)
}

// appendPicture appends the JSON of the public picture.
func appendPicture(b []byte, p queue.Picture) []byte {
	b = append(b, '{')
	b = appendPictureFields(b, p)
	return append(b, '}')
}

// appendPictureMessage appends the public picture as the kiosk's socket sends it, with the build that the screen should be of.
func appendPictureMessage(b []byte, p queue.Picture, build string) []byte {
	b = append(b, `{"type":"queue",`...)
	b = appendPictureFields(b, p)
	b = appendString(append(b, `,"build":`...), build)
	return append(b, '}')
}

func appendPictureFields(b []byte, p queue.Picture) []byte {
	b = strconv.AppendInt(append(b, `"slots":`...), int64(p.Slots), 10)
	b = appendString(append(b, `,"runner":`...), string(p.Runner))
	b = strconv.AppendInt(append(b, `,"length":`...), int64(p.Length), 10)
	b = appendNumbers(append(b, `,"serving":`...), p.Serving)
	b = appendNumbers(append(b, `,"called":`...), p.Called)
	b = appendNumbers(append(b, `,"next":`...), p.Next)
	b = appendWait(append(b, `,"wait":`...), p.Wait)
	b = strconv.AppendBool(append(b, `,"paused":`...), p.Paused)
	b = appendOptional(append(b, `,"notice":`...), p.Notice)
	b = strconv.AppendInt(append(b, `,"revision":`...), p.Revision, 10)
	b = strconv.AppendBool(append(b, `,"free":`...), p.Free)
	b = strconv.AppendBool(append(b, `,"full":`...), p.Full)
	b = appendRunTimes(b, p.RunElapsed, p.UsualLow, p.UsualHigh)
	return appendEstimate(append(b, `,"estimate":`...), p.Estimate)
}

func appendEstimate(b []byte, e queue.Estimate) []byte {
	if e.Predictions == 0 {
		return append(b, "null"...)
	}
	b = strconv.AppendFloat(append(b, `{"coverage":`...), e.Coverage, 'f', 3, 64)
	b = strconv.AppendFloat(append(b, `,"mean_error_seconds":`...), e.MeanError, 'f', 1, 64)
	b = append(b, `,"classic_mean_error_seconds":`...)
	if e.ClassicKnown {
		b = strconv.AppendFloat(b, e.ClassicError, 'f', 1, 64)
	} else {
		b = append(b, "null"...)
	}
	b = strconv.AppendInt(append(b, `,"predictions":`...), int64(e.Predictions), 10)
	b = strconv.AppendInt(append(b, `,"hours":`...), int64(e.Hours), 10)
	return append(b, '}')
}

// endedMessage is the last message about a ticket: its kind, and the reason in full beside it.
func endedMessage(kind string, e queue.Ended) []byte {
	b := appendString(append(make([]byte, 0, 160), `{"type":`...), kind)
	b = appendString(append(b, `,"reason":`...), string(e.Reason))
	b = appendOptional(append(b, `,"ticket_id":`...), e.TicketID)
	b = strconv.AppendInt(append(b, `,"number":`...), e.Number, 10)
	b = appendOptional(append(b, `,"run_id":`...), e.RunID)
	b = appendOptional(append(b, `,"outcome":`...), string(e.Outcome))
	return append(b, '}')
}

// endedType is the event that tells of a ticket's end.
func endedType(r queue.Reason) string {
	switch r {
	case queue.ReasonLeft:
		return "left"
	case queue.ReasonFinished:
		return "finished"
	case queue.ReasonHeartbeatLost:
		return "lost"
	default:
		return "lapsed"
	}
}

// PollAfter is how many seconds a client that polls is told to wait, at least 1: a third of the heartbeat, so that it keeps its place, and half
// of the reservation at most, so that it hears of its turn while it can claim it. It can hold what is told if neither is below 2 s.
func PollAfter(heartbeat, reservation time.Duration) int64 {
	return max(1, int64(min(heartbeat/3, reservation/2)/time.Second))
}

func appendRunTimes(b []byte, elapsed time.Duration, low, high queue.Seconds) []byte {
	b = strconv.AppendInt(append(b, `,"run_elapsed_seconds":`...), int64(elapsed/time.Second), 10)
	b = appendSeconds(append(b, `,"usual_low_seconds":`...), low)
	return appendSeconds(append(b, `,"usual_high_seconds":`...), high)
}

func appendWait(b []byte, w queue.Wait) []byte {
	b = appendSeconds(append(b, `{"low_seconds":`...), w.Low)
	b = appendSeconds(append(b, `,"likely_seconds":`...), w.Likely)
	b = appendSeconds(append(b, `,"high_seconds":`...), w.High)
	b = appendString(append(b, `,"basis":`...), string(w.Basis))
	return append(b, '}')
}

func appendSeconds(b []byte, s queue.Seconds) []byte {
	if !s.Known {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, s.N, 10)
}

// appendDuration appends seconds, with a fraction only where there is one.
func appendDuration(b []byte, d time.Duration) []byte {
	return strconv.AppendFloat(b, math.Round(d.Seconds()*1000)/1000, 'f', -1, 64)
}

func appendNumbers(b []byte, numbers []int64) []byte {
	b = append(b, '[')
	for i, n := range numbers {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return append(b, ']')
}

// appendOptional appends a string, or null for an empty one.
func appendOptional(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return appendString(b, s)
}

// appendString appends s as a JSON string. What isn't UTF-8 becomes U+FFFD.
func appendString(b []byte, s string) []byte {
	return append(appendEscaped(append(b, '"'), s), '"')
}

// appendEscaped appends what stands between the quotes of a JSON string.
func appendEscaped(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		b = append(b, s[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			if c < ' ' {
				b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			} else {
				b = append(b, `\ufffd`...)
			}
		}
		i++
		from = i
	}
	return append(b, s[from:]...)
}
