package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLoadtestRefuses what can't be, and whatever isn't on this machine, before anything is sent.
func TestLoadtestRefuses(t *testing.T) {
	for _, wrong := range []struct{ args, because string }{
		{"--server=http://192.0.2.7:8080", "--allow-remote"},
		{"--server=https://[2001:db8::1]/ask", "--allow-remote"},
		{"--server=localhost:8080", "must be an address such as"},
		{"--browsers=0 --clients=0", "from 1 to"},
		{"--browsers=60000 --clients=60000", "from 1 to"},
		{"--duration=7200", "an hour or less"},
		{"--duration=5 --arrival=10", "not be longer than the test"},
		{"--browsers=99000", "open files"},
		{"--sources=0", "1 or more"},
		{"--sources=500", "from 1 to 200"},
		{"--sources=2 --allow-remote", "addresses of this machine"},
		{"--leave=1.5", "a share from 0 to 1"},
		{"--leave=NaN", "a share from 0 to 1"},
	} {
		var out, errs strings.Builder
		code := run(append([]string{"loadtest"}, strings.Fields(wrong.args)...), nil, nil, &out, &errs)
		if code != exitMisused || !strings.Contains(errs.String(), wrong.because) || out.Len() > 0 {
			t.Errorf("%s: exit code %d\n%s%s", wrong.args, code, &out, &errs)
		}
	}
}

// TestLoadtestStaysHere: also where a name stands for another machine later than at the first look, or an answer leads there.
func TestLoadtestStaysHere(t *testing.T) {
	target, err := findTarget("http://localhost:1", false, 1, callsAtLeast)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := target.route(0).Get("http://192.0.2.7:8080/"); !errors.Is(err, errNotLoopback) {
		t.Errorf("it goes there: %v", err)
	}
}

func TestLoadtestOfNobody(t *testing.T) {
	var out, errs strings.Builder
	code := runLoadtest(loadtestCommand{Server: "http://127.0.0.1:1", Browsers: 1, Duration: time.Second, Sources: 1}, &out, &errs)
	if code != exitFailed || !strings.Contains(errs.String(), "can't be tested") {
		t.Errorf("exit code %d\n%s%s", code, &out, &errs)
	}
}

// TestLoadtestComesFromManyAddresses of this machine.
func TestLoadtestComesFromManyAddresses(t *testing.T) {
	target, err := findTarget("http://127.0.0.1:1", false, 3, callsAtLeast)
	if err != nil {
		t.Fatal(err)
	}
	from := make(chan string, 3)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { from <- r.RemoteAddr }))
	defer server.Close()
	for n := range 3 {
		answer, err := target.route(n).Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if host, want := <-from, []string{"127.0.0.1:", "127.0.0.2:", "127.0.0.3:"}[n]; !strings.HasPrefix(host, want) {
			t.Errorf("player %d comes from %s", n, host)
		}
	}
}

func TestQuantile(t *testing.T) {
	var sorted []time.Duration
	for n := range 100 {
		sorted = append(sorted, time.Duration(n+1))
	}
	for share, want := range map[float64]time.Duration{0: 1, 0.5: 50, 0.9: 90, 0.99: 99, 0.999: 100, 1: 100} {
		if got := quantile(sorted, share); got != want {
			t.Errorf("%g of 1…100 don't exceed %d: it should be %d", share, got, want)
		}
	}
	if got := quantile(sorted[:1], 0.99); got != 1 {
		t.Errorf("of one it is %d", got)
	}
}

// TestLoadtestDraws a picture that is XML, also of a single latency and of none.
func TestLoadtestDraws(t *testing.T) {
	times := newLatencies()
	for _, add := range []func(){
		func() {},
		func() { times.add("join", 0) },
		func() {
			for n := range 1000 {
				times.add("status", time.Duration(n)*time.Millisecond)
			}
		},
	} {
		add()
		file := filepath.Join(t.TempDir(), "latencies.svg")
		if err := times.draw(file); err != nil {
			t.Fatal(err)
		}
		picture, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for tokens := xml.NewDecoder(bytes.NewReader(picture)); ; {
			if _, err := tokens.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestLoadtestReportIsJSON with everything in it that a program wants to know.
func TestLoadtestReportIsJSON(t *testing.T) {
	target, err := findTarget("http://127.0.0.1:1", false, 1, callsAtLeast)
	if err != nil {
		t.Fatal(err)
	}
	test := newLoadtest(loadtestCommand{Browsers: 3}, target)
	test.times.add("join", time.Second)
	test.count(becameServed)
	test.check.breaks(promiseRise, "seen")
	text, err := json.Marshal(test.report())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"held":false`, `"became":{"served":1}`, `"p99_seconds":1`, `"violations":[{"promise":"no position rises","evidence":"seen"}]`} {
		if !strings.Contains(string(text), part) {
			t.Errorf("%s is not in %s", part, text)
		}
	}
}
