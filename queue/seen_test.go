package queue

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSeenListAgainstASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s seenList
		var plain []*ticket
		for range rapid.IntRange(1, 60).Draw(t, "operations") {
			switch op := rapid.SampledFrom([]string{"push", "push", "remove", "refresh"}).Draw(t, "op"); {
			case op == "push":
				x := &ticket{}
				s.push(x)
				plain = append(plain, x)
			case len(plain) > 0:
				i := rapid.IntRange(0, len(plain)-1).Draw(t, "which")
				x := plain[i]
				plain = slices.Delete(plain, i, i+1)
				if op == "remove" {
					s.remove(x)
				} else {
					s.refresh(x)
					plain = append(plain, x)
				}
			}
			var forward, backward []*ticket
			for x := s.oldest(); x != nil; x = x.next {
				forward = append(forward, x)
			}
			for x := s.last; x != nil; x = x.prev {
				backward = append(backward, x)
			}
			slices.Reverse(backward)
			if !slices.Equal(forward, plain) || !slices.Equal(backward, plain) {
				t.Fatalf("forward %v, backward %v, want %v", forward, backward, plain)
			}
		}
	})
}
