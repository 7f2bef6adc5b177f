package main

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestFirstStartMakesItsDataAndSaysSo(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	p := servingIn(t, data)
	wantMode(t, data, folderMode)
	wantMode(t, filepath.Join(data, keyFile), secretMode)
	for _, part := range []string{"Making the demo database", "Confluence is open", p.url + "\n", p.url + "kiosk\n", data} {
		if !strings.Contains(p.out.String(), part) {
			t.Errorf("%q is not in what a person is told:\n%s", part, p.out)
		}
	}
	for line := range strings.Lines(p.log.String()) { // not a terminal: JSON
		if !json.Valid([]byte(line)) {
			t.Errorf("a line of the log is not JSON: %s", line)
		}
	}
}

// TestSecondStartKeepsTheSession: two requests that bear the cookie of before the restart are of one session.
func TestSecondStartKeepsTheSession(t *testing.T) {
	data := dataWithDemo(t)
	ctx := t.Context()
	first := servingIn(t, data)
	visitor := newClient(first.url, nil)
	if _, err := visitor.query(ctx, "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	base, err := url.Parse(first.url)
	if err != nil {
		t.Fatal(err)
	}
	cookies := visitor.http.Jar.Cookies(base)
	if code := first.terminate(t); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	second := servingIn(t, data)
	if strings.Contains(second.out.String(), "Making") {
		t.Errorf("the demo database was made again:\n%s", second.out)
	}
	var tickets []string
	for range 2 {
		again := newClient(second.url, nil)
		again.http.Jar.SetCookies(base, cookies)
		at, err := again.join(ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		tickets = append(tickets, at.TicketID)
	}
	if len(cookies) != 1 || tickets[0] != tickets[1] {
		t.Errorf("the cookies %v gave the tickets %q: not one session", cookies, tickets)
	}
}

func TestAddressInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	p := launch(t, "--addr="+taken.Addr().String(), "--data-dir="+dataWithDemo(t))
	wantFailedStart(t, p, "confluence: the address "+taken.Addr().String()+" is in use", "--addr")
}

func TestMissingDatabase(t *testing.T) {
	p := launch(t, "--addr=127.0.0.1:0", "--data-dir="+dataWithDemo(t), "--database=/no/such/file.sqlite")
	wantFailedStart(t, p, "/no/such/file.sqlite", "--database")
}

func TestDatabaseThatIsNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "letter.txt")
	if err := os.WriteFile(file, []byte(strings.Repeat("this is not a database. ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	p := launch(t, "--addr=127.0.0.1:0", "--data-dir="+dataWithDemo(t), "--database="+file)
	wantFailedStart(t, p, file)
}

func TestDataFolderThatIsAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wantFailedStart(t, launch(t, "--addr=127.0.0.1:0", "--data-dir="+file), file, "--data-dir")
}

// wantFailedStart: exit code 1, and one line that says what it is.
func wantFailedStart(t *testing.T, p *process, parts ...string) {
	t.Helper()
	if code := p.exitCode(t, 20*time.Second); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
	said := p.log.String()
	if strings.Count(said, "\n") != 1 {
		t.Errorf("not one line:\n%s", said)
	}
	for _, part := range parts {
		if !strings.Contains(said, part) {
			t.Errorf("%q is not in %q", part, said)
		}
	}
}

func TestWrongSettingStopsTheStart(t *testing.T) {
	p := launch(t, "--queue-slots=none")
	if code := p.exitCode(t, soonEnough); code != exitMisused {
		t.Errorf("exit code %d, want %d", code, exitMisused)
	}
	if said := p.log.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "CONFLUENCE_WEB_QUEUE_SLOTS") {
		t.Errorf("it said:\n%s", said)
	}
}

func TestVersionOfTheBuild(t *testing.T) {
	p := launch(t, "version")
	if code := p.exitCode(t, soonEnough); code != exitDone || !strings.HasPrefix(p.out.String(), "confluence under-test (go") {
		t.Errorf("exit code %d, %q", code, p.out)
	}
}

// TestStopDuringARun: a run and a waiter, then SIGTERM: the run's client is told, the address closes, and the end comes soon, with 0.
func TestStopDuringARun(t *testing.T) {
	p := serving(t)
	ctx := t.Context()
	ended := make(chan error, 1)
	go func() {
		_, err := newClient(p.url, nil).query(ctx, endlessQuery)
		ended <- err
	}()
	waiter := newClient(p.url, nil)
	eventually(t, soonEnough, "the run to go", func() bool {
		now, err := waiter.picture(ctx)
		return err == nil && now.Runner == "running"
	})
	if _, err := waiter.join(ctx, ""); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if code := p.terminate(t); code != exitDone {
		t.Errorf("exit code %d\n%s", code, p.log)
	}
	if took := time.Since(began); took > stopWithin {
		t.Errorf("the stop took %v", took)
	}
	if err := <-ended; err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("the run's client was told %v", err)
	}
	if _, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/")); err == nil {
		t.Error("the address still answers")
	}
}

// TestSecondSignalEndsAtOnce: a connection that has asked nothing yet holds the graceful stop up for some seconds; the second signal
// doesn't wait for it.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	p := launch(t, "--addr=127.0.0.1:0", "--data-dir="+dataWithDemo(t))
	p.untilHealthy(t)
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// Connections are accepted in order: once a later one is answered the server knows of this one.
	if _, err := newClient(p.url, &http.Transport{DisableKeepAlives: true}).picture(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.signal(t, syscall.SIGTERM)
	eventually(t, soonEnough, "the stop to begin", func() bool { return strings.Contains(p.log.String(), "stopping") })
	p.signal(t, syscall.SIGTERM)
	if code := p.exitCode(t, soonEnough); code != exitFailed {
		t.Errorf("exit code %d, want %d\n%s", code, exitFailed, p.log)
	}
}
