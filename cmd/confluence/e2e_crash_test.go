package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"confluence/queue"
	"confluence/queue/sqlitestore"
)

// How often the program is killed in TestCrashOfTheProgram: in so many lineages at once, each with one data folder after the other.
const (
	crashLineages = 2
	crashFolders  = 26 // of each
	crashRounds   = 10 // in each
)

// killPoints are where the program kills itself, and how often it passes that before, at most; at the empty one it is killed from outside. A
// transaction writes to the log, syncs it, and is answered.
var killPoints = []struct {
	at     string
	passes int
}{{"", 0}, {"before write", 200}, {"after write", 200}, {"before sync", 40}, {"after sync", 40}}

// TestCrashOfTheProgram kills it hundreds of times under load, at random moments and at each step of a transaction: visitors join, some leave, and who
// is called runs, with an Idempotency-Key. After each kill it holds what they were answered against what the folder has and what was executed:
// acknowledged ⊆ recovered ∪ ended, the order is kept, at most one run a ticket, and an answer that was given is given again.
func TestCrashOfTheProgram(t *testing.T) {
	program := binary(t, "-tags", "killpoints")
	for lineage := range crashLineages {
		t.Run(fmt.Sprint("lineage ", lineage), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(5, uint64(lineage)))
			total := make(map[string]int)
			for folder := range crashFolders {
				c := newCrashed(t, random)
				for round := range crashRounds {
					point := killPoints[round%len(killPoints)]
					name := fmt.Sprintf("folder %d, round %d %s", folder, round, point.at)
					if !t.Run(name, func(t *testing.T) {
						c.round(t, program, point.at, random.IntN(point.passes+1))
						c.check(t)
					}) {
						return
					}
				}
				for what, n := range c.count() {
					total[what] += n
				}
			}
			if total["kills"] != crashFolders*crashRounds || total["joins"] < total["kills"] || total["runs"] < total["kills"]/50 || total["leaves"] < total["kills"]/4 {
				t.Errorf("it was hardly used: %v", total)
			}
			t.Log(total)
		})
	}
}

// crashed is a data folder in which the program has crashed again and again, and what its visitors were answered.
type crashed struct {
	data     string
	executed string // the file into which each run writes its text
	random   *rand.Rand

	mu            sync.Mutex
	visits        map[string]*visit // by name
	kills, starts int
}

// visit is the story of one session, which comes once. What was asked for and not answered may have happened.
type visit struct {
	name   string // and its text, and its key
	token  string
	leaves bool

	joined standing // answered; the zero value: not
	left   bool     // answered
	claims bool     // asked for
	run    string   // answered, with its result
}

func newCrashed(t *testing.T, random *rand.Rand) *crashed {
	return &crashed{data: filepath.Join(t.TempDir(), "data"), executed: filepath.Join(t.TempDir(), "executed"), random: random, visits: make(map[string]*visit)}
}

func (c *crashed) count() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := map[string]int{"kills": c.kills, "kills while it started": c.kills - c.starts}
	for _, v := range c.visits {
		for what, is := range map[string]bool{"joins": v.joined.Number != 0, "leaves": v.left, "runs": v.run != ""} {
			if is {
				n[what]++
			}
		}
	}
	return n
}

// round starts the program and lets visitors at it until it dies: at the named point, which it has passed so often before, or after a while.
func (c *crashed) round(t *testing.T, program, point string, passes int) {
	t.Helper()
	c.kills++
	p := launchBinary(t, "/usr/bin/env", fmt.Sprintf("CONFLUENCE_KILL_AT=%s %d", point, passes), program, "--addr=127.0.0.1:0", "--data-dir="+c.data, patient,
		"--queue-max-length=100000", "--queue-reservation-seconds=600", "--polls-per-second=1000", "--runner=command", `--command=["/usr/bin/tee","-a","`+c.executed+`"]`)
	eventually(t, soonEnough, "the address to be printed, or the end", func() bool {
		if found := askLine.FindStringSubmatch(p.out.String()); found != nil {
			p.url = found[1]
		}
		select {
		case <-p.exited:
			return true
		default:
			return p.url != ""
		}
	})
	if p.url != "" {
		c.starts++
		if point == "" {
			defer time.AfterFunc(time.Duration(50+c.random.IntN(100))*time.Millisecond, func() { p.cmd.Process.Kill() }).Stop()
		}
		c.load(t, p)
	}
	p.exitCode(t, soonEnough)
	if said := p.cmd.ProcessState.String(); said != "signal: killed" {
		t.Fatalf("it ended by itself: %s\n%s", said, p.log)
	}
}

