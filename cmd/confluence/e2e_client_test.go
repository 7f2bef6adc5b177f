package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
)

// client is one visitor over HTTP: a session with its cookie.
type client struct {
	base string // with a slash at the end
	http *http.Client
}

func newClient(base string, transport http.RoundTripper) *client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // never, without options
	}
	return &client{base: base, http: &http.Client{Jar: jar, Transport: transport}}
}

// standing is what a visitor is told of the own ticket.
type standing struct {
	TicketID string  `json:"ticket_id"`
	Status   string  `json:"status"`
	Position int     `json:"position"`
	Ahead    int     `json:"ahead"`
	Number   int64   `json:"number"`
	Revision int64   `json:"revision"`
	RunID    *string `json:"run_id"`
}

// picture is what everybody may see.
type picture struct {
	Runner  string  `json:"runner"`
	Length  int     `json:"length"`
	Serving []int64 `json:"serving"`
	Called  []int64 `json:"called"`
	Paused  bool    `json:"paused"`
	Notice  string  `json:"notice"`
}

// result is an answer as a table.
type result struct {
	RunID   string  `json:"run_id"`
	Outcome string  `json:"outcome"`
	Columns []any   `json:"columns"`
	Rows    [][]any `json:"rows"`
	Text    string  `json:"text"`
}

// problem is a refusal.
type problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Reason string `json:"reason"`
}

func (p *problem) Error() string { return fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Detail) }

// call makes a request and decodes a JSON answer into the given value; a refusal is a *problem.
func (c *client) call(ctx context.Context, method, path string, body, into any, header ...string) error {
	answer, err := c.open(ctx, method, path, body, header...)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if into == nil || answer.StatusCode == http.StatusNotModified {
		_, err = io.Copy(io.Discard, answer.Body)
		return err
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

// open makes a request and hands the answer over; a refusal is a *problem. Headers come in pairs.
func (c *client) open(ctx context.Context, method, path string, body any, header ...string) (*http.Response, error) {
	var text io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		text = strings.NewReader(string(encoded))
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, text)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode < http.StatusBadRequest {
		return answer, nil
	}
	defer answer.Body.Close()
	refused := &problem{}
	if err := json.NewDecoder(answer.Body).Decode(refused); err != nil {
		return nil, fmt.Errorf("%s %s: %s: not a problem document: %w", method, path, answer.Status, err)
	}
	return nil, refused
}

func (c *client) join(ctx context.Context, query string) (s standing, err error) {
	var body any
	if query != "" {
		body = map[string]string{"query": query}
	}
	err = c.call(ctx, http.MethodPost, "api/v1/queue/join", body, &s)
	return s, err
}

func (c *client) status(ctx context.Context) (s standing, err error) {
	err = c.call(ctx, http.MethodGet, "api/v1/queue/status", nil, &s)
	return s, err
}

func (c *client) query(ctx context.Context, text string) (r result, err error) {
	err = c.call(ctx, http.MethodPost, "api/v1/query", map[string]string{"query": text}, &r)
	return r, err
}

func (c *client) picture(ctx context.Context) (p picture, err error) {
	err = c.call(ctx, http.MethodGet, "api/v1/queue", nil, &p)
	return p, err
}

// follow reads the event stream of the own standing until fn says that it has seen enough.
func (c *client) follow(ctx context.Context, enough func(standing) bool) error {
	answer, err := c.open(ctx, http.MethodGet, "api/v1/queue/status", nil, "Accept", "text/event-stream")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	event := ""
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "event:"); ok {
			event = strings.TrimSpace(name)
		}
		data, ok := strings.CutPrefix(lines.Text(), "data:")
		if !ok {
			continue
		}
		if event != "standing" {
			return fmt.Errorf("an event %q instead of a standing: %s", event, data)
		}
		var s standing
		if err := json.Unmarshal([]byte(data), &s); err != nil {
			return err
		}
		if enough(s) {
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}

// hold asks for the standing, and is answered when it differs from the one with the given tag, or after some seconds.
func (c *client) hold(ctx context.Context, tag string) (s standing, newTag string, err error) {
	answer, err := c.open(ctx, http.MethodGet, "api/v1/queue/status", nil, "Prefer", "wait=10", "If-None-Match", tag)
	if err != nil {
		return s, tag, err
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusNotModified {
		return s, tag, nil
	}
	return s, answer.Header.Get("ETag"), json.NewDecoder(answer.Body).Decode(&s)
}

// joining are so many clients, each with a ticket, in this order.
func joining(t *testing.T, server *process, n int) (all []*client) {
	t.Helper()
	for range n {
		c := newClient(server.url, nil)
		if _, err := c.join(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// leaves gives the ticket back.
func (c *client) leaves(t *testing.T) {
	t.Helper()
	if err := c.call(t.Context(), http.MethodDelete, "api/v1/queue/ticket", nil, nil); err != nil {
		t.Fatal(err)
	}
}
