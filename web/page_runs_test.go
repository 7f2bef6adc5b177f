package web

import (
	"context"
	"html"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue/runner"
)

// textOfPage is the words of a page without its tags, with single spaces between.
func textOfPage(body string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(body, "<") {
		_, text, found := strings.Cut(part, ">")
		if found {
			b.WriteString(" " + text)
		}
	}
	return html.UnescapeString(strings.Join(strings.Fields(b.String()), " "))
}

// wantInOrder checks that a page says these words, one after the other.
func wantInOrder(t *testing.T, page reply, words ...string) {
	t.Helper()
	rest := textOfPage(page.body)
	for _, word := range words {
		_, after, found := strings.Cut(rest, word)
		if page.status != http.StatusOK || !found {
			t.Fatalf("status %d, %q is not in the rest of the page: %s", page.status, word, rest)
		}
		rest = after
	}
}

func TestMyRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{options: Options{RunTimeout: time.Minute}})
		defer st.stop()
		st.runner.on("SELECT\n\t'some words'", func(_ context.Context, out runner.Sink) error {
			time.Sleep(52 * time.Second)
			return out.Text("just three words")
		})
		st.runner.on("a part", func(ctx context.Context, out runner.Sink) error {
			_ = out.Text("a part")
			return untilStopped(ctx, out)
		})
		st.runner.on("broken", func(context.Context, runner.Sink) error { return &runner.FailedError{Detail: "no"} })
		st.runner.on("cut", func(_ context.Context, out runner.Sink) error {
			out.Truncated("Too much.")
			return out.Text("one word")
		})
		st.runner.on("deaf", func(context.Context, runner.Sink) error { time.Sleep(10 * time.Minute); return nil })
		st.runner.on("long", untilStopped)
		v := st.visitor()
		if page := st.stranger().get("/runs"); !strings.Contains(page.body, "There is no run of yours at the moment.") || len(page.header["Set-Cookie"]) != 0 {
			t.Errorf("a stranger: %s", page.body)
		}
		var first *run
		for _, text := range []string{strings.Repeat("select 1 ", 20), "SELECT\n\t'some words'", "a part", "broken", "cut"} {
			x := st.begin(v, text)
			defer x.watch()()
			x.wait(t.Context())
			synctest.Wait()
			if first == nil {
				first = x
			}
		}
		cancelled := st.begin(v, "long")
		time.Sleep(9 * time.Second)
		cancelled.cancel()
		synctest.Wait()
		deaf := st.begin(v, "deaf")
		defer deaf.watch()()
		time.Sleep(42 * time.Second)
		wantInOrder(t, v.get("/runs"), "My runs", "What you ran, newest first",
			"deaf", "Running for 42 seconds", "Watch",
			"long", "Cancelled by you after 9 seconds, ended", "Ask again",
			"cut", "Cut at 2 words after", "Ask again",
			"broken", "Failed after", "Ask again",
			"a part", "Incomplete: stopped at the limit of 1 minute, ended", "Ask again",
			"SELECT 'some words'", "3 words in 52 seconds, ended", "Ask again",
			"select 1 select 1", "…", "1 row in", "Ask again", "Each run is kept for 1 hour")
		if page := v.get("/runs").body; !strings.Contains(page, `href="/runs" aria-current="page"`) || strings.Contains(page, `href="/" aria-current="page"`) {
			t.Error("the navigation doesn't say where we are")
		}
		if page := v.get("/?again=" + first.id); !strings.Contains(page.body, first.query+"</textarea>") {
			t.Errorf("ask again doesn't fill the text in: %s", page.body)
		}

		// Nobody else sees any of it.
		other := st.visitor()
		other.post("/api/v1/queue/join", "")
		if page := other.get("/runs").body; strings.Contains(page, first.id) || !strings.Contains(page, "There is no run of yours") {
			t.Error("somebody else's runs are shown")
		}
		if page := other.get("/?again=" + first.id); strings.Contains(page.body, first.query) {
			t.Error("somebody else's text is shown")
		}

		// A runner that ignores its end: the pages of its owner say so from the first moment to the last.
		deaf.cancel()
		deaf.cancel()
		time.Sleep(100 * time.Millisecond)
		wantInOrder(t, v.get("/runs/"+deaf.id), "Stopping your query", "told to stop")
		wantInOrder(t, v.get("/runs"), "deaf", "Stopping for 42 seconds", "Watch")
		if page := other.get("/wait").body; !strings.Contains(page, "The present run was told to stop.") {
			t.Errorf("who waits isn't told: %s", page)
		}
		if page := other.get("/").body; !strings.Contains(page, "<dt>Stopping</dt>") {
			t.Error("the form doesn't say so")
		}
		time.Sleep(time.Second)
		wantInOrder(t, v.get("/runs/"+deaf.id), "Cancelled", "The runner is still stopping.", "You cancelled this run")
		wantInOrder(t, v.get("/runs"), "deaf", "Stopping after 43 seconds, ended")
		time.Sleep(10 * time.Second)
		wantInOrder(t, v.get("/runs/"+deaf.id), "Cancelled", "The runner doesn’t stop.")
		time.Sleep(10 * time.Minute)
		wantInOrder(t, v.get("/runs"), "deaf", "Cancelled by you after 43 seconds, ended")
		if page := v.get("/runs/" + deaf.id).body; strings.Contains(page, "still stopping") || strings.Contains(page, "doesn’t stop") {
			t.Error("it has stopped, and the page doesn't know")
		}
	})
}