// load lets visitors at the program until it is gone.
func (c *crashed) load(t *testing.T, p *process) {
	transport := &http.Transport{MaxIdleConnsPerHost: 10}
	defer transport.CloseIdleConnections()
	ctx := t.Context()
	site := newClient(p.url, transport)
	if !c.comeBack(ctx, t, site) {
		return
	}
	for range c.kills % 3 { // a run takes longer than most rounds last: some begin with one or two, before the crowd is in
		if !c.serve(ctx, t, site) {
			return
		}
	}
	var all sync.WaitGroup
	for i := range 3 {
		random := rand.New(rand.NewPCG(c.random.Uint64(), 0))
		all.Go(func() {
			for n := 0; ; n++ {
				v := &visit{name: fmt.Sprintf("visit-%d-%d-%d;", c.kills, i, n), leaves: random.IntN(3) > 0}
				if !c.visit(ctx, t, site, v) {
					return
				}
			}
		})
	}
	all.Go(func() {
		for c.serve(ctx, t, site) {
		}
	})
	all.Wait()
}

// gone tells whether an error is that of a program that was killed; another one fails the test.
func gone(t *testing.T, what string, err error) bool {
	if _, refused := errors.AsType[*problem](err); refused {
		t.Errorf("%s: %v", what, err)
	}
	return err != nil
}

func (v *visit) authorization() []string { return []string{"Authorization", "Bearer " + v.token} }

// visit is one session's coming, and for some its going. It is false when the program is gone.
func (c *crashed) visit(ctx context.Context, t *testing.T, site *client, v *visit) bool {
	var token struct {
		Token string `json:"token"`
	}
	if gone(t, "a session", site.call(ctx, http.MethodPost, "api/v1/session", nil, &token)) {
		return false
	}
	v.token = token.Token
	c.mu.Lock()
	c.visits[v.name] = v
	c.mu.Unlock()
	var joined standing
	if gone(t, "a join", site.call(ctx, http.MethodPost, "api/v1/queue/join", map[string]string{"query": v.name}, &joined, v.authorization()...)) {
		return false
	}
	c.mu.Lock()
	v.joined = joined
	c.mu.Unlock()
	return !v.leaves || c.leave(ctx, t, site, v)
}

func (c *crashed) leave(ctx context.Context, t *testing.T, site *client, v *visit) bool {
	if gone(t, "a leave", site.call(ctx, http.MethodDelete, "api/v1/queue/ticket", nil, nil, v.authorization()...)) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	v.left = true
	return true
}

// serve has whoever is called run, or leave if they mean to. It is false when the program is gone.
func (c *crashed) serve(ctx context.Context, t *testing.T, site *client) bool {
	now, err := site.picture(ctx)
	if gone(t, "the picture", err) {
		return false
	}
	v := c.called(now)
	switch {
	case v == nil:
		return ctx.Err() == nil
	case v.leaves:
		return c.leave(ctx, t, site, v)
	}
	return c.claim(ctx, t, site, v)
}

// called is who is called, if that is somebody who knows the number and doesn't leave at the moment.
func (c *crashed) called(now picture) *visit {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range c.visits {
		if len(now.Called) == 1 && v.joined.Number == now.Called[0] && !v.left && (!v.leaves || !strings.HasPrefix(v.name, fmt.Sprintf("visit-%d-", c.kills))) {
			return v
		}
	}
	return nil
}

