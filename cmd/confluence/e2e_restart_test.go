package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"confluence/queue/sqlitestore"
)

// patient is a heartbeat that nobody loses in these tests.
const patient = "--queue-heartbeat-seconds=600"

// TestRestartKeepsTheLine: after SIGTERM and after kill -9, with a run and five who wait: same places, same numbers, same tickets; the run is told to
// its owner as ended, and is not run again.
func TestRestartKeepsTheLine(t *testing.T) {
	for _, by := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(by.String(), func(t *testing.T) {
			data, ctx := dataWithDemo(t), t.Context()
			p := launch(t, "--addr=127.0.0.1:0", "--data-dir="+data, patient)
			p.untilHealthy(t)
			runs := newClient(p.url, nil)
			if _, err := runs.join(ctx, endlessQuery); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				runs.query(ctx, endlessQuery)
			}()
			eventually(t, soonEnough, "the run to go", func() bool {
				now, err := runs.picture(ctx)
				return err == nil && now.Runner == "running"
			})
			var waiters []*client
			var before []standing
			for i := range 5 {
				waiter := newClient(p.url, nil)
				at, err := waiter.join(ctx, fmt.Sprintf("SELECT %d", i))
				if err != nil || at.Position != i+1 {
					t.Fatalf("%+v, %v", at, err)
				}
				waiters, before = append(waiters, waiter), append(before, at)
			}
			p.signal(t, by)
			p.exitCode(t, 20*time.Second)
			<-ended

			p = servingIn(t, data, patient)
			for i, waiter := range waiters {
				waiter.base = p.url
				now, err := waiter.status(ctx)
				if err != nil || now.TicketID != before[i].TicketID || now.Number != before[i].Number || now.Position != before[i].Position || now.Revision <= before[i].Revision {
					t.Errorf("waiter %d stood at %+v and stands at %+v, %v", i, before[i], now, err)
				}
			}
			runs.base = p.url
			_, err := runs.status(ctx)
			if refused, ok := errors.AsType[*problem](err); !ok || refused.Reason != "finished" {
				t.Errorf("who ran is told %v", err)
			}
			if now, err := runs.picture(ctx); err != nil || len(now.Serving) > 0 || len(now.Called) != 1 || now.Called[0] != before[0].Number {
				t.Errorf("the picture is %+v, %v", now, err)
			}
			var answer result
			if err := waiters[0].call(ctx, http.MethodPost, "api/v1/query", map[string]string{}, &answer); err != nil || len(answer.Rows) != 1 || fmt.Sprint(answer.Rows[0][0]) != "0" {
				t.Errorf("the kept text of the first gave %+v, %v", answer, err)
			}
		})
	}
}

// TestTwoOnOneDataFolder: the second is told why it can't, and the first goes on.
func TestTwoOnOneDataFolder(t *testing.T) {
	data := dataWithDemo(t)
	first := servingIn(t, data)
	second := launch(t, "--addr=127.0.0.1:0", "--data-dir="+data)
	wantFailedStart(t, second, data, "in use by another process", fmt.Sprint("process ", first.cmd.Process.Pid))
	if _, err := newClient(first.url, nil).join(t.Context(), ""); err != nil {
		t.Error(err)
	}
}

// TestNoDataFolder: an empty setting, by variable or by flag, keeps everything in memory, says so, and leaves nothing behind.
func TestNoDataFolder(t *testing.T) {
	temporary := t.TempDir()
	demo := filepath.Join(dataWithDemo(t), demoFile)
	t.Setenv("TMPDIR", temporary)
	p := launch(t, "--addr=127.0.0.1:0", "--data-dir=", "--database="+demo)
	p.untilHealthy(t)
	if _, err := newClient(p.url, nil).join(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if code := p.terminate(t); code != exitDone {
		t.Errorf("exit code %d\n%s", code, p.log)
	}
	for where, said := range map[string]string{"on the terminal": p.out.String(), "in the log": p.log.String()} {
		if !strings.Contains(said, "in memory") {
			t.Errorf("it isn't said %s:\n%s", where, said)
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}

func TestDataFolderSettingMayBeEmpty(t *testing.T) {
	if got := asked(t, []string{"CONFLUENCE_WEB_DATA_DIR="}).Serve.DataDir; got != "" {
		t.Errorf("by variable it is %q", got)
	}
	if got := asked(t, nil, "--data-dir=").Serve.DataDir; got != "" {
		t.Errorf("by flag it is %q", got)
	}
}

// TestInspectPrintsWhatIsStored: of a folder that is served, and of one that isn't any more, as a table and as JSON.
func TestInspectPrintsWhatIsStored(t *testing.T) {
	data, ctx := dataWithDemo(t), t.Context()
	p := launch(t, "--addr=127.0.0.1:0", "--data-dir="+data, patient)
	p.untilHealthy(t)
	if _, err := newClient(p.url, nil).query(ctx, "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	waits := newClient(p.url, nil)
	at, err := waits.join(ctx, "SELECT '\x1b[2J', "+strings.Repeat("1, ", 50)+"2")
	if err != nil {
		t.Fatal(err)
	}
	look := func() {
		t.Helper()
		table := inspected(t, data)
		for _, part := range []string{at.TicketID, "ready", "In the line: 1", "finished", "succeeded", `SELECT '\x1b[2J'`, "…", "seconds, the newest first"} {
			if !strings.Contains(table, part) {
				t.Errorf("%q is not in the table:\n%s", part, table)
			}
		}
		var stored sqlitestore.Contents
		if err := json.Unmarshal([]byte(inspected(t, data, "--json")), &stored); err != nil {
			t.Fatal(err)
		}
		if len(stored.Tickets) != 1 || stored.Tickets[0].ID != at.TicketID || stored.Tickets[0].Position != 1 || len(stored.Ended) != 1 || len(stored.Durations) != 1 {
			t.Errorf("as JSON it is %+v", stored)
		}
	}
	look()
	if code := p.terminate(t); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, p.log)
	}
	look()
	var out, errs bytes.Buffer
	if code := inspect(context.Background(), t.TempDir(), false, &out, &errs); code != exitFailed || !strings.Contains(errs.String(), "no line is stored here") {
		t.Errorf("of an empty folder: exit code %d, %q %q", code, &out, &errs)
	}
}

func inspected(t *testing.T, data string, flags ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(append([]string{"inspect", data}, flags...), nil, nil, &out, &errs); code != exitDone {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	return out.String()
}
