package main

import (
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

var metricsLine = regexp.MustCompile(`(?m)^  Metrics (http://\S+/metrics)$`)

// fetched is what an address answers.
func fetched(t *testing.T, url string) (status int, text string) {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// TestMetrics: they are on an address of their own, which answers while a drain goes on, and closes with the rest.
func TestMetrics(t *testing.T) {
	server := serving(t, "--metrics-addr=127.0.0.1:0", "--drain-seconds=60")
	found := metricsLine.FindStringSubmatch(server.out.String())
	if found == nil {
		t.Fatalf("it doesn't say where the metrics are:\n%s", server.out)
	}
	where := found[1]
	if status, _ := fetched(t, server.url+"metrics"); status != http.StatusNotFound {
		t.Errorf("visitors get the metrics: %d", status)
	}
	if status, _ := fetched(t, strings.TrimSuffix(where, "metrics")); status != http.StatusNotFound {
		t.Errorf("something else is there: %d", status)
	}
	release := holdTheSlot(t.Context(), t, server)
	if _, err := newClient(server.url, nil).join(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	says := func(lines ...string) {
		t.Helper()
		status, text := fetched(t, where)
		for _, line := range lines {
			if status != http.StatusOK || !strings.Contains(text, "\n"+line+"\n") {
				t.Errorf("status %d, and no line %q in\n%s", status, line, text)
			}
		}
	}
	says(`confluence_tickets{state="running"} 1`, `confluence_tickets{state="waiting"} 1`, "confluence_joins_total 2", "confluence_runner_available 1")
	if _, text := fetched(t, where); !regexp.MustCompile(`\nconfluence_build_info\{go_version="go[^"]+",version="under-test"\} 1\n`).MatchString(text) ||
		!strings.Contains(text, "\nprocess_open_fds ") {
		t.Errorf("nothing is told of the program and its process:\n%s", text)
	}

	server.signal(t, syscall.SIGTERM)
	eventually(t, soonEnough, "the drain to begin", func() bool {
		status, _ := fetched(t, server.url+"readyz")
		return status == http.StatusServiceUnavailable
	})
	says(`confluence_tickets{state="running"} 1`)
	release()
	if code := server.exitCode(t, soonEnough); code != exitDone {
		t.Errorf("exit code %d\n%s", code, server.log)
	}
	if conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(where, "http://"), "/metrics")); err == nil {
		conn.Close()
		t.Error("the address is open still")
	}
}

// TestMetricsAddressInUse: the message names the setting.
func TestMetricsAddressInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	p := launch(t, "serve", "--addr=127.0.0.1:0", "--data-dir=", "--metrics-addr="+taken.Addr().String())
	if code := p.exitCode(t, soonEnough); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	for _, part := range []string{taken.Addr().String() + " is in use", "--metrics-addr (CONFLUENCE_WEB_METRICS_ADDR)"} {
		if !strings.Contains(p.log.String(), part) {
			t.Errorf("%q is not in %s", part, p.log)
		}
	}
}
