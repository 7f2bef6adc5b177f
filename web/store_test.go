package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"confluence/queue"
)

// fullDisk is a store that can save nothing while it is full.
type fullDisk struct {
	queue.Store
	full atomic.Bool
}

func (d *fullDisk) trouble() error {
	if d.full.Load() {
		return fmt.Errorf("%w: no space left on /secret", queue.ErrStore)
	}
	return nil
}

func (d *fullDisk) Join(ctx context.Context, session string, kept queue.Kept) (queue.View, error) {
	if err := d.trouble(); err != nil {
		return queue.View{}, err
	}
	return d.Store.Join(ctx, session, kept)
}

func (d *fullDisk) Claim(ctx context.Context, session string) (queue.Grant, error) {
	if err := d.trouble(); err != nil {
		return queue.Grant{}, err
	}
	return d.Store.Claim(ctx, session)
}

func (d *fullDisk) Leave(ctx context.Context, session string) error {
	if err := d.Store.Leave(ctx, session); err != nil {
		return err
	}
	return d.trouble()
}

// TestALineThatCannotBeSaved: joins and claims are refused in clear words and change nothing, who waits is served, leaving works, and it goes
// on by itself.
func TestALineThatCannotBeSaved(t *testing.T) {
	disk := &fullDisk{}
	st := open(t, siteOptions{store: func(s queue.Store) queue.Store {
		disk.Store = s
		return disk
	}})
	called, fresh, gone := st.visitor(), st.visitor(), st.visitor()
	for _, v := range []*visitor{called, gone} {
		if answer := v.post("/api/v1/queue/join", query("select 1")); answer.status != http.StatusOK {
			t.Fatalf("%d %s", answer.status, answer.body)
		}
	}
	disk.full.Store(true)
	for path, v := range map[string]*visitor{"/api/v1/queue/join": fresh, "/api/v1/query": called} {
		answer := v.post(path, query("select 1"))
		p := wantProblem(t, answer, http.StatusServiceUnavailable, "store_unavailable")
		seconds, err := strconv.Atoi(answer.header.Get("Retry-After"))
		if err != nil || seconds < 1 || p["retry_after_seconds"] != float64(seconds) {
			t.Errorf("%s: Retry-After %q beside %s", path, answer.header.Get("Retry-After"), answer.body)
		}
		if p["title"] != "The line can’t be saved at the moment" {
			t.Errorf("%s: %s", path, answer.body)
		}
	}
	for path, v := range map[string]*visitor{"/query": fresh, "/claim": called} {
		page := v.do(http.MethodPost, path, "query=select+1", "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
		if page.status != http.StatusServiceUnavailable || !strings.Contains(page.body, "The line can’t be saved at the moment") || strings.Contains(page.body, "secret") {
			t.Errorf("%s: %d %s", path, page.status, page.body)
		}
	}
	if answer := called.get("/api/v1/queue/status"); answer.status != http.StatusOK || answer.json(t)["status"] != "ready" {
		t.Errorf("who was called stands at %d %s", answer.status, answer.body)
	}
	if answer := gone.delete("/api/v1/queue/ticket"); answer.status != http.StatusNoContent {
		t.Errorf("leaving: %d %s", answer.status, answer.body)
	}
	wantProblem(t, gone.get("/api/v1/queue/status"), http.StatusNotFound, "ticket_not_found")
	if answer := gone.get("/readyz"); answer.status != http.StatusServiceUnavailable || !strings.Contains(answer.body, `"line":"can't be saved"`) {
		t.Errorf("readyz: %d %s", answer.status, answer.body)
	}
	disk.full.Store(false)
	if answer := called.post("/api/v1/query", query("select 1")); answer.status != http.StatusOK {
		t.Errorf("with room again: %d %s", answer.status, answer.body)
	}
}
