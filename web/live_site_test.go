package web

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
)

// liveMessage is a message of a socket, as far as tests look at it.
type liveMessage struct {
	Type      string
	Status    string
	Number    int64
	Position  int
	Expires   *int64  `json:"reservation_expires_in_seconds"`
	RunID     *string `json:"run_id"`
	Reason    string
	Outcome   *string
	Line      *livePicture
	Build     string
	Paused    bool
	Notice    *string
	Heartbeat float64 `json:"heartbeat_within_seconds"`
	livePicture
}

type livePicture struct {
	Serving []int64
	Called  []int64
	Next    []int64
	Length  int
	Elapsed *int64 `json:"run_elapsed_seconds"`
}

// liveSocket is a browser's end of a socket: it answers pings, and keeps what it was sent.
type liveSocket struct {
	t        *testing.T
	conn     *websocket.Conn
	messages chan liveMessage
	closed   chan websocket.StatusCode // -1: cut without a word
}

// open opens a socket of the visitor, and reads it.
func (v *pageVisitor) open(path string, change ...func(*websocket.DialOptions)) *liveSocket {
	v.site.t.Helper()
	k := v.dial(path, change...)
	go k.read()
	return k
}

// dial opens a socket that nobody reads.
func (v *pageVisitor) dial(path string, change ...func(*websocket.DialOptions)) *liveSocket {
	v.site.t.Helper()
	options := &websocket.DialOptions{
		HTTPClient: v.client, Subprotocols: []string{subprotocol}, HTTPHeader: http.Header{"Origin": {pageAddress}},
	}
	for _, c := range change {
		c(options)
	}
	conn, response, err := websocket.Dial(v.site.t.Context(), strings.Replace(pageAddress, "http", "ws", 1)+path, options)
	if err != nil {
		v.site.t.Fatalf("%s: %v", path, err)
	}
	if conn.Subprotocol() != subprotocol {
		v.site.t.Errorf("%s: subprotocol %q", path, conn.Subprotocol())
	}
	if extensions := response.Header.Get("Sec-WebSocket-Extensions"); extensions != "" {
		v.site.t.Errorf("%s: extensions %q", path, extensions)
	}
	k := &liveSocket{t: v.site.t, conn: conn, messages: make(chan liveMessage, 1000), closed: make(chan websocket.StatusCode, 1)}
	v.site.t.Cleanup(func() { _ = conn.CloseNow() })
	return k
}

func (k *liveSocket) read() {
	for {
		_, data, err := k.conn.Read(context.Background())
		if err != nil {
			k.closed <- websocket.CloseStatus(err)
			close(k.messages)
			return
		}
		var m liveMessage
		if err := json.Unmarshal(data, &m); err != nil {
			k.t.Errorf("%s: %v", data, err)
		}
		k.messages <- m
	}
}

// next is the next message, which must be there.
func (k *liveSocket) next() liveMessage {
	k.t.Helper()
	synctest.Wait()
	select {
	case m, ok := <-k.messages:
		if !ok {
			k.t.Fatal("the socket is closed")
		}
		return m
	default:
		k.t.Fatal("there is no message")
		return liveMessage{}
	}
}

// last is the newest message; all that came before are dropped.
func (k *liveSocket) last() liveMessage {
	k.t.Helper()
	m := k.next()
	for len(k.messages) > 0 {
		m = <-k.messages
	}
	return m
}

// quiet checks that nothing came.
func (k *liveSocket) quiet() {
	k.t.Helper()
	synctest.Wait()
	if n := len(k.messages); n > 0 {
		k.t.Fatalf("%d messages, the first is %+v", n, <-k.messages)
	}
}

// ends checks the code that the socket was closed with.
func (k *liveSocket) ends(code websocket.StatusCode) {
	k.t.Helper()
	synctest.Wait()
	select {
	case got := <-k.closed:
		if got != code {
			k.t.Fatalf("closed with %d, want %d", got, code)
		}
	default:
		k.t.Fatal("the socket is open")
	}
}

// isOpen checks that the socket is.
func (k *liveSocket) isOpen() {
	k.t.Helper()
	synctest.Wait()
	select {
	case got := <-k.closed:
		k.t.Fatalf("closed with %d", got)
	default:
	}
}

// liveWaiter makes a visitor who waits in line.
func (site *pageSite) liveWaiter(text string) *pageVisitor {
	site.t.Helper()
	v := site.visitor()
	v.goes(v.post("/query", "query", text), "/wait")
	return v
}

// liveHolder makes a visitor whose run holds the slot, watched by a socket that is open until the test ends.
func (site *pageSite) liveHolder(text string) (*pageVisitor, *liveSocket) {
	site.t.Helper()
	v := site.visitor()
	pageRunOf(site.t, v, text)
	k := v.open("/live")
	if first := k.next(); first.Status != "running" || first.RunID == nil {
		site.t.Fatalf("first message %+v", first)
	}
	return v, k
}

// liveSleep lets time pass for everybody, and what it sets off happen.
func liveSleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
