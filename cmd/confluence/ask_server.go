package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	askSilence   = 45 * time.Second // a stream that says nothing for so long is dead: a comment comes every 15 s
	askAnswer    = 60 * time.Second // how long a short call may take
	askPatience  = 5 * time.Minute  // how long a lost server is looked for
	askPauseFrom = 500 * time.Millisecond
	askPauseTo   = 8 * time.Second
)

// askAddress is the root of the API of a server, with a slash at the end.
func askAddress(server string) (string, error) {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", errors.New("it must be an address such as http://127.0.0.1:8080")
	}
	return strings.TrimSuffix(server, "/") + "/api/v1/", nil
}

// askServer is the server that is asked, in one session.
type askServer struct {
	base   string
	token  string // of the session, or
	cookie string
	http   *http.Client
}

func newAskServer(base string) *askServer {
	return &askServer{base: base, http: &http.Client{}}
}

// open begins a session.
func (s *askServer) open(ctx context.Context) error {
	var session struct {
		Token string `json:"token"`
	}
	if err := s.call(ctx, http.MethodPost, "session", nil, &session); err != nil {
		return fmt.Errorf("%s can't be asked: %w", strings.TrimSuffix(s.base, "/api/v1/"), err)
	}
	s.token = session.Token
	return nil
}

// askView is where the asker stands.
type askView struct {
	TicketID  string  `json:"ticket_id"`
	Status    string  `json:"status"`
	Position  int     `json:"position"`
	Ahead     int     `json:"ahead"`
	Number    int64   `json:"number"`
	Revision  int64   `json:"revision"`
	RunID     string  `json:"run_id"`
	Runner    string  `json:"runner"`
	Paused    bool    `json:"paused"`
	Notice    string  `json:"notice"`
	Window    int     `json:"reservation_expires_in_seconds"`
	Heartbeat float64 `json:"heartbeat_within_seconds"`
	PollAfter int     `json:"poll_after_seconds"`
	Wait      struct {
		Low    *int64 `json:"low_seconds"`
		Likely *int64 `json:"likely_seconds"`
		High   *int64 `json:"high_seconds"`
	} `json:"wait"`
}

// askEnd is how a run ended.
type askEnd struct {
	Outcome      string  `json:"outcome"`
	Code         string  `json:"code"`
	Detail       string  `json:"detail"`
	Truncated    bool    `json:"truncated"`
	Seconds      float64 `json:"duration_seconds"`
	TruncatedWhy string  `json:"truncated_reason"`
}

// askRefusal is a problem document.
type askRefusal struct {
	Code     string   `json:"code"`
	Title    string   `json:"title"`
	Detail   string   `json:"detail"`
	Reason   string   `json:"reason"`
	RunID    string   `json:"run_id"`
	After    int      `json:"retry_after_seconds"`
	Standing *askView `json:"standing"`
}

func (r *askRefusal) Error() string { return r.Title + ". " + r.Detail }

func askRefusalOf(err error) *askRefusal {
	refused, _ := errors.AsType[*askRefusal](err)
	return refused
}

// passes tells of a refusal that waiting helps against: it is not about the ticket.
func (r *askRefusal) passes() bool {
	switch r.Code {
	case "rate_limited", "restarting", "run_in_progress":
		return true
	case "runner_unavailable":
		return r.RunID == "" // else the turn was used
	}
	return false
}

// lost is what became of the ticket, if the refusal is about that.
func (r *askRefusal) lost() error {
	switch {
	case r == nil:
		return nil
	case r.Code == "reservation_expired" || r.Reason == "reservation_expired":
		return &askLost{kind: "lapsed"}
	case r.Reason == "heartbeat_lost":
		return &askLost{kind: "lost"}
	case r.Code == "ticket_not_found":
		return &askLost{kind: r.Reason}
	}
	return nil
}

// askLost is a ticket that ended while it was followed.
type askLost struct{ kind string }

func (e *askLost) Error() string {
	switch e.kind {
	case "left":
		return "the ticket was given back somewhere else"
	case "lapsed":
		return "it was your turn, and the time to begin ran out"
	case "lost":
		return "nothing was heard from here for too long, and the place went to the next"
	default:
		return "the ticket has ended: " + e.kind
	}
}

