package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue"
	"confluence/queue/memory"
	"confluence/queue/runner"
	"confluence/web"
)

// ticking is a runner that says a line at once, and one more after each of its silences.
type ticking []time.Duration

func (ticking) Describe() runner.Description              { return runner.Description{Title: "It ticks"} }
func (ticking) Check(context.Context, runner.Query) error { return nil }
func (r ticking) Run(ctx context.Context, _ runner.Query, out runner.Sink) error {
	for i, silence := range append(r, 0) {
		if err := out.Text(fmt.Sprintf("line %d\n", i)); err != nil {
			return err
		}
		select {
		case <-time.After(silence):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// pipes is a listener in memory, over which fake time can pass.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if conn, open := <-p; open {
		return conn, nil
	}
	return nil, net.ErrClosed
}
func (p pipes) Close() error { close(p); return nil }
func (pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

// case: long-stream (five minutes with a minute of silence, through the server as the start makes it, with all that is around its handlers)
func TestCaseLongStream(t *testing.T) {
	for _, accept := range []string{"text/event-stream", "application/json"} {
		synctest.Test(t, func(t *testing.T) {
			a := newApp(settings{}, slog.New(slog.NewTextHandler(io.Discard, nil)), io.Discard)
			store, err := memory.New(memory.Options{Config: queue.Config{Slots: 1, MaxLength: 1, Reservation: time.Minute, Heartbeat: 30 * time.Second}})
			if err != nil {
				t.Fatal(err)
			}
			if a.controller, err = queue.NewAdmissionController(queue.Options{Store: store, Logger: a.log}); err != nil {
				t.Fatal(err)
			}
			if err := a.controller.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			a.web, err = web.New(web.Options{
				Controller: a.controller, Runner: ticking{2 * time.Minute, time.Minute, 2 * time.Minute}, SessionKeys: [][]byte{bytes.Repeat([]byte{1}, 32)},
				RunTimeout: 10 * time.Minute, MaxQueryBytes: 1 << 20, MaxResultBytes: 1 << 20, Logger: a.log, RequestLog: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			listener := make(pipes)
			a.listener = listener
			a.serve(nil)
			defer func() {
				if err := a.Stop(context.Background()); err != nil {
					t.Error(err)
				}
			}()

			ours, theirs := net.Pipe()
			listener <- theirs
			defer ours.Close()
			const body = `{"query":"x"}`
			fmt.Fprintf(ours, "POST /api/v1/query HTTP/1.1\r\nHost: x\r\nAccept: %s\r\nAccept-Encoding: gzip\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", accept, len(body), body)
			start, answer := time.Now(), bufio.NewReader(ours)
			first := time.Duration(-1)
			var text strings.Builder
			for last := `"outcome":"succeeded"`; !strings.Contains(text.String(), last) || !strings.Contains(text.String(), "line 3"); {
				line, err := answer.ReadString('\n')
				text.WriteString(line)
				if err != nil {
					t.Fatalf("%s: cut after %v: %v\n%s", accept, time.Since(start), err, text.String())
				}
				if first < 0 && strings.Contains(line, "line 0") {
					first = time.Since(start)
				}
			}
			if accept == "text/event-stream" && (first < 0 || first > 500*time.Millisecond) {
				t.Errorf("the first piece came after %v", first)
			}
			if took := time.Since(start); took < 5*time.Minute || took > 5*time.Minute+time.Second {
				t.Errorf("%s: it took %v", accept, took)
			}
			for i := range 4 {
				if !strings.Contains(text.String(), fmt.Sprintf("line %d", i)) {
					t.Errorf("%s: line %d is missing\n%s", accept, i, text.String())
				}
			}
		})
	}
}
