package web

import (
	"net/http"
	"strings"
	"testing"
)

// A monitor behind a proxy that authorizes with tokens of its own gets its answer: what is for nobody in particular looks at no token.
func TestForeignTokensDontCountWhereNobodyIsMeant(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.stranger()
	for path, status := range map[string]int{
		"/healthz": 200, "/readyz": 200, "/api/v1/openapi.yaml": 200, "/api/v1/queue": 200, "/kiosk": 200, "/problems/busy": 200,
		"/static/": 404, "/nothing": 404, "/api/v1/nothing": 404,
	} {
		if got := v.get(path, "Authorization", "Bearer of-another-realm"); got.status != status {
			t.Errorf("%s: %d, want %d\n%s", path, got.status, status, got.body)
		}
	}
	for _, path := range []string{"/api/v1/queue/status", "/api/v1/runs/r_1", "/api/v1/runs/r_1/output"} {
		wantProblem(t, v.get(path, "Authorization", "Bearer of-another-realm"), http.StatusUnauthorized, "invalid_token")
	}
}

func TestLongURLsAreRefused(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.stranger()
	fits, long := strings.Repeat("q", maxURLBytes-len("/api/v1/queue?")), strings.Repeat("q", maxURLBytes)
	if got := v.get("/api/v1/queue?" + fits); got.status != http.StatusOK {
		t.Errorf("%d bytes: %d", maxURLBytes, got.status)
	}
	for _, path := range []string{"/api/v1/queue?", "/api/v1/queue/status?", "/api/v1/runs/"} {
		problem := wantProblem(t, v.get(path+long), http.StatusRequestURITooLong, "url_too_long")
		if detail := problem["detail"].(string); !strings.Contains(detail, "8 KiB") {
			t.Errorf("%s: %s", path, detail)
		}
	}
	wantProblem(t, v.post("/api/v1/queue/join?"+long, ""), http.StatusRequestURITooLong, "url_too_long")
	for _, path := range []string{"/?query=", "/healthz?", "/nothing/"} {
		if got := v.get(path + long); got.status != http.StatusRequestURITooLong || strings.Contains(got.body, long) {
			t.Errorf("%s: %d, %d bytes", path, got.status, len(got.body))
		}
	}
}

// What browsers don't send, and other clients do, is the text that it looks like.
func TestFormsAreReadAsBrowsersWriteThem(t *testing.T) {
	for form, want := range map[string]string{
		"query=select+1;+select+2":     "select 1; select 2",
		"query=100%":                   "100%",
		"query=%zz%41+%e2%82%ac%":      "%zzA €%",
		"query=a=b&other=1":            "a=b",
		"&&query=&":                    "",
		"query=one&query=two":          "one",
		"%71uery=name":                 "name",
		"query=line%0D%0Abreak%3Bdone": "line\r\nbreak;done",
	} {
		if got := formFields(form).Get("query"); got != want {
			t.Errorf("%s: %q, want %q", form, got, want)
		}
	}
	st := open(t, siteOptions{})
	v := st.visitor()
	answer := v.post("/query", "query=select 1;", "Content-Type", "application/x-www-form-urlencoded")
	if answer.status != http.StatusSeeOther {
		t.Fatalf("%d %s", answer.status, answer.body)
	}
	if run := v.get("/api/v1" + answer.header.Get("Location")).json(t); run["query"] != "select 1;" {
		t.Errorf("%v", run["query"])
	}
}

// One session can't take the connections of all with streams. The own run's answer isn't refused for them.
func TestStreamsOfASessionAreBounded(t *testing.T) {
	st := open(t, siteOptions{})
	v, other := st.visitor(), st.visitor()
	for _, joins := range []*visitor{v, other} {
		joins.post("/api/v1/queue/join", "")
	}
	run := v.follow(http.MethodPost, "/api/v1/query", query("select 1"))
	id := run.want("accepted").json(t)["run_id"].(string)
	run.rest()
	v.post("/api/v1/queue/join", "")
	var open []*events
	for range streamsPerSession {
		open = append(open, v.follow(http.MethodGet, "/api/v1/queue/status", ""))
	}
	for _, path := range []string{"/api/v1/queue/status", "/api/v1/runs/" + id + "/output"} {
		refused := v.get(path, "Accept", "text/event-stream")
		problem := wantProblem(t, refused, http.StatusTooManyRequests, "rate_limited")
		if !strings.Contains(problem["detail"].(string), "20 streams") || refused.header.Get("Retry-After") == "" {
			t.Errorf("%s: %v", path, problem)
		}
	}
	if got := v.get("/api/v1/queue/status"); got.status != http.StatusOK {
		t.Errorf("the ticket: %d %s", got.status, got.body)
	}
	other.follow(http.MethodGet, "/api/v1/queue/status", "").want("standing")
	open[7].close()
	eventually(t, "room for one more", func() bool {
		return v.get("/api/v1/runs/"+id+"/output", "Accept", "text/event-stream").status == http.StatusOK
	})
}
