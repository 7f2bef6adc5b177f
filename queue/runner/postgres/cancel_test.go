package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

func TestCancelIsQuick(t *testing.T) {
	const enough = 300 * time.Millisecond
	r := newRunner(t, Options{})
	for _, query := range []string{silent, endless, `SELECT count(*) FROM loans a, loans b, loans c`} {
		quickest := time.Hour // the machine may be busy with other things at some of the times
		for range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			var cancelled time.Time
			time.AfterFunc(100*time.Millisecond, func() { cancelled = time.Now(); cancel() })
			err := r.Run(ctx, runner.Query{Text: query}, new(runnertest.Recorder))
			quickest = min(quickest, time.Since(cancelled))
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			if n := sessions(t); n > 0 {
				t.Errorf("%d sessions remain", n)
			}
		}
		if quickest > enough {
			t.Errorf("%s: Run returned %v after the cancel", query, quickest)
		}
		t.Logf("Run returned %v after the cancel of %.40s", quickest, query)
	}
}

// Code that catches every cancel is ended for good.
func TestDeafFunction(t *testing.T) {
	r := newRunner(t, Options{})
	r.patience.terminateAfter = 200 * time.Millisecond
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errCause)
	defer cancel()
	if err := r.Run(ctx, runner.Query{Text: `SELECT deaf()`}, new(runnertest.Recorder)); !errors.Is(err, errCause) {
		t.Error(err)
	}
	if n := sessions(t); n > 0 {
		t.Errorf("%d sessions remain", n)
	}
}

var errCause = errors.New("the cause of the end")

// A sink that takes its time must not keep the server from ending the query.
func TestCancelBehindASlowSink(t *testing.T) {
	r := newRunner(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	idle := `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'confluence' AND state = 'active'`
	var sink runnertest.Recorder
	sink.OnOutput = func() {
		if ctx.Err() != nil {
			return
		}
		cancel()
		deadline := time.Now().Add(5 * time.Second)
		for n := "1"; n != "0"; {
			var err error
			if n, err = server.Query(context.Background(), "library", idle); err != nil || time.Now().After(deadline) {
				t.Errorf("%s sessions are active behind a slow sink: %v", n, err)
				return
			}
		}
	}
	if err := r.Run(ctx, runner.Query{Text: slowRows}, &sink); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A server behind a network that is gone is given up at last.
func TestLostServer(t *testing.T) {
	cable := newCable(t)
	at, err := url.Parse(server.URL("reader", "library"))
	if err != nil {
		t.Fatal(err)
	}
	at.Host = cable.address()
	r := newRunner(t, Options{URL: at.String()})
	r.patience.lostAfter = 200 * time.Millisecond
	ctx, cancel := context.WithCancelCause(t.Context())
	sink := runnertest.Recorder{OnOutput: func() {
		cable.cut()
		cancel(errCause)
	}}
	start := time.Now()
	if err := r.Run(ctx, runner.Query{Text: slowRows}, &sink); !errors.Is(err, errCause) {
		t.Error(err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("given up after %v", took)
	}
	if err := r.Health(t.Context()); !errors.Is(err, runner.ErrUnavailable) {
		t.Errorf("health: %v", err)
	}
}

// cable forwards connections to the server until it is cut: then no byte goes through, and no new connection.
type cable struct {
	listener net.Listener
	isCut    atomic.Bool
	ends     sync.WaitGroup
	mu       sync.Mutex
	conns    []net.Conn
}

func newCable(t *testing.T) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{listener: l}
	c.ends.Go(func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(server.Port)))
			if err != nil {
				t.Error(err)
				return
			}
			c.mu.Lock()
			c.conns = append(c.conns, from, to)
			c.mu.Unlock()
			c.ends.Go(func() { c.forward(to, from) })
			c.ends.Go(func() { c.forward(from, to) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		c.mu.Lock()
		for _, conn := range c.conns {
			_ = conn.Close()
		}
		c.mu.Unlock()
		c.ends.Wait()
	})
	return c
}

func (c *cable) address() string { return c.listener.Addr().String() }

func (c *cable) cut() {
	c.isCut.Store(true)
	_ = c.listener.Close()
}

func (c *cable) forward(to, from net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if c.isCut.Load() {
			return
		}
		if n > 0 {
			if _, e := to.Write(buffer[:n]); e != nil {
				return
			}
		}
		if err != nil {
			if half, ok := to.(interface{ CloseWrite() error }); ok && errors.Is(err, io.EOF) {
				_ = half.CloseWrite()
			}
			return
		}
	}
}

// counter is a sink that keeps nothing, and notes the most memory that was in use.
type counter struct {
	rows int
	peak uint64
}

func (c *counter) Columns([]runner.Column) error { return nil }
func (c *counter) Text(string) error             { return nil }
func (c *counter) Truncated(string)              {}
func (c *counter) Rows(rows [][]any) error {
	if c.rows += len(rows); c.rows%50_000 < len(rows) {
		c.peak = max(c.peak, heapInUse())
	}
	return nil
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// Neither many rows nor a huge one are held in memory.
func TestMemoryIsBounded(t *testing.T) {
	r := newRunner(t, Options{MaxRows: 1_000_000, MaxBytes: 100 << 20})
	runtime.GC()
	before := heapInUse()
	var sink counter
	start := time.Now()
	if err := r.Run(t.Context(), runner.Query{Text: `SELECT i, 'some words of text', now() FROM generate_series(1, 1000000) i`}, &sink); err != nil {
		t.Fatal(err)
	}
	const most = 32 << 20
	took := time.Since(start)
	if sink.rows != 1_000_000 || sink.peak > before+most {
		t.Errorf("%d rows, %d KiB of memory before, %d at most", sink.rows, before>>10, sink.peak>>10)
	}
	t.Logf("1,000,000 rows in %v, memory %d KiB before, %d KiB at most", took, before>>10, sink.peak>>10)

	var m0, m1 runtime.MemStats
	runtime.ReadMemStats(&m0)
	small := newRunner(t, Options{})
	if err := small.Run(t.Context(), runner.Query{Text: `SELECT repeat(repeat('x', 10000), 30000)`}, new(counter)); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&m1)
	if allocated := m1.TotalAlloc - m0.TotalAlloc; allocated > most {
		t.Errorf("a row of 300 MB had %d KiB allocated", allocated>>10)
	}
}
