package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue"
	"confluence/queue/memory"
	"confluence/queue/runner"
)

// pageAddress is where the site of a test is. It is reached through memory alone, so that tests run on fake time.
const pageAddress = "http://confluence.test"

// pageQueryBytes is how long a text may be there.
const pageQueryBytes = 16 << 10

// pageSite is a whole server with a line and a runner.
type pageSite struct {
	t        *testing.T
	runner   *pageRunner
	line     *queue.AdmissionController
	server   *Server
	listener *pageListener
}

// pageOpen serves a site until the test ends. Call it inside the bubble that the test runs in, and close it there.
func pageOpen(t *testing.T, change ...func(*queue.Config, *Options)) *pageSite {
	t.Helper()
	config := queue.Config{Slots: 1, MaxLength: 100, Reservation: time.Minute, Heartbeat: 30 * time.Second}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	options := Options{
		SessionKeys: [][]byte{[]byte(strings.Repeat("k", 32))}, RunTimeout: 5 * time.Minute,
		MaxQueryBytes: pageQueryBytes, MaxResultBytes: 1 << 20, Logger: log,
		PollBurst: 10_000, PollRate: 10_000, // tests ask as fast as they can
	}
	for _, c := range change {
		c(&config, &options)
	}
	site := &pageSite{t: t, runner: &pageRunner{held: map[string]chan struct{}{}}, listener: newPageListener()}
	store, err := memory.New(memory.Options{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	if site.line, err = queue.NewAdmissionController(queue.Options{Store: store, Logger: log}); err != nil {
		t.Fatal(err)
	}
	if err := site.line.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	options.Controller, options.Runner = site.line, site.runner
	if site.server, err = New(options); err != nil {
		t.Fatal(err)
	}
	web := &http.Server{Handler: site.server.Handler(), ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	served := make(chan error, 1)
	go func() { served <- web.Serve(site.listener) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := errors.Join(site.server.Stop(ctx), site.line.Stop(ctx)); err != nil {
			t.Errorf("stop: %v", err)
		}
		_ = web.Close()
		<-served
		time.Sleep(time.Second) // on the bubble's clock: net/http lingers on a connection that it closes itself
	})
	return site
}

// pageListener hands connections over in memory.
type pageListener struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func newPageListener() *pageListener {
	return &pageListener{accepted: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *pageListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.accepted <- far:
		return near, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pageListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.accepted:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pageListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pageListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// pageRunner answers "hold…" when released, rejects "bad…" and fails "fail…". Any other text is its own answer: as text if it begins with
// "say ", else as a table of that one value under that name.
type pageRunner struct {
	mu      sync.Mutex
	held    map[string]chan struct{}
	started []string
	broken  bool // Describe panics
}

func (r *pageRunner) Describe() runner.Description {
	if r.broken {
		panic("in pieces")
	}
	return runner.Description{
		Title: "Ask the test", Limits: "One statement.", Language: "text", About: "Tables: none.",
		Examples: []runner.Example{{Title: "The first", Text: "example one"}, {Title: "The second", Text: "example two"}},
	}
}

func (r *pageRunner) Check(_ context.Context, q runner.Query) error {
	if strings.HasPrefix(q.Text, "bad") {
		return &runner.RejectedError{Detail: "no such thing: " + q.Text}
	}
	return nil
}

func (r *pageRunner) Run(ctx context.Context, q runner.Query, out runner.Sink) error {
	r.mu.Lock()
	r.started = append(r.started, q.Text)
	r.mu.Unlock()
	switch {
	case strings.HasPrefix(q.Text, "hold"):
		select {
		case <-r.gate(q.Text):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	case strings.HasPrefix(q.Text, "fail"):
		return &runner.FailedError{Detail: "it did not work: " + q.Text}
	}
	switch {
	case q.Text == "say nothing":
		return nil
	case strings.HasPrefix(q.Text, "say "):
		return out.Text(q.Text)
	}
	return errors.Join(out.Columns([]runner.Column{{Name: q.Text}}), out.Rows([][]any{{q.Text}}))
}

func (r *pageRunner) gate(text string) chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held[text] == nil {
		r.held[text] = make(chan struct{})
	}
	return r.held[text]
}

func (r *pageRunner) release(text string) { close(r.gate(text)) }

func (r *pageRunner) texts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.started...)
}

// pageVisitor is a browser without scripts: it keeps cookies and sends forms.
type pageVisitor struct {
	site   *pageSite
	client *http.Client
}

func (site *pageSite) visitor() *pageVisitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		site.t.Fatal(err)
	}
	transport := &http.Transport{DialContext: site.listener.dial}
	site.t.Cleanup(transport.CloseIdleConnections)
	return &pageVisitor{site: site, client: &http.Client{
		Jar: jar, Transport: contractual{site.t, transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// pageAnswer is what came back.
type pageAnswer struct {
	status   int
	location string
	header   http.Header
	body     string
}

func (v *pageVisitor) send(r *http.Request) pageAnswer {
	v.site.t.Helper()
	response, err := v.client.Do(r)
	if err != nil {
		v.site.t.Fatalf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		v.site.t.Fatalf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	return pageAnswer{status: response.StatusCode, location: response.Header.Get("Location"), header: response.Header, body: string(body)}
}

func (v *pageVisitor) get(path string) pageAnswer {
	v.site.t.Helper()
	return v.send(v.request(http.MethodGet, path, nil))
}

func (v *pageVisitor) post(path string, fields ...string) pageAnswer {
	v.site.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return v.send(v.request(http.MethodPost, path, form))
}

func (v *pageVisitor) request(method, path string, form url.Values) *http.Request {
	v.site.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(v.site.t.Context(), method, pageAddress+path, body)
	if err != nil {
		v.site.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", pageAddress)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	return r
}

// goes checks that a POST leads to a page, and opens that.
func (v *pageVisitor) goes(answer pageAnswer, to string) pageAnswer {
	v.site.t.Helper()
	if answer.status != http.StatusSeeOther || !strings.HasPrefix(answer.location, to) {
		v.site.t.Fatalf("status %d to %q, want 303 to %q\n%s", answer.status, answer.location, to, answer.body)
	}
	synctest.Wait() // what was started goes on as far as it can
	return v.get(answer.location)
}

// shows checks the status of a page and what stands on it.
func (a pageAnswer) shows(t *testing.T, status int, words ...string) {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d (location %q)\n%s", a.status, status, a.location, a.body)
	}
	for _, word := range words {
		if !strings.Contains(a.body, word) {
			t.Fatalf("the page does not show %q\n%s", word, a.body)
		}
	}
}

// logTo has a site log into b.
func logTo(b *syncBuffer) func(*queue.Config, *Options) {
	return func(_ *queue.Config, o *Options) { o.Logger = slog.New(slog.NewTextHandler(b, nil)) }
}
