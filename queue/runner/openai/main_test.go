package openai

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

// serverMark makes this program the server that the tests ask.
const serverMark = "OPENAI_TEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(serverMark) != "" {
		serve()
		return
	}
	os.Exit(m.Run())
}

// server is a process that speaks the protocol.
type server struct {
	url  string      // its base URL
	gone chan string // the text of each request whose client went before the answer was over
}

// startServer starts a server that ends with the test.
func startServer(t *testing.T) *server {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serverMark+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the server did not start")
	}
	s := &server{url: "http://" + lines.Text() + "/v1", gone: make(chan string, 100)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for lines.Scan() {
			s.gone <- strings.TrimPrefix(lines.Text(), "gone ")
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-done
		_ = cmd.Wait()
	})
	return s
}

// get reads what the server tells the tests.
func (s *server) get(t *testing.T, path string, into any) {
	t.Helper()
	response, err := http.Get(strings.TrimSuffix(s.url, "/v1") + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}

// open counts the requests that the server is still answering, after giving it a moment to notice that nobody waits.
func (s *server) open(t *testing.T) (n int) {
	t.Helper()
	deadline := time.Now().Add(noticed)
	for {
		if s.get(t, "/open", &n); n == 0 || time.Now().After(deadline) {
			return n
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// health has the server answer with a status from now on.
func (s *server) health(t *testing.T, status int) {
	t.Helper()
	var got int
	if s.get(t, fmt.Sprintf("/health/%d", status), &got); got != status {
		t.Fatalf("the server's status is %d", got)
	}
}

// noticed is within what the server must see the end of a request. The goal of 300 ms is for a machine at rest.
const noticed = 1500 * time.Millisecond

// awaitGone waits until the server has seen its client go, and measures how long after since that is.
func (s *server) awaitGone(t *testing.T, since time.Time) {
	t.Helper()
	select {
	case <-s.gone:
		took := time.Since(since)
		t.Logf("the server saw the end after %v", took)
		if took > noticed {
			t.Errorf("the server saw the end after %v", took)
		}
	case <-time.After(10 * time.Second):
		t.Error("the server has not seen the end")
	}
}

const testKey = "sk-secret-key-of-the-test"

// newRunner makes a runner that asks the server.
func newRunner(t *testing.T, s *server, options Options) *Runner {
	t.Helper()
	if options.URL == "" {
		options.URL = s.url
	}
	if options.Key == "" {
		options.Key = testKey
	}
	options.Model = "test-model"
	r, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ask runs a query and returns the answer.
func ask(t *testing.T, r *Runner, query string) (*runnertest.Recorder, error) {
	t.Helper()
	sink := new(runnertest.Recorder)
	err := r.Run(t.Context(), runner.Query{Text: query}, sink)
	for _, breach := range sink.Breaches() {
		t.Error(breach)
	}
	if strings.Contains(fmt.Sprintf("%v %+v", err, err), testKey) {
		t.Errorf("the key is in the error: %v", err)
	}
	return sink, err
}
