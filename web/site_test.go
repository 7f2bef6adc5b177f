package web

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"confluence/queue"
	"confluence/queue/memory"
)

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
	tcp     bool                          // real TCP in place of pipes in memory
	store   func(queue.Store) queue.Store // what is put around the line in memory; nil: nothing
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
	var store queue.Store
	store, err := memory.New(memory.Options{Config: o.line})
	must(t, err)
	if o.store != nil {
		store = o.store(store)
	}
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
	if options.PollRate == 0 {
		options.PollBurst, options.PollRate = 10_000, 10_000 // tests ask as fast as they can
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