// claim runs the text that was kept at the join, and notes the answer.
func (c *crashed) claim(ctx context.Context, t *testing.T, site *client, v *visit) bool {
	c.mu.Lock()
	v.claims = true
	c.mu.Unlock()
	var answer result
	err := site.call(ctx, http.MethodPost, "api/v1/query", map[string]string{}, &answer, append(v.authorization(), "Idempotency-Key", v.name)...)
	if gone(t, "a claim of "+v.name, err) {
		return false
	}
	if answer.Text != v.name || answer.Outcome != "succeeded" || v.run != "" && answer.RunID != v.run {
		t.Errorf("%s, of run %q, was answered %+v", v.name, v.run, answer)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	v.run = answer.RunID
	return true
}

// comeBack has those ask again who were not answered before the crash, and somebody who was. It is false when the program is gone.
func (c *crashed) comeBack(ctx context.Context, t *testing.T, site *client) bool {
	served := false
	for _, v := range c.visits {
		switch {
		case v.joined.Number == 0:
			var is standing
			err := site.call(ctx, http.MethodGet, "api/v1/queue/status", nil, &is, v.authorization()...)
			if refused, ok := errors.AsType[*problem](err); ok && refused.Code == "ticket_not_found" {
				continue
			}
			if gone(t, "a status", err) {
				return false
			}
			v.joined = is
		case v.claims && v.run == "":
			var answer result
			err := site.call(ctx, http.MethodPost, "api/v1/query", map[string]string{}, &answer, append(v.authorization(), "Idempotency-Key", v.name)...)
			if refused, ok := errors.AsType[*problem](err); ok && (refused.Code == "run_interrupted" || refused.Code == "invalid_query") {
				continue // it had begun, or was about to
			}
			if gone(t, "a claim again of "+v.name, err) {
				return false
			}
			v.run = answer.RunID
		case v.run != "" && !served:
			served = true
			if !c.claim(ctx, t, site, v) {
				return false
			}
		}
	}
	return true
}

// check holds what the folder has, and what was executed, against what was answered.
func (c *crashed) check(t *testing.T) {
	t.Helper()
	stored, err := sqlitestore.Inspect(t.Context(), c.data)
	if errors.Is(err, sqlitestore.ErrNoLine) && c.starts == 0 { // it died before there was a line
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	found, last, running := make(map[string]sqlitestore.Ticket), int64(0), 0
	for _, ticket := range append(stored.Tickets, stored.Ended...) {
		if _, twice := found[ticket.Query]; twice || c.visits[ticket.Query] == nil {
			t.Errorf("the ticket %+v is there twice, or for nobody", ticket)
		}
		found[ticket.Query] = ticket
		switch ticket.Status {
		case string(queue.Running):
			running++
		case string(queue.Queued):
			if ticket.Number <= last {
				t.Errorf("%d stands behind %d", ticket.Number, last)
			}
			last = ticket.Number
		}
	}
	if running > 1 {
		t.Errorf("%d run in one slot", running)
	}
	for _, v := range c.visits {
		v.check(t, found[v.name])
	}
	text, err := os.ReadFile(c.executed)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for name, v := range c.visits {
		n := strings.Count(string(text), name)
		if n > 1 || n == 0 && v.run != "" || n == 1 && !v.claims {
			t.Errorf("%s was executed %d times: %+v", name, n, v)
		}
	}
}

func (v *visit) check(t *testing.T, ticket sqlitestore.Ticket) {
	t.Helper()
	waits := ticket.Status == string(queue.Queued) || ticket.Status == string(queue.Ready)
	switch {
	case v.joined.Number != 0 && (ticket.Number != v.joined.Number || ticket.ID != v.joined.TicketID):
		t.Errorf("%+v has the ticket %+v", v, ticket)
	case v.run != "" && (ticket.RunID != v.run || ticket.Outcome != queue.Succeeded):
		t.Errorf("%+v was answered, and has the ticket %+v", v, ticket)
	case v.left && ticket.Reason != queue.ReasonLeft:
		t.Errorf("%+v has left, and has the ticket %+v", v, ticket)
	case ticket.Number != 0 && !waits && !v.claims && !v.leaves:
		t.Errorf("%+v has asked for nothing, and has the ticket %+v", v, ticket)
	}
}
