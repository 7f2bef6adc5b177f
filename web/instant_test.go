package web

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue"
	"confluence/queue/runner"
)

// meddled is a store in which something happens at the very instant of a call.
type meddled struct {
	queue.Store
	claimed atomic.Pointer[func(session string)] // called behind each claim, before its caller hears of it
	looked  atomic.Pointer[func(session string)] // … behind each peek
	asked   atomic.Pointer[func(session string)] // … before each status
	swept   atomic.Pointer[func(session string)] // … before each reading of many, with no session
}

func call(hook *atomic.Pointer[func(session string)], session string) {
	if happens := hook.Load(); happens != nil {
		(*happens)(session)
	}
}

func (m *meddled) Claim(ctx context.Context, session string) (queue.Grant, error) {
	g, err := m.Store.Claim(ctx, session)
	call(&m.claimed, session)
	return g, err
}

func (m *meddled) Peek(ctx context.Context, session string) (queue.View, error) {
	v, err := m.Store.Peek(ctx, session)
	call(&m.looked, session)
	return v, err
}

func (m *meddled) Status(ctx context.Context, session string) (queue.View, error) {
	call(&m.asked, session)
	return m.Store.Status(ctx, session)
}

func (m *meddled) Each(ctx context.Context, from, to int, fn func(session string, v queue.View)) error {
	call(&m.swept, "")
	return m.Store.Each(ctx, from, to, fn)
}

// openMeddled is open with a store to meddle with.
func openMeddled(t *testing.T) (*site, *meddled) {
	m := &meddled{}
	return open(t, siteOptions{store: func(s queue.Store) queue.Store {
		m.Store = s
		return m
	}}), m
}

// Who is called in the midst of the own call, between the refusal and the answer, holds a reservation, and is never told busy.
func TestCalledInTheMidstOfAClaim(t *testing.T) {
	for _, key := range []string{"", "k"} {
		st, store := openMeddled(t)
		before, v := st.visitor(), st.visitor()
		before.post("/api/v1/queue/join", "")
		v.post("/api/v1/queue/join", "")
		gone := func(string) {
			store.claimed.Store(nil)
			must(t, store.Leave(t.Context(), st.sessionOf(before)))
		}
		store.claimed.Store(&gone)
		var header []string
		if key != "" {
			header = []string{keyHeader, key}
		}
		if answer := v.post("/api/v1/query", query("select 1"), header...); answer.status != http.StatusOK {
			t.Errorf("key %q: %d %s", key, answer.status, answer.body)
		}
	}
}

// A run that met a runner that was away has no answer: its key is free again.
func TestAKeyIsFreeAgainWhenTheRunnerWasAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{})
		defer st.stop()
		st.runner.on("q", func(context.Context, runner.Sink) error { return &runner.UnavailableError{RetryAfter: time.Second} })
		v := st.visitor()
		wantProblem(t, v.keyed("k", "q"), http.StatusServiceUnavailable, "runner_unavailable")
		st.runner.on("q", func(_ context.Context, out runner.Sink) error { return out.Text("now") })
		time.Sleep(time.Minute)
		if answer := v.keyed("k", "q"); answer.status != http.StatusOK || answer.header.Get(replayHeader) != "" || answer.json(t)["text"] != "now" {
			t.Errorf("when it is back: %d %v %s", answer.status, answer.header, answer.body)
		}
		if answer := v.keyed("k", "q"); answer.header.Get(replayHeader) != "true" {
			t.Errorf("and again: %d %v %s", answer.status, answer.header, answer.body)
		}
	})
}

// A runner that is away can't look at a text: who joins gets the ticket all the same, and the text is kept.
func TestJoiningWhileTheRunnerIsAway(t *testing.T) {
	st := open(t, siteOptions{})
	st.runner.fail("select 1", &runner.UnavailableError{})
	v, page := st.visitor(), st.visitor()
	answer := v.post("/api/v1/queue/join", query("select 1"))
	if answer.status != http.StatusOK || answer.json(t)["query_kept"] != true {
		t.Errorf("%d %s", answer.status, answer.body)
	}
	form := page.post("/query", "query=select+1", "Content-Type", "application/x-www-form-urlencoded")
	if form.status != http.StatusSeeOther || form.header.Get("Location") != "/wait" {
		t.Errorf("the page: %d %v %s", form.status, form.header, form.body)
	}
	if view := page.get("/api/v1/queue/status").json(t); view["query_kept"] != true {
		t.Errorf("the page's ticket: %v", view)
	}
	st.runner.fail("select 1", &runner.RejectedError{Detail: "near 1"})
	wantProblem(t, st.visitor().post("/api/v1/queue/join", query("select 1")), http.StatusUnprocessableEntity, "query_rejected")
}

// What a stream tells first is what its first look saw. A standing that was read before that, and arrives after it, is not told: behind the
// look a position would rise.
func TestOlderStandingIsNotTold(t *testing.T) { synctest.Test(t, olderStandingIsNotTold) }

func olderStandingIsNotTold(t *testing.T) {
	st, store := openMeddled(t)
	defer st.stop()
	first, second, v := st.visitor(), st.visitor(), st.visitor()
	for _, joins := range []*visitor{first, second, v} {
		joins.post("/api/v1/queue/join", "")
	}
	session := st.sessionOf(v)
	read, release := make(chan struct{}), make(chan struct{})
	peeked := func(of string) { // the push to the new watcher: it has read place 3, and tells it later
		if of == session {
			store.looked.Store(nil)
			close(read)
			<-release
		}
	}
	store.looked.Store(&peeked)
	asked := func(string) { // the first look comes when the line has moved since
		store.asked.Store(nil)
		<-read
		must(t, store.Leave(t.Context(), st.sessionOf(second)))
	}
	store.asked.Store(&asked)
	told := make(chan struct{})
	sweeps := func(string) { // what came since is told later still, and doesn't take the older one's place
		store.swept.Store(nil)
		<-told
	}
	stream := v.follow(http.MethodGet, "/api/v1/queue/status", "")
	if at := stream.want("standing").json(t)["position"]; at != 2.0 {
		t.Fatalf("it begins at place %v", at)
	}
	store.swept.Store(&sweeps)
	close(release)
	synctest.Wait()
	close(told)
	synctest.Wait()
	first.delete("/api/v1/queue/ticket")
	if at := stream.want("standing").json(t)["position"]; at != 1.0 {
		t.Errorf("behind place 2 it tells of place %v", at)
	}
	stream.close()
}

func TestOlderStandingIsNotSentToASocket(t *testing.T) {
	st := open(t, siteOptions{})
	feed := &standingFeed{room: st.server.live, socket: &socket{room: st.server.live, post: postOver}} // has gone: nothing is sent
	newer, older := queue.View{TicketID: "q_1", Position: 2, Revision: 9}, queue.View{TicketID: "q_1", Position: 3, Revision: 8}
	feed.Standing(older)
	feed.read(newer, nil)
	feed.Standing(older)
	if feed.view.Position != 2 {
		t.Errorf("place %d is told behind place 2", feed.view.Position)
	}
}
