package web

import (
	"fmt"
	"hash/fnv"
	"strings"

	"confluence/queue"
)

// viewTag is the ETag of a standing. It is weak: the seconds in the view go on while the tag stands.
func viewTag(v queue.View) string {
	return weakTag(v.TicketID, v.Status, v.Position, v.Runner, v.Paused, v.Notice)
}

// pictureTag is the ETag of the public picture, weak for the same reason.
func pictureTag(p queue.Picture) string {
	return weakTag(p.Revision, p.Runner, p.Length, p.Paused, p.Notice)
}

func weakTag(parts ...any) string {
	hash := fnv.New64a()
	for _, part := range parts {
		fmt.Fprintf(hash, "%v\x00", part)
	}
	return fmt.Sprintf(`W/"%016x"`, hash.Sum64())
}

// tagMatches tells whether an If-None-Match header names the tag.
func tagMatches(header, tag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}
