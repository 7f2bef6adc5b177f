package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue"
)

// 200,000 visitors come through the door and go, each from another address: with a text that is kept, a look at the own place, in every way
// that a ticket can end, and now and then with a run and its key. When what is remembered of them for a while has had its time, memory is where
// it was.
func TestVisitorsThatComeAndGoLeaveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{line: queue.Config{MaxLength: 1_000_000}, options: Options{PollBurst: 20, PollRate: 2,
			Door: Door{JoinsPerAddress: 5, WaitingPerAddress: 5, SocketsPerAddress: 5}}})
		defer st.stop()
		address := netip.MustParseAddr("10.0.0.0")
		come := func(visitors int) {
			t.Helper()
			for i := range visitors {
				address = address.Next()
				comeAndGo(t, st, address, i)
			}
			for range 3 { // the last generation of each memory that has them turns
				time.Sleep(25 * time.Hour)
				address = address.Next()
				comeAndGo(t, st, address, 0)
			}
			synctest.Wait()
		}
		come(2000)
		before := heapInUse()
		come(200_000)
		if after := heapInUse(); after > before+2<<20 {
			t.Errorf("%d KiB are held of 200,000 visitors that have gone", (after-before)>>10)
		}
	})
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// comeAndGo is one visitor.
func comeAndGo(t *testing.T, st *site, address netip.Addr, number int) {
	t.Helper()
	cookie := ""
	ask := func(method, path, body string, want int) {
		t.Helper()
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.RemoteAddr = netip.AddrPortFrom(address, 4711).String()
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(keyHeader, fmt.Sprint(number))
		if cookie != "" {
			r.Header.Set("Cookie", cookie)
		}
		w := httptest.NewRecorder()
		st.server.Handler().ServeHTTP(w, r)
		if w.Code != want {
			t.Fatalf("visitor %d: %s %s: %d %s", number, method, path, w.Code, w.Body)
		}
		if set := w.Header().Get("Set-Cookie"); set != "" {
			cookie, _, _ = strings.Cut(set, ";")
		}
	}
	ask(http.MethodPost, "/api/v1/queue/join", `{"query":"a text that is kept"}`, http.StatusOK)
	switch number % 10 {
	case 0:
		ask(http.MethodPost, "/api/v1/query", "", http.StatusOK)
		synctest.Wait() // the slot is given on
		ask(http.MethodGet, "/api/v1/queue/status", "", http.StatusNotFound)
	case 1: // says nothing: its turn passes
		time.Sleep(2 * time.Minute)
	case 2, 3:
		ask(http.MethodGet, "/api/v1/queue/status", "", http.StatusOK)
		fallthrough
	default:
		ask(http.MethodDelete, "/api/v1/queue/ticket", "", http.StatusNoContent)
	}
}