// case: half-answer (the page's part)
func TestCaseHalfAnswerOnThePage(t *testing.T) {
	for _, ends := range []string{"failure", "time-out"} {
		t.Run(ends, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := open(t, siteOptions{options: Options{RunTimeout: 10 * time.Second}})
				defer st.stop()
				st.runner.on("half", func(ctx context.Context, out runner.Sink) error {
					for range 3 {
						if err := out.Text("chunk "); err != nil {
							return err
						}
					}
					if ends == "failure" {
						return &runner.FailedError{Detail: "The model ran out of words."}
					}
					return untilStopped(ctx, out)
				})
				v := st.visitor()
				x := st.begin(v, "half")
				defer x.watch()()
				x.wait(t.Context())
				wantInOrder(t, v.get("/runs/"+x.id), "3 of an unfinished answer", "This answer is incomplete", "Answer, incomplete", "chunk chunk chunk",
					"Download text", "Ask again with this text")
				wantInOrder(t, v.get("/runs"), "half", "Incomplete:")
				if page := v.get("/runs/" + x.id).body; !strings.Contains(page, `-incomplete.txt"`) {
					t.Error("the name of the download doesn't tell")
				}
			})
		})
	}
}

// case: cancelled-in-line (the server's part)
func TestCaseCancelledInLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{})
		defer st.stop()
		hold := make(gate)
		st.runner.on("hold", hold.wait)
		x := st.begin(st.visitor(), "hold")
		defer x.watch()()
		left, silent := st.visitor(), st.visitor()
		left.post("/api/v1/queue/join", query("left"))
		silent.post("/api/v1/queue/join", query("silent"))
		left.delete("/api/v1/queue/ticket")
		time.Sleep(31 * time.Second) // longer than the heartbeat
		close(hold)
		synctest.Wait()
		if p := st.picture(); !p.Free || len(p.Called) != 0 {
			t.Errorf("somebody who has gone is called: %+v", p)
		}
		for v, reason := range map[*visitor]string{left: "left", silent: "heartbeat_lost"} {
			if p := wantProblem(t, v.get("/api/v1/queue/status"), http.StatusNotFound, "ticket_not_found"); p["reason"] != reason {
				t.Errorf("reason %v, want %s", p["reason"], reason)
			}
			if page := v.get("/runs").body; !strings.Contains(page, "There is no run of yours") {
				t.Errorf("a run of who %s: %s", reason, page)
			}
		}
		time.Sleep(10 * time.Minute)
		if n := st.runner.count(); n != 1 {
			t.Errorf("%d runs, want the first alone", n)
		}
	})
}
