package web

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue/runner"
)

// TestDrain: readiness goes, joins and claims are refused with a time to come back, places can be looked at, and a run goes on to its end for who
// follows it, however long nobody watches it otherwise.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{})
		defer st.stop()
		write := make(chan string)
		st.runner.on("slow", func(_ context.Context, out runner.Sink) error {
			for text := range write {
				if err := out.Text(text); err != nil {
					return err
				}
			}
			return nil
		})
		owner, page, waits := st.visitor(), st.visitor(), st.visitor()
		stream := owner.follow("POST", "/api/v1/query", query("slow"))
		stream.want("accepted")
		page.post("/api/v1/queue/join", "")
		waits.post("/api/v1/queue/join", "")

		st.server.Drain()
		st.server.Drain()
		drained := make(chan error, 1)
		go func() { drained <- st.controller.Drain(context.Background()) }()
		synctest.Wait()
		if ready := waits.get("/readyz"); ready.status != http.StatusServiceUnavailable || !strings.Contains(ready.body, `"server":"stopping"`) {
			t.Errorf("readyz: %d %s", ready.status, ready.body)
		}
		if alive := waits.get("/healthz"); alive.status != http.StatusOK {
			t.Errorf("healthz: %d", alive.status)
		}
		for _, path := range []string{"/api/v1/queue/join", "/api/v1/query"} {
			answer := st.visitor().post(path, query("slow"))
			if wantProblem(t, answer, http.StatusServiceUnavailable, "restarting"); answer.header.Get("Retry-After") == "" {
				t.Errorf("%s: no Retry-After", path)
			}
		}
		if socket := waits.get("/live"); socket.status != http.StatusServiceUnavailable {
			t.Errorf("a new socket: %d %s", socket.status, socket.body)
		}
		write <- "one "
		stream.want("output")
		time.Sleep(45 * time.Second) // longer than the heartbeat
		if at := waits.get("/api/v1/queue/status"); at.status != http.StatusOK || at.json(t)["position"] != 2.0 {
			t.Errorf("who waits: %d %s", at.status, at.body)
		}
		write <- "two"
		close(write)
		stream.want("output")
		if end := stream.want("end"); !strings.Contains(end.data, `"outcome":"succeeded"`) {
			t.Errorf("the end: %s", end.data)
		}
		must(t, <-drained)
		if at := page.get("/api/v1/queue/status"); at.status != http.StatusOK || at.json(t)["status"] != "queued" {
			t.Errorf("somebody was called: %d %s", at.status, at.body)
		}
	})
}
