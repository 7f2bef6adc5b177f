package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"
	"testing"
	"time"

	"confluence/queue"
	"confluence/queue/memory"
	"confluence/queue/runner"
)

// script is a runner whose answers are written in the test: one for each query text. Texts that it doesn't know bring a small table.
type script struct {
	mu      sync.Mutex
	answers map[string]func(ctx context.Context, out runner.Sink) error
	checks  map[string]error
	ran     []string
}

func (s *script) on(text string, answer func(ctx context.Context, out runner.Sink) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answers == nil {
		s.answers = map[string]func(ctx context.Context, out runner.Sink) error{}
	}
	s.answers[text] = answer
}

func (s *script) reject(text, detail string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.checks == nil {
		s.checks = map[string]error{}
	}
	s.checks[text] = &runner.RejectedError{Detail: detail}
}

func (s *script) Describe() runner.Description { return runner.Description{Title: "Ask the script"} }

func (s *script) Check(_ context.Context, q runner.Query) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.checks[q.Text]
}

func (s *script) Run(ctx context.Context, q runner.Query, out runner.Sink) error {
	s.mu.Lock()
	s.ran = append(s.ran, q.Text)
	answer := s.answers[q.Text]
	s.mu.Unlock()
	if answer != nil {
		return answer(ctx, out)
	}
	if err := out.Columns([]runner.Column{{Name: "query"}, {Name: "n"}}); err != nil {
		return err
	}
	return out.Rows([][]any{{q.Text, int64(1)}})
}

func (s *script) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ran)
}

// untilStopped runs until it is told to stop, and says nothing.
func untilStopped(ctx context.Context, _ runner.Sink) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// gate holds a run until it is opened.
type gate chan struct{}

func (g gate) wait(ctx context.Context, _ runner.Sink) error {
	select {
	case <-g:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// site is a whole server with a controller behind it, and the way to it.
type site struct {
	t          *testing.T
	server     *Server
	controller *queue.AdmissionController
	runner     *script
	log        *syncBuffer
	network    *network
	http       *http.Server
	stop       func()
}

type siteOptions struct {
	line    queue.Config
	options Options
	tcp     bool // real TCP in place of pipes in memory
}

var testKey = []byte("a key of thirty-two bytes or more")

// open serves a site until the test, or the bubble that calls stop, ends.
func open(t *testing.T, o siteOptions) *site {
	t.Helper()
	if o.line.Slots == 0 {
		o.line.Slots = 1
	}
	if o.line.MaxLength == 0 {
		o.line.MaxLength = 100
	}
	if o.line.Reservation == 0 {
		o.line.Reservation = time.Minute
	}
	if o.line.Heartbeat == 0 {
		o.line.Heartbeat = 30 * time.Second
	}
	st := &site{t: t, runner: &script{}, log: &syncBuffer{}}
	logger := slog.New(slog.NewTextHandler(st.log, nil))
	store, err := memory.New(memory.Options{Config: o.line})
	must(t, err)
	st.controller, err = queue.NewAdmissionController(queue.Options{Store: store, Logger: logger})
	must(t, err)
	must(t, st.controller.Start(t.Context()))

	options := o.options
	options.Controller, options.Logger = st.controller, logger
	if options.Runner == nil {
		options.Runner = st.runner
	}
	if options.SessionKeys == nil {
		options.SessionKeys = [][]byte{testKey}
	}
	if options.RunTimeout == 0 {
		options.RunTimeout = 5 * time.Minute
	}
	if options.MaxQueryBytes == 0 {
		options.MaxQueryBytes = 1 << 20
	}
	if options.MaxResultBytes == 0 {
		options.MaxResultBytes = 16 << 20
	}
	st.server, err = New(options)
	must(t, err)
	st.network = newNetwork(t, o.tcp)
	st.http = &http.Server{Handler: st.server.Handler(), ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelError)}
	served := make(chan struct{})
	go func() { _ = st.http.Serve(st.network.listener); close(served) }()

	st.stop = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := st.server.Stop(ctx); err != nil {
			t.Errorf("the server did not stop: %v", err)
		}
		if err := st.controller.Stop(ctx); err != nil {
			t.Errorf("the controller did not stop: %v", err)
		}
		st.network.client.CloseIdleConnections()
		_ = st.http.Close()
		<-served
	})
	t.Cleanup(st.stop)
	return st
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// network is loopback, or pipes in memory, which fake time can pass over.
type network struct {
	listener net.Listener
	base     string
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
	client   *http.Transport
}

func newNetwork(t *testing.T, tcp bool) *network {
	n := &network{base: "http://confluence.test"}
	if tcp {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		n.listener, n.base = listener, "http://"+listener.Addr().String()
		n.dial = (&net.Dialer{}).DialContext
	} else {
		pipes := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
		n.listener, n.dial = pipes, pipes.dial
	}
	n.client = &http.Transport{DialContext: n.dial, MaxIdleConnsPerHost: 100}
	return n
}

type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "memory"} }

// visitor is a client with a cookie jar of its own.
type visitor struct {
	site *site
	http *http.Client
}

func (st *site) visitor() *visitor {
	jar, err := cookiejar.New(nil)
	must(st.t, err)
	return &visitor{site: st, http: &http.Client{Transport: st.network.client, Jar: jar,
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

// eventually polls until the condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// wantProblem checks a Problem Details document and gives it.
func wantProblem(t *testing.T, r reply, status int, code string) map[string]any {
	t.Helper()
	if r.status != status || r.header.Get("Content-Type") != "application/problem+json" {
		t.Fatalf("got %d %s, want %d %s\n%s", r.status, r.header.Get("Content-Type"), status, code, r.body)
	}
	p := r.json(t)
	if p["code"] != code || p["type"] != "/problems/"+code || p["status"] != float64(status) {
		t.Errorf("got %s, want code %s and status %d", r.body, code, status)
	}
	for _, field := range []string{"title", "detail", "request_id"} {
		if text, _ := p[field].(string); text == "" {
			t.Errorf("%s without %s: %s", code, field, r.body)
		}
	}
	if p["request_id"] != r.header.Get("X-Request-Id") {
		t.Errorf("request_id %v, header %q", p["request_id"], r.header.Get("X-Request-Id"))
	}
	return p
}

// syncBuffer is a log that many write.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
