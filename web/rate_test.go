package web

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// paced is a site with the limits that a server has by itself, and a ticket behind another.
func paced(t *testing.T) (*site, *visitor) {
	t.Helper()
	st := open(t, siteOptions{options: Options{PollBurst: defaultPollBurst, PollRate: defaultPollRate}})
	st.visitor().post("/api/v1/queue/join", "")
	v := st.visitor()
	v.post("/api/v1/queue/join", "")
	return st, v
}

func TestWhoPollsAsToldIsNeverLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, v := paced(t)
		defer st.stop()
		must(t, st.controller.SetPaused(t.Context(), true))
		begin := time.Now()
		for time.Since(begin) < 20*time.Minute {
			status := v.get("/api/v1/queue/status")
			if status.status != http.StatusOK {
				t.Fatalf("after %v: %d %s", time.Since(begin), status.status, status.body)
			}
			time.Sleep(time.Duration(status.json(t)["poll_after_seconds"].(float64)) * time.Second)
		}
	})
}

func TestWhoPollsFasterIsLimitedAndKeepsTheTicket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, v := paced(t)
		defer st.stop()
		must(t, st.controller.SetPaused(t.Context(), true))
		ticket := v.get("/api/v1/queue/status").json(t)["ticket_id"]
		limited := 0
		for begin := time.Now(); time.Since(begin) < 20*time.Second; time.Sleep(100 * time.Millisecond) {
			header := []string{"Accept", "application/json"}
			if limited%2 == 1 {
				header[1] = "text/event-stream"
			}
			answer := v.look(header...)
			if answer.status == http.StatusOK {
				continue
			}
			limited++
			wantProblem(t, answer, http.StatusTooManyRequests, "rate_limited")
			if after, err := strconv.Atoi(answer.header.Get("Retry-After")); err != nil || after < 1 || after > 10 {
				t.Fatalf("Retry-After %q", answer.header.Get("Retry-After"))
			}
		}
		if limited < 100 {
			t.Errorf("%d calls were limited", limited)
		}
		for v.get("/api/v1/queue/status").status == http.StatusOK {
		}
		wantProblem(t, v.post("/api/v1/queue/join", ""), http.StatusTooManyRequests, "rate_limited")
		if other := st.visitor().post("/api/v1/queue/join", ""); other.status != http.StatusOK {
			t.Errorf("another session: %d", other.status)
		}
		time.Sleep(10 * time.Second)
		if status := v.get("/api/v1/queue/status"); status.status != http.StatusOK || status.json(t)["ticket_id"] != ticket {
			t.Errorf("after a rest: %d %s, want ticket %v", status.status, status.body, ticket)
		}
	})
}

// look asks for the status and, of a stream, reads no more than its beginning.
func (v *visitor) look(header ...string) reply {
	v.site.t.Helper()
	response, err := v.request(v.site.t.Context(), http.MethodGet, "/api/v1/queue/status", "", header...)
	must(v.site.t, err)
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return reply{status: response.StatusCode}
	}
	content := make([]byte, 4096)
	n, _ := response.Body.Read(content)
	return reply{status: response.StatusCode, header: response.Header, body: string(content[:n])}
}

func TestHeldCallsAreNotLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, v := paced(t)
		defer st.stop()
		must(t, st.controller.SetPaused(t.Context(), true))
		tag := v.get("/api/v1/queue/status").header.Get("ETag")
		for i := range 100 {
			answered := make(chan reply)
			go func() { answered <- v.get("/api/v1/queue/status", "If-None-Match", tag, "Prefer", "wait=20") }()
			synctest.Wait()
			must(t, st.controller.SetNotice(t.Context(), fmt.Sprint(i)))
			answer := <-answered
			if answer.status != http.StatusOK {
				t.Fatalf("call %d: %d %s", i, answer.status, answer.body)
			}
			tag = answer.header.Get("ETag")
		}
	})
}

func TestThePaceForgetsSessions(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	p := newPace(20, time.Second/2, func() time.Time { return now })
	for i := range 500_000 {
		p.take(fmt.Sprint(i))
		if i%1000 == 0 {
			now = now.Add(time.Millisecond)
		}
	}
	if n := len(p.present) + len(p.past); n > 2*paceSessions {
		t.Errorf("%d sessions are remembered at once", n)
	}
	for range 2 {
		now = now.Add(time.Minute)
		p.take("one")
	}
	if n := len(p.present) + len(p.past); n > 2 {
		t.Errorf("%d sessions are remembered after a rest", n)
	}
	for range 20 {
		p.take("two")
	}
	if wait := p.take("two"); wait != 500*time.Millisecond {
		t.Errorf("the 21st call waits for %v", wait)
	}
	now = now.Add(500 * time.Millisecond)
	if first, second := p.take("two"), p.take("two"); first != 0 || second == 0 {
		t.Errorf("half a second later: %v, %v", first, second)
	}
}

func TestStatusStreamGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{})
		defer st.stop()
		must(t, st.controller.SetPaused(t.Context(), true))
		v := st.visitor()
		v.post("/api/v1/queue/join", "")
		stream := v.follow(http.MethodGet, "/api/v1/queue/status", "")
		last := stream.want("standing").id
		stream.close()

		stream = v.follow(http.MethodGet, "/api/v1/queue/status", "", "Last-Event-ID", last)
		begin := time.Now()
		if ev, ok := stream.next(); !ok || !ev.comment || time.Since(begin) > streamSilence {
			t.Errorf("nothing has changed, and it says %+v after %v", ev, time.Since(begin))
		}
		must(t, st.controller.SetNotice(t.Context(), "soon"))
		if ev := stream.want("standing"); ev.json(t)["notice"] != "soon" || ev.id == last {
			t.Errorf("a change: %+v", ev)
		}
		stream.close()

		stream = v.follow(http.MethodGet, "/api/v1/queue/status", "", "Last-Event-ID", last)
		defer stream.close()
		if ev := stream.want("standing"); ev.json(t)["notice"] != "soon" {
			t.Errorf("a change that was missed: %+v", ev)
		}
	})
}

func TestARefusedPollIsAHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{options: Options{PollBurst: 1, PollRate: 1}})
		defer st.stop()
		must(t, st.controller.SetPaused(t.Context(), true))
		for _, accept := range []string{typeJSON, typeEvents} {
			v := st.visitor()
			v.post("/api/v1/queue/join", "")
			session := st.sessionOf(v)
			for range 3 {
				time.Sleep(20 * time.Second)
				st.server.pace.take(session) // the only call that it has
				wantProblem(t, v.look("Accept", accept), http.StatusTooManyRequests, "rate_limited")
			}
			if _, err := st.controller.Peek(t.Context(), session); err != nil {
				t.Errorf("%s: the ticket is gone: %v", accept, err)
			}
		}
	})
}
