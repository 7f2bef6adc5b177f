package web

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"
	"testing"
)

// visitor is a client with a cookie jar of its own.
type visitor struct {
	site *site
	http *http.Client
}

func (st *site) visitor() *visitor {
	jar, err := cookiejar.New(nil)
	must(st.t, err)
	return &visitor{site: st, http: &http.Client{Transport: contractual{st.t, st.network.client}, Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// stranger keeps no cookies.
func (st *site) stranger() *visitor {
	v := st.visitor()
	v.http.Jar = nil
	return v
}

// reply is a whole answer.
type reply struct {
	status int
	header http.Header
	body   string
	cut    bool // the connection broke before the end
}

func (r reply) json(t *testing.T) map[string]any {
	t.Helper()
	var document map[string]any
	if err := json.Unmarshal([]byte(r.body), &document); err != nil {
		t.Fatalf("status %d, not JSON: %v\n%s", r.status, err, r.body)
	}
	return document
}

// request asks; body is JSON if it isn't empty; header is pairs.
func (v *visitor) request(ctx context.Context, method, path, body string, header ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, v.site.network.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return v.http.Do(r)
}

func (v *visitor) do(method, path, body string, header ...string) reply {
	v.site.t.Helper()
	response, err := v.request(context.Background(), method, path, body, header...)
	if err != nil {
		v.site.t.Errorf("%s %s: %v", method, path, err)
		return reply{}
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return reply{status: response.StatusCode, header: response.Header, body: string(content), cut: err != nil}
}

func (v *visitor) get(path string, header ...string) reply {
	v.site.t.Helper()
	return v.do(http.MethodGet, path, "", header...)
}

func (v *visitor) post(path, body string, header ...string) reply {
	v.site.t.Helper()
	return v.do(http.MethodPost, path, body, header...)
}

func (v *visitor) delete(path string) reply {
	v.site.t.Helper()
	return v.do(http.MethodDelete, path, "")
}

// query is the body of a join or a query.
func query(text string) string {
	body, _ := json.Marshal(map[string]string{"query": text})
	return string(body)
}

// background sends a query from a goroutine of its own, whose end the test waits for.
func (v *visitor) background(text string, header ...string) <-chan reply {
	answered := make(chan reply, 1)
	go func() { answered <- v.post("/api/v1/query", query(text), header...) }()
	return answered
}

// event is one server-sent event.
type event struct {
	name, id, data string
	comment        bool
}

func (e event) json(t *testing.T) map[string]any {
	t.Helper()
	return reply{body: e.data}.json(t)
}

// events is an open stream.
type events struct {
	lines *bufio.Reader
	close func()
	t     *testing.T // nil: follow was not used
}

func newEvents(response *http.Response, cancel func()) *events {
	return &events{lines: bufio.NewReader(response.Body), close: sync.OnceFunc(func() { cancel(); response.Body.Close() })}
}

// follow opens a stream of events.
func (v *visitor) follow(method, path, body string, header ...string) *events {
	v.site.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	response, err := v.request(ctx, method, path, body, append(header, "Accept", "text/event-stream")...)
	must(v.site.t, err)
	e := newEvents(response, cancel)
	e.t = v.site.t
	v.site.t.Cleanup(e.close)
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		content, _ := io.ReadAll(response.Body)
		v.site.t.Fatalf("%s %s: %d %s\n%s", method, path, response.StatusCode, response.Header.Get("Content-Type"), content)
	}
	return e
}

// next is the next event or comment; ok is false at the stream's end.
func (e *events) next() (ev event, ok bool) {
	for {
		line, err := e.lines.ReadString('\n')
		if err != nil {
			return ev, false
		}
		line = strings.TrimSuffix(line, "\n")
		field, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "":
			return ev, true
		case field == "":
			ev.comment = true
		case field == "event":
			ev.name = value
		case field == "id":
			ev.id = value
		case field == "data":
			ev.data = value
		}
	}
}

// want is the next event, which must have that name. Comments are passed over.
func (e *events) want(name string) event {
	e.t.Helper()
	for {
		ev, ok := e.next()
		if !ok {
			e.t.Fatalf("the stream ended before %q", name)
		}
		if ev.comment {
			continue
		}
		if ev.name != name {
			e.t.Fatalf("event %q (%s), want %q", ev.name, ev.data, name)
		}
		return ev
	}
}

// rest is every event up to the stream's end.
func (e *events) rest() []event {
	e.t.Helper()
	var all []event
	for {
		ev, ok := e.next()
		if !ok {
			return all
		}
		if !ev.comment {
			all = append(all, ev)
		}
	}
}
