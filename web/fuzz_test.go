package web

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"confluence/queue"
	"confluence/queue/memory"
)

// attacked is a server for hostile requests.
func attacked(tb testing.TB) *Server {
	tb.Helper()
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	store, err := memory.New(memory.Options{Config: queue.Config{Slots: 1, MaxLength: 100, Reservation: time.Minute, Heartbeat: time.Minute}})
	if err != nil {
		tb.Fatal(err)
	}
	line, err := queue.NewAdmissionController(queue.Options{Store: store, Logger: log})
	if err != nil {
		tb.Fatal(err)
	}
	if err := line.Start(context.Background()); err != nil {
		tb.Fatal(err)
	}
	server, err := New(Options{
		Controller: line, Runner: &script{}, SessionKeys: [][]byte{testKey}, RunTimeout: time.Minute, MaxQueryBytes: 4096, MaxResultBytes: 1 << 20,
		PollBurst: 1_000_000_000, PollRate: 1_000_000_000, Logger: log,
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := server.Stop(ctx); err != nil {
			tb.Error(err)
		}
		if err := line.Stop(ctx); err != nil {
			tb.Error(err)
		}
	})
	return server
}

// attack sends one request, which must not be a mistake of ours.
func attack(t *testing.T, s *Server, method, path, body, header, value string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(header, value)
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	if w.Code == http.StatusInternalServerError {
		t.Fatalf("%s %s with %s %q and body %q: %s", method, path, header, value, body, w.Body)
	}
	return w
}

func FuzzCookie(f *testing.F) {
	s := attacked(f)
	signed := httptest.NewRecorder()
	s.Handler().ServeHTTP(signed, httptest.NewRequest(http.MethodGet, "/", nil))
	good := signed.Result().Cookies()[0]
	for _, seed := range []string{"", "x", good.Name + "=" + good.Value, good.Name + "=" + good.Value[:20], good.Name + "=\"", strings.Repeat("a=b; ", 1000), good.Name + "=\x00\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cookie string) {
		answer := attack(t, s, http.MethodGet, "/api/v1/queue/status", "", "Cookie", cookie)
		if answer.Code != http.StatusNotFound {
			t.Fatalf("%q: %d", cookie, answer.Code)
		}
		if page := attack(t, s, http.MethodGet, "/", "", "Cookie", cookie); page.Code != http.StatusOK || page.Header().Get("Set-Cookie") == "" {
			t.Fatalf("%q: the page: %d", cookie, page.Code)
		}
	})
}

func FuzzBearer(f *testing.F) {
	s := attacked(f)
	made := httptest.NewRecorder()
	s.Handler().ServeHTTP(made, httptest.NewRequest(http.MethodPost, "/api/v1/session", nil))
	_, token, _ := strings.Cut(made.Body.String(), `"token":"`)
	token, _, _ = strings.Cut(token, `"`)
	for _, seed := range []string{"", "Bearer", "Bearer ", "Bearer " + token, "bearer  " + token + " ", "Bearer " + token[1:], "Basic dTpw", "Bearer \x00", "Bearer " + strings.Repeat("A", 9000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, authorization string) {
		answer := attack(t, s, http.MethodGet, "/api/v1/queue/status", "", "Authorization", authorization)
		if answer.Code != http.StatusUnauthorized && answer.Code != http.StatusNotFound {
			t.Fatalf("%q: %d", authorization, answer.Code)
		}
	})
}

func FuzzJSONBody(f *testing.F) {
	s := attacked(f)
	for _, seed := range []string{"", "{}", `{"query":"x"}`, `{"query":null}`, `{"query":1}`, `[]`, `{"query":"\ud800"}`, "{\"query\":\"\xff\"}", `{"query":"x","query":"y"}`,
		strings.Repeat("[", 10_000), `{"query":"` + strings.Repeat(`\u0000`, 5000) + `"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/api/v1/queue/join", "/api/v1/query", "/api/v1/session"} {
			attack(t, s, http.MethodPost, path, body, "Accept", "application/json")
		}
	})
}

// FuzzWebsocketFrame sends bytes as a client's frames; the server reads and ignores, or hangs up, and stays well.
func FuzzWebsocketFrame(f *testing.F) {
	s := attacked(f)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.Fatal(err)
	}
	web := &http.Server{Handler: s.Handler(), ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	f.Cleanup(func() { web.Close(); <-served })
	masked := func(first byte, payload string) []byte {
		return append([]byte{first, 0x80 | byte(len(payload)), 0, 0, 0, 0}, payload...)
	}
	huge := binary.BigEndian.AppendUint64([]byte{0x82, 0xff}, 1<<62)
	for _, seed := range [][]byte{nil, masked(0x81, "hello"), masked(0x88, "\x03\xe8bye"), masked(0x89, "ping"), masked(0x8a, "pong"), masked(0x01, "half"), masked(0x80, "rest"),
		masked(0xf1, "reserved"), {0x81, 0x05, 'p', 'l', 'a', 'i', 'n'}, huge, masked(0x88, "\x03"), masked(0x81, "\xff\xfe")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, frames []byte) {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			return // no port is left of those that connections of a moment ago still hold
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		request := "GET /live/kiosk HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
			"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: confluence.v1\r\n\r\n"
		if _, err := fmt.Fprintf(conn, "%s%s%s", request, frames, masked(0x88, "\x03\xe8")); err != nil {
			return // it hung up in the middle, as it may
		}
		answer := make([]byte, 12)
		if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "HTTP/1.1 101" {
			t.Fatalf("%q %v", answer, err)
		}
		attack(t, s, http.MethodGet, "/healthz", "", "Accept", "*/*")
	})
}

// Sessions that come and go leave memory where it was: 200,000 of them, each with a cookie, a join and a leave.
func TestSessionsThatComeAndGoLeaveNothing(t *testing.T) {
	s := attacked(t)
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	come := func(n int) {
		for range n {
			id := newSessionID()
			if _, err := s.join(t.Context(), id, queue.Kept{Query: "a text that is kept"}); err != nil {
				t.Fatal(err)
			}
			s.pace.take(id)
			if err := s.o.Controller.Leave(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
	}
	come(150_000) // what is remembered of the last sessions, bounded in number, is full
	before := live()
	come(200_000)
	if after := live(); after > before+4<<20 {
		t.Errorf("%d KiB are held after 200,000 sessions more", (after-before)>>10)
	}
}
