package main

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

const adminToken = "a-token-for-the-tests"

// signsIn opens the operator's desk.
func (v *visitor) signsIn() {
	v.t.Helper()
	v.open("admin")
	v.sees(soonEnough, "The operator’s desk")
	v.writes("#token", adminToken)
	v.press("Sign in")
	v.sees(soonEnough, "Signed in as the operator")
}

// TestBrowserDesk: the operator pauses and posts a notice; a waiting room in another browser and the screen on the wall show both within a second.
// The head is called when the operator lets the line go on. Meanwhile the desk keeps itself up to date, and what is typed there stays.
func TestBrowserDesk(t *testing.T) {
	server := serving(t, "--admin-token="+adminToken)
	release := holdTheSlot(t.Context(), t, server)
	operator, waits, wall := newVisitor(t, server.url), newVisitor(t, server.url), newVisitor(t, server.url)
	operator.signsIn()
	operator.sees(soonEnough, "The line is open", "In line 0", "Running", "Nobody")
	waits.asksAndWaits("SELECT 'at last' AS said")
	waits.unticks(byItself)
	wall.open("kiosk")
	wall.sees(soonEnough, "1 in line")

	operator.writes("#words", "Back at")
	operator.sees(soonEnough, "In line 1")
	if words := eval[string](operator, `document.querySelector("#words").value`); words != "Back at" {
		t.Errorf("what is typed has become %q", words)
	}
	operator.press("Pause calling")
	waits.sees(time.Second, "Paused", "The operator paused the line.")
	wall.sees(time.Second, "Paused")
	operator.sees(soonEnough, "The line is paused")
	operator.writes("#words", "Back at noon, with more memory.")
	operator.press("Post notice")
	waits.sees(time.Second, "From the operator", "Back at noon, with more memory.")
	wall.sees(time.Second, "Back at noon, with more memory.")
	operator.sees(soonEnough, "Shown now", "Take it back")

	release()
	operator.sees(soonEnough, "Idle")
	waits.sees(soonEnough, "You are next")
	operator.press("Take it back")
	waits.until(time.Second, "the notice to be gone", func() bool { return !strings.Contains(waits.text(), "noon") })
	operator.sees(soonEnough, "The line is paused")
	operator.press("Resume calling")
	waits.sees(time.Second, "It’s your turn")
	operator.sees(soonEnough, "The line is open", "Called")
	waits.press("Run my query")
	waits.sees(soonEnough, "at last")

	operator.press("Sign out")
	operator.sees(soonEnough, "Token")
	operator.open("admin")
	operator.sees(soonEnough, "Token")
}

// TestBrowserDeskWithoutTheServer: the desk says that what it shows is old, and heals by itself.
func TestBrowserDeskWithoutTheServer(t *testing.T) {
	address, data := freeAddress(t), dataWithDemo(t)
	args := []string{"serve", "--addr=" + address, "--data-dir=" + data, "--admin-token=" + adminToken}
	p := launch(t, args...)
	p.untilHealthy(t)
	operator := newVisitor(t, p.url)
	operator.lonely = true
	operator.signsIn()
	operator.settled() // its scripts are there
	operator.mark()
	p.signal(t, syscall.SIGKILL)
	<-p.exited
	operator.sees(soonEnough, "Reconnecting, last heard at")
	again := launch(t, args...)
	again.untilHealthy(t)
	operator.sees(soonEnough, "Updated at", "The line is open")
	operator.wantMarked("when the server was back")
}

// TestBrowserDeskWithoutScript: plain forms.
func TestBrowserDeskWithoutScript(t *testing.T) {
	server := serving(t, "--admin-token="+adminToken)
	operator := newVisitor(t, server.url)
	operator.withoutScript()
	operator.signsIn()
	operator.press("Pause calling")
	operator.sees(soonEnough, "The line is paused", "Look again")
	operator.writes("#words", "Back at noon.")
	operator.press("Post notice")
	operator.sees(soonEnough, "Shown now", "Back at noon.")
	operator.press("Take it back")
	operator.until(soonEnough, "the notice to be gone", func() bool {
		text := operator.text()
		return strings.Contains(text, "Resume calling") && !strings.Contains(text, "Shown now")
	})
	operator.press("Resume calling")
	operator.sees(soonEnough, "The line is open")
}

// TestPauseAndNoticeOutliveARestart, by whatever end.
func TestPauseAndNoticeOutliveARestart(t *testing.T) {
	data := dataWithDemo(t)
	args := []string{"serve", "--addr=127.0.0.1:0", "--data-dir=" + data, "--admin-token=" + adminToken}
	p := launch(t, args...)
	p.untilHealthy(t)
	if !strings.Contains(p.out.String(), "\n  Desk    "+p.url+"admin\n") {
		t.Errorf("it doesn't say where the desk is:\n%s", p.out)
	}
	p.operates(t, http.MethodPost, "pause", "")
	p.operates(t, http.MethodPut, "notice", `{"notice":"Back at noon."}`)
	p.signal(t, syscall.SIGKILL)
	<-p.exited
	p = servingIn(t, data, "--admin-token="+adminToken)
	if now, err := newClient(p.url, nil).picture(t.Context()); err != nil || !now.Paused || now.Notice != "Back at noon." {
		t.Errorf("%+v, %v", now, err)
	}
}

// operates does something for the operator by the API.
func (p *process) operates(t *testing.T, method, what, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.url+"api/v1/admin/"+what, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+adminToken)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusNoContent {
		t.Fatalf("%s %s: %s", method, what, answer.Status)
	}
}
