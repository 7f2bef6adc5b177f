package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// crookedServer is a small Confluence, of the API alone, that breaks one promise. It serves one at a time unless that is its crime.
type crookedServer struct {
	crime string

	mu       sync.Mutex
	sessions int64
	revision int64
	line     []*crookedTicket // those that wait or are called
	tickets  map[string]*crookedTicket
	runs     map[string]*crookedTicket
	running  int
	told     int
}

type crookedTicket struct {
	number  int64
	called  bool
	run     string
	started time.Time
	ended   time.Time
}

const crookedRun = 40 * time.Millisecond

func (s *crookedServer) handler() http.Handler {
	api := http.NewServeMux()
	api.HandleFunc("POST /api/v1/session", s.session)
	api.HandleFunc("GET /api/v1/queue", s.picture)
	api.HandleFunc("POST /api/v1/queue/join", s.join)
	api.HandleFunc("GET /api/v1/queue/status", s.status)
	api.HandleFunc("DELETE /api/v1/queue/ticket", s.leave)
	api.HandleFunc("POST /api/v1/query", s.query)
	api.HandleFunc("GET /api/v1/runs/{id}", s.noted)
	return api
}

func (s *crookedServer) session(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions++
	fmt.Fprintf(w, `{"token":"s%d"}`, s.sessions)
}

