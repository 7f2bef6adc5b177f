package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// TestDeploy: 500 who wait with an open socket each, and a run. SIGTERM turns readiness off, tells every socket to come back, lets the run end, and
// the process exits with 0; the next one on the same folder and address has everybody at the same place, and the run's result for its owner.
func TestDeploy(t *testing.T) {
	const waiting, drain = 500, 20 * time.Second
	data, ctx := dataWithDemo(t), t.Context()
	settings := []string{patient, "--runner=command", `--command=["/bin/sh","-c","read line; sleep 4; echo done $line"]`, fmt.Sprintf("--drain-seconds=%.0f", drain.Seconds())}
	p := launch(t, append([]string{"--addr=127.0.0.1:0", "--data-dir=" + data}, settings...)...)
	p.untilHealthy(t)
	address := strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/")

	transport := &http.Transport{MaxIdleConnsPerHost: 50, MaxConnsPerHost: 600}
	visitors, before := make([]*client, waiting), make([]standing, waiting)
	first := newClient(p.url, transport) // holds the slot until the run is there, so that nobody is called meanwhile
	if _, err := first.join(ctx, "hello\n"); err != nil {
		t.Fatal(err)
	}
	eachOf(visitors, func(i int) {
		visitors[i] = newClient(p.url, transport)
		if _, err := visitors[i].join(ctx, "SELECT 1"); err != nil {
			t.Errorf("visitor %d: %v", i, err)
		}
	})
	closed := make([]websocket.StatusCode, waiting)
	var sockets, open sync.WaitGroup
	open.Add(waiting)
	for i, v := range visitors {
		sockets.Go(func() {
			closed[i] = socketUntilClosed(ctx, t, v, open.Done)
		})
	}
	open.Wait()
	ran := make(chan result, 1)
	go func() {
		answer, err := first.query(ctx, "hello\n")
		if err != nil {
			t.Errorf("the run: %v", err)
		}
		ran <- answer
	}()
	eventually(t, soonEnough, "the run to go", func() bool {
		now, err := first.picture(ctx)
		return err == nil && now.Runner == "running"
	})
	eachOf(visitors, func(i int) {
		var err error
		if before[i], err = visitors[i].status(ctx); err != nil {
			t.Errorf("visitor %d: %v", i, err)
		}
	})

	asked := time.Now()
	p.signal(t, syscall.SIGTERM)
	sockets.Wait()
	told := time.Since(asked)
	for i, code := range closed {
		if code != websocket.StatusServiceRestart {
			t.Fatalf("socket %d was closed with %d", i, code)
		}
	}
	if ready, err := http.Get(p.url + "readyz"); err != nil {
		t.Errorf("readyz: %v", err)
	} else if ready.Body.Close(); ready.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("readyz: %d", ready.StatusCode)
	}
	_, err := newClient(p.url, transport).join(ctx, "")
	if refused, ok := errors.AsType[*problem](err); !ok || refused.Code != "restarting" {
		t.Errorf("a join: %v", err)
	}
	answer := <-ran
	if answer.Outcome != "succeeded" || !strings.Contains(answer.Text, "done hello") {
		t.Errorf("the run gave %+v", answer)
	}
	if code := p.exitCode(t, drain+stopWithin); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	t.Logf("%d sockets were told within %v, and the process ended after %v", waiting, told.Round(time.Millisecond), time.Since(asked).Round(time.Millisecond))

	transport.CloseIdleConnections()
	next := servingBinary(t, binary(t), data, append(settings, "--addr="+address, "--drain-seconds=0")...)
	if next.url != p.url {
		t.Fatalf("it serves at %s, not %s", next.url, p.url)
	}
	eachOf(visitors, func(i int) {
		now, err := visitors[i].status(ctx)
		if err != nil || now.TicketID != before[i].TicketID || now.Number != before[i].Number || now.Position != before[i].Position {
			t.Errorf("visitor %d stood at %+v and stands at %+v, %v", i, before[i], now, err)
		}
	})
	var kept result
	if err := first.call(ctx, http.MethodGet, "api/v1/runs/"+answer.RunID, nil, &kept); err != nil || kept.Text != answer.Text {
		t.Errorf("the run's result is %+v, %v", kept, err)
	}
}

// eachOf does something for each, some at a time.
func eachOf(all []*client, do func(i int)) {
	var working sync.WaitGroup
	next := make(chan int)
	for range 20 {
		working.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	working.Wait()
}

// socketUntilClosed opens the visitor's socket, says when its first message has come, and is the code that it is closed with.
func socketUntilClosed(ctx context.Context, t *testing.T, v *client, opened func()) websocket.StatusCode {
	t.Helper()
	said := sync.OnceFunc(opened)
	defer said()
	socket, _, err := websocket.Dial(ctx, strings.Replace(v.base, "http", "ws", 1)+"live", &websocket.DialOptions{
		HTTPClient: &http.Client{Jar: v.http.Jar}, Subprotocols: []string{"confluence.v1"},
	})
	if err != nil {
		t.Errorf("a socket: %v", err)
		return 0
	}
	defer socket.CloseNow()
	for {
		if _, _, err := socket.Read(ctx); err != nil {
			return websocket.CloseStatus(err)
		}
		said()
	}
}
