package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// asking is `confluence ask`, the real binary, with its outputs piped.
type asking struct {
	cmd    *exec.Cmd
	out    transcript
	errs   transcript
	exited chan struct{}
}

func startAsking(t *testing.T, in string, args ...string) *asking {
	t.Helper()
	a := &asking{cmd: exec.Command(binary(t), append([]string{"ask"}, args...)...), exited: make(chan struct{})}
	a.cmd.Stdin, a.cmd.Stdout, a.cmd.Stderr = strings.NewReader(in), &a.out, &a.errs
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, envPrefix) {
			a.cmd.Env = append(a.cmd.Env, pair)
		}
	}
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		a.cmd.Wait()
		close(a.exited)
	}()
	t.Cleanup(func() {
		a.cmd.Process.Kill()
		<-a.exited
	})
	return a
}

// ends waits for the end and checks the exit code.
func (a *asking) ends(t *testing.T, code int) {
	t.Helper()
	select {
	case <-a.exited:
	case <-time.After(30 * time.Second):
		t.Fatalf("it has not ended\n%s%s", &a.out, &a.errs)
	}
	if got := a.cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("exit code %d, want %d\n%s%s", got, code, &a.out, &a.errs)
	}
}

// says waits until it has said so.
func (a *asking) says(t *testing.T, words string) {
	t.Helper()
	eventually(t, soonEnough, fmt.Sprintf("%q in what it says", words), func() bool { return strings.Contains(a.errs.String(), words) })
}

func TestAskAnswers(t *testing.T) {
	server := serving(t)
	for _, c := range []struct {
		name string
		in   string
		args []string
		out  string
	}{
		{"a table as CSV", "", []string{`SELECT 1 AS one, 'a "b", c' AS two, NULL AS three`}, "one,two,three\n1,\"a \"\"b\"\", c\",\n"},
		{"from standard input", "SELECT 7 AS seven\n", nil, "seven\n7\n"},
		{"from standard input by its name", "SELECT 7 AS seven\n", []string{"-"}, "seven\n7\n"},
		{"an empty cell alone", "", []string{"SELECT '' AS void"}, "void\n\"\"\n"},
		{"a large number", "", []string{"SELECT 9007199254740993 AS n"}, "n\n9007199254740993\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := startAsking(t, c.in, append([]string{"--server=" + server.url}, c.args...)...)
			a.ends(t, exitDone)
			if got := a.out.String(); got != c.out {
				t.Errorf("it prints %q, want %q", got, c.out)
			}
		})
	}
	t.Run("as JSON", func(t *testing.T) {
		a := startAsking(t, "", "--server="+server.url, "--json", "SELECT 1 AS one")
		a.ends(t, exitDone)
		var answer result
		if err := json.Unmarshal([]byte(a.out.String()), &answer); err != nil || answer.Outcome != "succeeded" || fmt.Sprint(answer.Rows) != "[[1]]" {
			t.Errorf("%+v, %v: %s", answer, err, &a.out)
		}
	})
}

func TestAskWaitsForItsTurn(t *testing.T) {
	server := serving(t)
	release := holdTheSlot(t.Context(), t, server)
	first, second := startAsking(t, "", "--server="+server.url, "SELECT 1 AS one"), (*asking)(nil)
	first.says(t, "place 1 in line")
	second = startAsking(t, "", "--server="+server.url, "SELECT 2 AS two")
	second.says(t, "place 2 in line")
	release()
	first.ends(t, exitDone)
	second.ends(t, exitDone)
	if first.out.String() != "one\n1\n" || second.out.String() != "two\n2\n" {
		t.Errorf("%q and %q", first.out.String(), second.out.String())
	}
}

func TestAskLeavesWhenInterrupted(t *testing.T) {
	server := serving(t)
	passer := newClient(server.url, nil)
	wants := func(what string, holds func(picture) bool) {
		t.Helper()
		eventually(t, soonEnough, what, func() bool {
			p, err := passer.picture(t.Context())
			return err == nil && holds(p)
		})
	}
	runs := startAsking(t, "", "--server="+server.url, endlessQuery)
	runs.says(t, "Running")
	waits := startAsking(t, "", "--server="+server.url, "SELECT 1")
	waits.says(t, "place 1 in line")
	for _, a := range []*asking{waits, runs} {
		if err := a.cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		a.ends(t, askInterrupted)
		if a == waits {
			wants("nobody to wait", func(p picture) bool { return p.Length == 0 && len(p.Serving) == 1 })
		}
	}
	wants("nobody to run", func(p picture) bool { return p.Runner == "idle" })
}

