package web

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"confluence/queue"
	"confluence/views/i18n"
)

var loopbackProxy = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// occupied is a site whose slot is taken, so that who joins waits.
func occupied(t *testing.T, door Door) *site {
	t.Helper()
	st := open(t, siteOptions{tcp: true, line: queue.Config{MaxLength: 1000}, options: Options{Door: door}})
	st.runner.on("long", untilStopped)
	st.begin(st.visitor(), "long")
	return st
}

// case: spoofed-ip
func TestCaseSpoofedIP(t *testing.T) {
	count := func(st *site, forwarded func(i int) string) (joined int) {
		for i := range 100 {
			answer := st.stranger().post("/api/v1/queue/join", "", "X-Forwarded-For", forwarded(i), "X-Real-Ip", fmt.Sprintf("10.9.0.%d", i))
			if answer.status == http.StatusOK {
				joined++
				continue
			}
			wantProblem(t, answer, http.StatusTooManyRequests, "rate_limited")
		}
		return joined
	}
	madeUp := func(i int) string { return fmt.Sprintf("203.0.113.%d", i) }
	for name, door := range map[string]Door{"waiting": {WaitingPerAddress: 3}, "joins": {JoinsPerAddress: 3}} {
		want := 3
		if name == "joins" {
			want = 2 // whose run is going has come from there, too
		}
		if got := count(occupied(t, door), madeUp); got != want {
			t.Errorf("%s, without a proxy: %d joined, want %d", name, got, want)
		}
		door.TrustedProxies = loopbackProxy
		if got := count(occupied(t, door), func(i int) string { return madeUp(i) + ", 198.51.100.7" }); got != 3 {
			t.Errorf("%s, behind a proxy that adds the peer: %d joined, want 3", name, got)
		}
		if got := count(occupied(t, door), func(i int) string { return []string{"198.51.100.7", "junk, 198.51.100.8"}[i%2] }); got != 6 {
			t.Errorf("%s, two clients behind the proxy: %d joined, want 6", name, got)
		}
		if got := count(occupied(t, door), func(i int) string { return fmt.Sprintf("2001:db8:0:%d::%x", i%2, i) }); got != 6 {
			t.Errorf("%s, two networks of IPv6: %d joined, want 6", name, got)
		}
		if got := count(occupied(t, door), func(i int) string { return []string{"198.51.100.7", "::ffff:198.51.100.7"}[i%2] }); got != 3 {
			t.Errorf("%s, one address in two spellings: %d joined, want 3", name, got)
		}
	}
	if got := count(occupied(t, Door{}), madeUp); got != 100 {
		t.Errorf("off by default, and only %d joined", got)
	}
}

// The place of one who leaves is free at once, also for parallel joins; who waits may join again.
func TestWaitingPerAddress(t *testing.T) {
	st := occupied(t, Door{WaitingPerAddress: 2})
	var mu sync.Mutex
	var inside []*visitor
	var all sync.WaitGroup
	crowd := func() {
		for range 20 {
			all.Go(func() {
				v := st.visitor()
				if v.post("/api/v1/queue/join", "").status == http.StatusOK {
					mu.Lock()
					inside = append(inside, v)
					mu.Unlock()
				}
			})
		}
		all.Wait()
	}
	crowd()
	if len(inside) != 2 {
		t.Fatalf("%d of 20 joined, want 2", len(inside))
	}
	if got := inside[0].post("/api/v1/queue/join", query("again")); got.status != http.StatusOK {
		t.Errorf("joining again: %d %s", got.status, got.body)
	}
	page := st.visitor().do(http.MethodPost, "/query", "query=mine", "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
	if page.status != http.StatusTooManyRequests || !strings.Contains(page.body, "mine</textarea>") || !strings.Contains(page.body, i18n.English.Say("fault.crowded")) {
		t.Errorf("the page: %d\n%s", page.status, page.body)
	}
	if got := st.stranger().post("/api/v1/query", query("x")); got.status != http.StatusConflict {
		t.Errorf("a query without a ticket: %d", got.status)
	}
	inside[0].delete("/api/v1/queue/ticket")
	crowd()
	if len(inside) != 3 {
		t.Errorf("%d joined in all, want 3", len(inside))
	}
}

func TestJoinsPerAddressComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{options: Options{Door: Door{JoinsPerAddress: 2}}})
		defer st.stop()
		s := st.server
		from := func() time.Duration { return s.newcomers.joins.take("192.0.2.1") }
		for range 2 {
			if from() != 0 {
				t.Error("not two")
			}
		}
		if from() == 0 {
			t.Error("more than two")
		}
		time.Sleep(31 * time.Second)
		if from() != 0 || from() == 0 {
			t.Error("not one half a minute later")
		}
	})
}

