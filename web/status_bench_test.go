package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// answer is a ResponseWriter that keeps nothing, and is used again.
type answer struct {
	header http.Header
	status int
	size   int
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(b []byte) (int, error) { a.size += len(b); return len(b), nil }

// statusCall is a call of a session that waits, again and again.
func statusCall(tb testing.TB, s *Server) (call func()) {
	tb.Helper()
	joined := httptest.NewRecorder()
	s.Handler().ServeHTTP(joined, httptest.NewRequest(http.MethodPost, "/api/v1/queue/join", nil))
	if joined.Code != http.StatusOK {
		tb.Fatalf("join: %d %s", joined.Code, joined.Body)
	}
	cookie := joined.Result().Cookies()[0]
	r := httptest.NewRequest(http.MethodGet, "/api/v1/queue/status", nil)
	r.Header.Set("Cookie", cookie.Name+"="+cookie.Value)
	r.Header.Set("Accept", "application/json")
	w := &answer{header: http.Header{}}
	return func() {
		clear(w.header)
		s.Handler().ServeHTTP(w, r)
		if w.status != http.StatusOK {
			tb.Fatalf("status: %d", w.status)
		}
	}
}

// leastAllocations of a call: the race detector makes pools forget at random what they hold, which no call is to blame for.
func leastAllocations(call func()) float64 {
	least := testing.AllocsPerRun(10, call)
	for range 50 {
		least = min(least, testing.AllocsPerRun(10, call))
	}
	return least
}

// TestStatusAllocatesLittle: what a poll costs the collector, beside what net/http itself needs.
func TestStatusAllocatesLittle(t *testing.T) {
	s := attacked(t)
	call := statusCall(t, s)
	if n := leastAllocations(call); n > 5 {
		t.Errorf("%v allocations with a cookie that was seen before, want 5 at most", n)
	}
	if n := leastAllocations(func() {
		clear(s.sessions.known.present)
		call()
	}); n > 30 {
		t.Errorf("%v allocations with a new cookie, want 30 at most", n)
	}
}

func BenchmarkStatus(b *testing.B) {
	s := attacked(b)
	call := statusCall(b, s)
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
}
