package queue

// seenList holds the queued tickets by when they were last seen. Since all have the same heartbeat time, the first to go stale is the first
// of the list, and a heartbeat moves its ticket to the end.
type seenList struct {
	first, last *ticket
}

func (s *seenList) oldest() *ticket { return s.first }

func (s *seenList) push(t *ticket) {
	t.prev, t.next = s.last, nil
	if s.last == nil {
		s.first = t
	} else {
		s.last.next = t
	}
	s.last = t
}

func (s *seenList) remove(t *ticket) {
	if t.prev == nil {
		s.first = t.next
	} else {
		t.prev.next = t.next
	}
	if t.next == nil {
		s.last = t.prev
	} else {
		t.next.prev = t.prev
	}
	t.prev, t.next = nil, nil
}

func (s *seenList) refresh(t *ticket) {
	if s.last != t {
		s.remove(t)
		s.push(t)
	}
}
