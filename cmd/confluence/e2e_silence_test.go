package main

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestBrowserSilentlyDead: a connection dies without a word, as when a phone changes networks. The page doesn't go on saying "Live": within
// seconds it says that it reconnects, and then the truth.
func TestBrowserSilentlyDead(t *testing.T) {
	server := serving(t)
	release := holdTheSlot(t.Context(), t, server)
	defer release()
	way := newFrailWay(t, server)
	ahead := newClient(server.url, nil)
	if _, err := ahead.join(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	v := newVisitor(t, way.url)
	v.lonely = true
	v.asksAndWaits("SELECT 1")
	v.sees(soonEnough, "Live, updated at", "Your place in line 2")

	way.freeze(true)
	v.sees(25*time.Second, "Reconnecting, last heard at", "Your last known place 2")
	way.freeze(false)
	v.sees(soonEnough, "Live, updated at", "Your place in line 2")

	// The old connections are dead, new ones work: the page finds out what it has missed.
	v.mark()
	way.kill()
	ahead.leaves(t)
	v.sees(40*time.Second, "Live, updated at", "Your place in line 1")
	v.wantMarked("to find out")
}

// TestBrowserMissedEnd: the stream of a run dies without a word before its last event. The result is shown all the same.
func TestBrowserMissedEnd(t *testing.T) {
	server := serving(t, "--runner=command", `--command=["/bin/sleep","4"]`)
	way := newFrailWay(t, server)
	v := newVisitor(t, way.url)
	v.lonely = true
	v.runs("sleep")
	v.until(soonEnough, "the stream", func() bool {
		return eval[bool](v, `document.readyState === "complete" && document.title.startsWith("Running")`)
	})
	way.kill()
	v.sees(2*time.Minute, "Your result") // after every connection that the browser had kept was found to be dead
}

// frailWay is a way between browsers and the server on which connections can die without either side being told.
type frailWay struct {
	url string

	mu     sync.Mutex
	frozen chan struct{} // not nil: nothing passes until it is closed
	dead   chan struct{} // closed: the connections made until then are dead
}

func newFrailWay(t *testing.T, server *process) *frailWay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	way := &frailWay{url: "http://" + listener.Addr().String() + "/", dead: make(chan struct{})}
	target := strings.TrimSuffix(strings.TrimPrefix(server.url, "http://"), "/")
	var open sync.WaitGroup
	open.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", target)
			if err != nil {
				near.Close()
				continue
			}
			way.mu.Lock()
			dead := way.dead
			way.mu.Unlock()
			t.Cleanup(func() { near.Close(); far.Close() })
			open.Go(func() { way.carry(far, near, dead) })
			open.Go(func() { way.carry(near, far, dead) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		way.freeze(false)
	})
	return way
}

// carry passes on what comes. On a dead connection it goes nowhere, and neither side hears of an end.
func (w *frailWay) carry(to, from net.Conn, dead chan struct{}) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		w.mu.Lock()
		frozen := w.frozen
		w.mu.Unlock()
		if frozen != nil {
			<-frozen
		}
		select {
		case <-dead:
			_, _ = io.Copy(io.Discard, from)
			return
		default:
		}
		if n > 0 {
			if _, err := to.Write(b[:n]); err != nil {
				from.Close()
				return
			}
		}
		if err != nil {
			to.Close()
			return
		}
	}
}

func (w *frailWay) freeze(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.frozen != nil {
		close(w.frozen)
		w.frozen = nil
	}
	if on {
		w.frozen = make(chan struct{})
	}
}

// kill lets every connection that there is die.
func (w *frailWay) kill() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.dead)
	w.dead = make(chan struct{})
}