func TestAskExitCodes(t *testing.T) {
	server := serving(t, "--queue-max-length=0", "--run-timeout-seconds=1")
	address := "--server=" + server.url
	for _, c := range []struct {
		name string
		code int
		said string
		args []string
	}{
		{"a mistake", askRejected, "syntax error", []string{address, "SELEKT 1"}},
		{"no text", askRejected, "", []string{address, " "}},
		{"too long a run", askTimedOut, "limit", []string{address, endlessQuery}},
		{"no server", exitFailed, "can't be asked", []string{"--server=http://127.0.0.1:1", "SELECT 1"}},
		{"no address", exitMisused, "--server", []string{"--server=nowhere", "SELECT 1"}},
		{"no Confluence", exitFailed, "no Confluence", []string{address + "kiosk/", "SELECT 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := startAsking(t, "", c.args...)
			a.ends(t, c.code)
			if !strings.Contains(a.errs.String(), c.said) || strings.Contains(a.out.String(), "\n1") {
				t.Errorf("it says %q and prints %q", a.errs.String(), a.out.String())
			}
		})
	}
	t.Run("a full line", func(t *testing.T) {
		other := newClient(server.url, nil)
		if _, err := other.join(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		a := startAsking(t, "", address, "SELECT 1")
		a.ends(t, askTurnedAway)
	})
}

// cutter is a way to a server that can be closed: all connections break, and new ones are refused, until it is opened again.
type cutter struct {
	to     string
	closed atomic.Bool
	mu     sync.Mutex
	open   map[net.Conn]bool
}

func (c *cutter) serve(listener net.Listener) {
	for {
		near, err := listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", c.to)
		if err != nil || c.closed.Load() {
			near.Close()
			continue
		}
		c.mu.Lock()
		c.open[near], c.open[far] = true, true
		c.mu.Unlock()
		go func() { io.Copy(far, near); far.Close() }()
		go func() { io.Copy(near, far); near.Close() }()
	}
}

func (c *cutter) cut() {
	c.closed.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.open {
		conn.Close()
	}
	clear(c.open)
}

func TestAskSurvivesALostConnection(t *testing.T) {
	server := serving(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	way := &cutter{to: strings.TrimSuffix(strings.TrimPrefix(server.url, "http://"), "/"), open: map[net.Conn]bool{}}
	go way.serve(listener)
	defer way.cut()

	release := holdTheSlot(t.Context(), t, server)
	a := startAsking(t, "", "--server=http://"+listener.Addr().String(), "SELECT 1 AS one")
	a.says(t, "place 1 in line")
	way.cut()
	a.says(t, "No connection")
	release()
	way.closed.Store(false)
	a.ends(t, exitDone)
	if a.out.String() != "one\n1\n" {
		t.Errorf("it prints %q\n%s", a.out.String(), &a.errs)
	}
	if said := a.errs.String(); strings.Contains(said, "Joining again") {
		t.Errorf("the place was lost:\n%s", said)
	}
}

// TestAskReadsOnBehindABreak: a server whose stream of the run breaks in the middle. The rest is read, and nothing comes twice.
func TestAskReadsOnBehindABreak(t *testing.T) {
	var lasts []string
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/session", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"token":"t"}`) })
	mux.HandleFunc("POST /api/v1/queue/join", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"status":"ready","number":1}`) })
	mux.HandleFunc("POST /api/v1/query", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "event: accepted\ndata: {\"run_id\":\"r_1\"}\n\nevent: output\nid: 4\ndata: {\"text\":\"one \"}\n\nevent: output\nid: 8\nda")
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	mux.HandleFunc("GET /api/v1/runs/r_1/output", func(w http.ResponseWriter, r *http.Request) {
		lasts = append(lasts, r.Header.Get("Last-Event-ID"))
		fmt.Fprint(w, "event: output\nid: 7\ndata: {\"text\":\"two\"}\n\nevent: end\nid: 7\ndata: {\"outcome\":\"succeeded\"}\n\n")
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	var out, errs bytes.Buffer
	if code := ask(askCommand{Server: server.URL, Query: "x"}, nil, &out, &errs); code != exitDone || out.String() != "one two" {
		t.Errorf("exit code %d, %q, %s", code, out.String(), errs.String())
	}
	if len(lasts) != 1 || lasts[0] != "4" {
		t.Errorf("it read on behind %q", lasts)
	}
}

func TestAskAlignsTablesOnATerminal(t *testing.T) {
	var out bytes.Buffer
	o := newAskOutput(&out, true)
	for _, data := range []string{
		`{"columns":["name","n","grüße"]}`, `{"rows":[["a",1,"x\ty"],["bcd",-12.50,null]]}`, `{"rows":[["\u001b[31mred",100000,true]]}`,
	} {
		if err := o.event(askEvent{name: "output", data: data}); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.finish(); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"name          n  grüße", "-------  ------  -----", "a             1  x y", "bcd      -12.50", "[31mred  100000  true", "",
	}, "\n")
	if got := out.String(); got != want {
		t.Errorf("it prints\n%s\nwant\n%s", got, want)
	}
}

func TestAskShowsOneLineOnATerminal(t *testing.T) {
	var out bytes.Buffer
	p := &askProgress{out: &out, terminal: true}
	low, likely, high := int64(60), int64(120), int64(7200)
	at := askView{Status: "queued", Position: 3, Number: 42}
	at.Wait.Low, at.Wait.Likely, at.Wait.High = &low, &likely, &high
	p.show(at)
	p.show(at)
	at.Position = 2
	p.show(at)
	p.clear()
	p.clear()
	want := "\r\x1b[KTicket 42: place 3 in line, about 2 min (60 s to 2.0 h)\r\x1b[KTicket 42: place 2 in line, about 2 min (60 s to 2.0 h)\r\x1b[K"
	if out.String() != want {
		t.Errorf("it writes %q, want %q", out.String(), want)
	}
}

func TestAskErrors(t *testing.T) {
	for code, want := range map[string]int{
		"queue_full": askTurnedAway, "run_failed": askRunFailed, "runner_unavailable": askRunFailed, "run_timed_out": askTimedOut,
		"run_cancelled": askCancelled, "query_rejected": askRejected, "internal": exitFailed,
	} {
		if got := askCodeOf(fmt.Errorf("x: %w", &askRefusal{Code: code})); got != want {
			t.Errorf("%s: exit code %d, want %d", code, got, want)
		}
	}
	if got := askCodeOf((&askRefusal{Code: "ticket_not_found", Reason: "heartbeat_lost"}).lost()); got != askPlaceLost {
		t.Errorf("a lost place: exit code %d", got)
	}
	if got := askCodeOf(errors.New("x")); got != exitFailed {
		t.Errorf("anything else: exit code %d", got)
	}
}