// errAskCut is a stream that ended before its end.
var errAskCut = errors.New("the connection broke")

// call makes a short call; into may be nil. A refusal is a *askRefusal.
func (s *askServer) call(ctx context.Context, method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, askAnswer)
	defer cancel()
	answer, err := s.send(ctx, method, path, body, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if into == nil {
		return nil
	}
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
		return fmt.Errorf("%w: %w", errAskCut, err)
	}
	return nil
}

// copy copies a JSON answer, whole or not at all: what was cut can be asked for again.
func (s *askServer) copy(ctx context.Context, path string, out io.Writer) error {
	answer, err := s.send(ctx, http.MethodGet, path, nil, http.Header{"Accept": {"application/json"}})
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return fmt.Errorf("%w: %w", errAskCut, err)
	}
	_, err = out.Write(text)
	return err
}

func (s *askServer) send(ctx context.Context, method, path string, body any, header http.Header) (*http.Response, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, s.base+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if header != nil {
		r.Header = header
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	if s.cookie != "" {
		r.Header.Set("Cookie", s.cookie)
	}
	answer, err := s.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errAskCut, err)
	}
	if answer.StatusCode < http.StatusBadRequest {
		return answer, nil
	}
	defer answer.Body.Close()
	refused := &askRefusal{}
	text, _ = io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if json.Unmarshal(text, refused) != nil || refused.Code == "" {
		if answer.StatusCode >= http.StatusInternalServerError { // a proxy before the server, which is away
			return nil, fmt.Errorf("%w: %s", errAskCut, answer.Status)
		}
		return nil, fmt.Errorf("%s answers %s: it is no Confluence", s.base+path, answer.Status)
	}
	return nil, refused
}

// askEvent is one event of a stream.
type askEvent struct{ name, id, data string }

func (ev askEvent) into(target any) error {
	if err := json.Unmarshal([]byte(ev.data), target); err != nil {
		return fmt.Errorf("the event %q of the server: %w", ev.name, err)
	}
	return nil
}

// follow hands over the events of a stream until take wants no more. A stream that breaks or falls silent before is errAskCut.
func (s *askServer) follow(ctx context.Context, method, path string, body any, header http.Header, take func(askEvent) (more bool, err error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(askSilence, func() { cancel(errAskCut) })
	defer silence.Stop()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Accept", "text/event-stream")
	answer, err := s.send(ctx, method, path, body, header)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	lines := bufio.NewReader(answer.Body)
	var ev askEvent
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return fmt.Errorf("%w: %w", errAskCut, err)
		}
		silence.Reset(askSilence)
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "event":
			ev.name = value
		case "id":
			ev.id = value
		case "data":
			ev.data = value
		case "":
			if ev.data == "" {
				continue // a comment, and the empty line behind it
			}
			more, err := take(ev)
			if err != nil || !more {
				return err
			}
			ev = askEvent{}
		}
	}
}

// patiently repeats what fails for a reason that passes, at growing intervals, until there has been trouble for five minutes. Of each try
// that failed say is told.
func patiently(ctx context.Context, say func(*askRefusal), try func() error) error {
	pause, trouble := askPauseFrom, time.Time{}
	for {
		began := time.Now()
		err := try()
		refused := askRefusalOf(err)
		if err == nil || ctx.Err() != nil || refused != nil && !refused.passes() || refused == nil && !errors.Is(err, errAskCut) {
			return err
		}
		if trouble.IsZero() || time.Since(began) > askPauseTo { // it went well for a while
			pause, trouble = askPauseFrom, time.Now()
		}
		if time.Since(trouble) > askPatience {
			return err
		}
		wait := pause/2 + rand.N(pause/2)
		if refused != nil && refused.After > 0 {
			wait = time.Duration(refused.After) * time.Second
		}
		pause = min(2*pause, askPauseTo)
		say(refused)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (a *asker) patiently(ctx context.Context, try func() error) error {
	return patiently(ctx, func(refused *askRefusal) { a.progress.say(askTrouble(refused) + " Trying again.") }, try)
}

// askTrouble is what a person is told of a try that failed.
func askTrouble(refused *askRefusal) string {
	if refused == nil {
		return "No connection."
	}
	return refused.Title + "."
}
