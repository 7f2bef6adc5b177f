package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// thirdOfASecond takes about that.
const thirdOfASecond = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT count(*) FROM n`

// TestStorm: 500 join within two seconds, half of them leave at random, the head finishes as fast as it can. No promise is broken as seen
// from outside, and when the time is over everybody has gone.
func TestStorm(t *testing.T) {
	server := serving(t, "--queue-heartbeat-seconds=10")
	picture := filepath.Join(t.TempDir(), "latencies.svg")
	storm := launch(t, "loadtest", "--server="+server.url, "--browsers=450", "--clients=50", "--arrival=2", "--leave=0.5", "--patience=15",
		"--duration=25", "--json", "--picture="+picture)
	code := storm.exitCode(t, time.Minute)
	var report loadReport
	if err := json.Unmarshal([]byte(storm.out.String()), &report); err != nil {
		t.Fatalf("exit code %d: %v\n%s%s", code, err, storm.out, storm.log)
	}
	if code != exitDone || !report.Held || len(report.Trouble) > 0 {
		t.Errorf("exit code %d\n%s%s", code, storm.out, storm.log)
	}
	became := 0
	for _, n := range report.Became {
		became += n
	}
	if became != 500 || report.Became[becameServed] == 0 || report.Became[becameLeft] == 0 {
		t.Errorf("of 500 it knows what became: %v", report.Became)
	}
	if drawn, err := os.Stat(picture); err != nil || drawn.Size() == 0 {
		t.Errorf("the picture: %v", err)
	}
	emptied(t, server)
	for _, row := range report.Latencies {
		t.Logf("%s: %d, p50 %.1f ms, p99 %.1f ms", row.What, row.Count, row.P50*1000, row.P99*1000)
	}
}

// TestLoadtestInterrupted: at Ctrl-C everybody leaves, and the report is there.
func TestLoadtestInterrupted(t *testing.T) {
	server := serving(t)
	openCurtain := holdTheSlot(t.Context(), t, server)
	defer openCurtain()
	storm := launch(t, "loadtest", "--server="+server.url, "--browsers=20", "--clients=20", "--arrival=0", "--duration=600", "--json")
	onlooker := newClient(server.url, nil)
	eventually(t, soonEnough, "everybody to have joined", func() bool {
		p, err := onlooker.picture(t.Context())
		return err == nil && p.Length == 40
	})
	storm.signal(t, syscall.SIGINT)
	if code := storm.exitCode(t, leaveWithin+soonEnough); code != exitDone {
		t.Errorf("exit code %d\n%s%s", code, storm.out, storm.log)
	}
	var report loadReport
	if err := json.Unmarshal([]byte(storm.out.String()), &report); err != nil || report.Became[becameWaiting] != 40 {
		t.Errorf("%v\n%s%s", err, storm.out, storm.log)
	}
	p, err := onlooker.picture(t.Context())
	if err != nil || p.Length != 0 {
		t.Errorf("somebody is left: %+v %v", p, err)
	}
}

// TestLoadtestOverARestart: whoever waits comes back to the same place when the server was stopped in the midst of it.
func TestLoadtestOverARestart(t *testing.T) {
	data := dataWithDemo(t)
	args := []string{"serve", "--data-dir=" + data, "--queue-heartbeat-seconds=15"}
	first := launch(t, append(args, "--addr=127.0.0.1:0")...)
	first.untilHealthy(t)
	storm := launch(t, "loadtest", "--server="+first.url, "--browsers=80", "--clients=20", "--arrival=1", "--duration=25", "--query="+thirdOfASecond, "--json")
	onlooker := newClient(first.url, nil)
	eventually(t, soonEnough, "most to wait", func() bool {
		p, err := onlooker.picture(t.Context())
		return err == nil && p.Length > 60
	})
	if code := first.terminate(t); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, first.log)
	}
	second := launch(t, append(args, "--addr="+strings.TrimSuffix(strings.TrimPrefix(first.url, "http://"), "/"))...)
	second.untilHealthy(t)
	code := storm.exitCode(t, time.Minute)
	var report loadReport
	if err := json.Unmarshal([]byte(storm.out.String()), &report); err != nil || code != exitDone {
		t.Fatalf("exit code %d: %v\n%s%s", code, err, storm.out, storm.log)
	}
	back := 0
	for _, row := range report.Latencies {
		if row.What == "back" {
			back = row.Count
			t.Logf("%d were back after %.1f s at the median, %.1f s at most", row.Count, row.P50, row.Max)
		}
	}
	if back == 0 {
		t.Errorf("nobody was cut off and came back:\n%s", storm.out)
	}
	emptied(t, second)
}

// emptied: nobody is in the line, or called, or runs.
func emptied(t *testing.T, server *process) {
	t.Helper()
	onlooker := newClient(server.url, nil)
	eventually(t, soonEnough, "the line to be empty and the runner idle", func() bool {
		p, err := onlooker.picture(t.Context())
		return err == nil && p.Length == 0 && p.Runner == "idle"
	})
}