func who(r *http.Request) string { return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") }

func (s *crookedServer) picture(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := publicPicture{Slots: 1, Length: len(s.line), Revision: s.revision, Next: []int64{7, 8, 9}}
	switch s.crime {
	case "serves two":
		p.Serving, p.Called = []int64{1}, []int64{2}
	case "the next are not in order":
		p.Next = []int64{8, 7, 9}
	}
	_ = json.NewEncoder(w).Encode(p)
}

func (s *crookedServer) join(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tickets[who(r)]
	if t == nil {
		t = &crookedTicket{number: int64(len(s.tickets) + 1)}
		s.tickets[who(r)] = t
		s.line = append(s.line, t)
		s.promote()
	}
	_ = json.NewEncoder(w).Encode(s.view(t))
}

// promote calls who is next, once there are some to choose from.
func (s *crookedServer) promote() {
	s.revision++
	if s.crime == "revisions fall" {
		s.revision -= 2
	}
	if len(s.line) == 0 || s.running > 0 && s.crime != "runs overlap" || len(s.tickets) < 4 && s.crime != "runs overlap" {
		return
	}
	next := s.line[0]
	switch s.crime {
	case "the last is first":
		next = s.line[len(s.line)-1]
	case "runs overlap":
		next = s.line[len(s.line)-1]
	}
	if !slices.ContainsFunc(s.line, func(t *crookedTicket) bool { return t.called }) || s.crime == "runs overlap" {
		next.called = true
	}
}

func (s *crookedServer) view(t *crookedTicket) askView {
	v := askView{
		TicketID: fmt.Sprint("q_", t.number), Status: "queued", Number: t.number, Position: slices.Index(s.line, t) + 1,
		Revision: s.revision, Runner: "running", Heartbeat: 10, PollAfter: 1, Window: 60,
	}
	s.told++
	switch s.crime {
	case "positions rise":
		v.Position += s.told
	case "all are first":
		v.Position = 1
	}
	v.Ahead = max(0, v.Position-1)
	if t.called {
		v.Status = "ready"
	}
	return v
}

func refuseWith(w http.ResponseWriter, status int, code, reason string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(askRefusal{Code: code, Reason: reason})
}

// status is told at once, or each time that it differs.
func (s *crookedServer) status(w http.ResponseWriter, r *http.Request) {
	streams := r.Header.Get("Accept") == "text/event-stream"
	if streams {
		w.WriteHeader(http.StatusOK)
	}
	for last := ""; r.Context().Err() == nil; {
		s.mu.Lock()
		t := s.tickets[who(r)]
		if s.crime == "a ticket is forgotten" && !streams {
			s.line = slices.DeleteFunc(s.line, func(x *crookedTicket) bool { return x == t })
			s.promote()
			s.mu.Unlock()
			refuseWith(w, http.StatusNotFound, "ticket_not_found", "none")
			return
		}
		now, _ := json.Marshal(s.view(t))
		s.mu.Unlock()
		if !streams {
			_, _ = w.Write(now)
			return
		}
		if string(now) != last {
			fmt.Fprintf(w, "event: standing\ndata: %s\n\n", now)
			http.NewResponseController(w).Flush()
			last = string(now)
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-r.Context().Done():
		}
	}
}

func (s *crookedServer) leave(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tickets[who(r)]
	s.line = slices.DeleteFunc(s.line, func(x *crookedTicket) bool { return x == t })
	s.promote()
	w.WriteHeader(http.StatusNoContent)
}

func (s *crookedServer) query(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	t := s.tickets[who(r)]
	if t.run == "" || s.crime == "runs twice" {
		t.run = fmt.Sprintf("r_%d_%d", t.number, len(s.runs))
		s.runs[t.run] = t
		s.line = slices.DeleteFunc(s.line, func(x *crookedTicket) bool { return x == t })
		s.running++
		s.revision++
		t.started = time.Now()
	}
	id := t.run
	s.mu.Unlock()
	fmt.Fprintf(w, "event: accepted\ndata: {\"run_id\":%q}\n\n", id)
	http.NewResponseController(w).Flush()
	time.Sleep(time.Until(t.started.Add(crookedRun))) // the run
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.ended.IsZero() || s.crime == "runs twice" {
		t.ended = time.Now()
		s.running--
		s.promote()
	}
	end, _ := json.Marshal(askEnd{Outcome: "succeeded", Seconds: t.ended.Sub(t.started).Seconds()})
	fmt.Fprintf(w, "event: end\ndata: %s\n\n", end)
}

func (s *crookedServer) noted(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.runs[r.PathValue("id")]
	_ = json.NewEncoder(w).Encode(map[string]any{"number": t.number, "started_at": t.started, "ended_at": t.ended})
}

// TestLoadtestCatchesACrookedServer: each broken promise is found out, with exit code 1 and the evidence; an honest server passes.
func TestLoadtestCatchesACrookedServer(t *testing.T) {
	for crime, breaks := range map[string]string{
		"":                          "",
		"runs overlap":              promiseOverlap,
		"serves two":                promiseOverlap,
		"the last is first":         promiseOrder,
		"the next are not in order": promiseOrder,
		"positions rise":            promiseRise,
		"all are first":             promisePlace,
		"a ticket is forgotten":     promiseLost,
		"runs twice":                promiseTwice,
		"revisions fall":            promiseRevision,
	} {
		t.Run(crime, func(t *testing.T) {
			t.Parallel()
			crooked := &crookedServer{crime: crime, tickets: map[string]*crookedTicket{}, runs: map[string]*crookedTicket{}}
			server := httptest.NewServer(crooked.handler())
			defer server.Close()
			var out, errs strings.Builder
			code := runLoadtest(loadtestCommand{
				Server: server.URL, Clients: 8, Arrival: 50 * time.Millisecond, Duration: 20 * time.Second, Query: "SELECT 1", Seed: 1, Sources: 1,
			}, &out, &errs)
			_, evidence, broken := strings.Cut(out.String(), "\nBROKEN\n")
			switch {
			case breaks == "" && (code != exitDone || broken || !strings.Contains(out.String(), "Every promise held.")):
				t.Errorf("an honest server is accused, exit code %d:\n%s%s", code, &out, &errs)
			case breaks != "" && (code != exitFailed || !strings.Contains(evidence, breaks+": ")):
				t.Errorf("that %q is broken is not found out, exit code %d:\n%s%s", breaks, code, &out, &errs)
			}
		})
	}
}