// A person whom the proxy names has one ticket in every browser; a header from elsewhere names nobody.
func TestIdentityHeader(t *testing.T) {
	st := occupied(t, Door{TrustedProxies: loopbackProxy, IdentityHeader: "X-Auth-User"})
	first, second := st.visitor(), st.stranger()
	a := first.post("/api/v1/queue/join", "", "X-Auth-User", "ann@example.org")
	b := second.post("/api/v1/queue/join", "", "x-auth-user", "ann@example.org", "Authorization", "Bearer junk")
	if a.json(t)["ticket_id"] != b.json(t)["ticket_id"] || a.header.Get("Set-Cookie") != "" {
		t.Errorf("%s\n%s", a.body, b.body)
	}
	if other := second.post("/api/v1/queue/join", "", "X-Auth-User", "bob@example.org").json(t); other["ticket_id"] == a.json(t)["ticket_id"] {
		t.Error("two persons share a ticket")
	}
	token := second.post("/api/v1/session", "", "X-Auth-User", "ann@example.org").json(t)["token"].(string)
	wantProblem(t, second.get("/api/v1/queue/status", "Authorization", "Bearer "+token), http.StatusUnauthorized, "invalid_token")

	far := occupied(t, Door{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, IdentityHeader: "X-Auth-User"})
	one := far.stranger().post("/api/v1/queue/join", "", "X-Auth-User", "ann@example.org").json(t)["ticket_id"]
	if two := far.stranger().post("/api/v1/queue/join", "", "X-Auth-User", "ann@example.org").json(t)["ticket_id"]; one == two {
		t.Error("a name from a peer that is no trusted proxy counts")
	}
}

func TestSocketsPerAddress(t *testing.T) {
	st := occupied(t, Door{SocketsPerAddress: 2})
	url := strings.Replace(st.network.base, "http", "ws", 1) + "/live/kiosk"
	dial := func() (*websocket.Conn, error) {
		conn, _, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{Subprotocols: []string{subprotocol}})
		must(t, err)
		t.Cleanup(func() { _ = conn.CloseNow() })
		_, _, err = conn.Read(t.Context())
		return conn, err
	}
	first, err := dial()
	must(t, err)
	_, err = dial()
	must(t, err)
	if _, err := dial(); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("the third: %v", err)
	}
	must(t, first.Close(websocket.StatusNormalClosure, ""))
	eventually(t, "one may come after one has gone", func() bool { _, err := dial(); return err == nil })
}

// What is kept with all tickets together is bounded. Who finds no room keeps the ticket, and is told.
func TestKeptTextIsBoundedInTotal(t *testing.T) {
	st := occupied(t, Door{MaxKeptBytes: 1000})
	text := strings.Repeat("x", 400)
	first, second, third := st.visitor(), st.visitor(), st.visitor()
	for _, v := range []*visitor{first, second} {
		for range 3 { // the same session's text counts once
			if got := v.post("/api/v1/queue/join", query(text)); got.status != http.StatusOK {
				t.Fatalf("%d %s", got.status, got.body)
			}
		}
	}
	p := wantProblem(t, third.post("/api/v1/queue/join", query(text)), http.StatusRequestEntityTooLarge, "too_large")
	if standing, _ := p["standing"].(map[string]any); standing["status"] != "queued" || !strings.Contains(p["detail"].(string), "not") {
		t.Errorf("%v", p)
	}
	if got := third.get("/api/v1/queue/status").json(t); got["position"] != float64(4) && got["position"] != float64(3) {
		t.Errorf("the third stands at %v", got)
	}
	page := st.visitor().do(http.MethodPost, "/query", "query="+text, "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
	if page.status != http.StatusRequestEntityTooLarge || !strings.Contains(page.body, text+"</textarea>") || !strings.Contains(page.body, i18n.English.Say("fault.notKept")) {
		t.Errorf("the page: %d\n%s", page.status, page.body)
	}
	if got := third.post("/api/v1/queue/join", query(strings.Repeat("y", 200))); got.status != http.StatusOK {
		t.Errorf("a shorter one: %d %s", got.status, got.body)
	}
	first.delete("/api/v1/queue/ticket")
	if got := third.post("/api/v1/queue/join", query(text)); got.status != http.StatusOK {
		t.Errorf("when one has left: %d %s", got.status, got.body)
	}
}

// What is counted of sessions that come and go is forgotten.
func TestTallyForgets(t *testing.T) {
	held := map[string]bool{}
	y := newTally(10, func(_ context.Context, session string) bool { return held[session] }, time.Now)
	for i := range 200_000 {
		name := fmt.Sprint(i)
		settled, ok := y.enter(t.Context(), name, name, 1)
		if !ok {
			t.Fatal("no room")
		}
		settled()
	}
	if y.entries > 2*sweepLeast || len(y.groups) > 2*sweepLeast {
		t.Errorf("%d entries in %d groups are left", y.entries, len(y.groups))
	}
}
