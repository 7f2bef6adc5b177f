package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"confluence/queue"
	"confluence/queue/runner"
	"confluence/views/i18n"
)

func mustURL(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	return u
}

func TestEveryRefusalOfHTTP(t *testing.T) {
	st := open(t, siteOptions{options: Options{MaxQueryBytes: 100}})
	v := st.visitor()
	for _, test := range []struct {
		name, method, path, body string
		header                   []string
		status                   int
		code                     string
	}{
		{"no such address", "GET", "/api/v1/nothing", "", nil, 404, "not_found"},
		{"no such version", "POST", "/api/v2/queue/join", "", nil, 404, "not_found"},
		{"api itself", "GET", "/api", "", nil, 404, "not_found"},
		{"wrong method", "GET", "/api/v1/queue/join", "", nil, 405, "method_not_allowed"},
		{"wrong method of a picture", "PUT", "/api/v1/queue", "", nil, 405, "method_not_allowed"},
		{"no JSON", "POST", "/api/v1/queue/join", "{", nil, 400, "invalid_json"},
		{"an array", "POST", "/api/v1/queue/join", "[]", nil, 400, "invalid_json"},
		{"null", "POST", "/api/v1/queue/join", "null", nil, 400, "invalid_json"},
		{"null with space", "POST", "/api/v1/query", " null\n", nil, 400, "invalid_json"},
		{"two documents", "POST", "/api/v1/query", "{} {}", nil, 400, "invalid_json"},
		{"a number as query", "POST", "/api/v1/query", `{"query": 1}`, nil, 400, "invalid_json"},
		{"not UTF-8", "POST", "/api/v1/query", "{\"query\": \"\xff\"}", nil, 400, "invalid_json"},
		{"empty", "POST", "/api/v1/query", `{"query": ""}`, nil, 422, "invalid_query"},
		{"blank at join", "POST", "/api/v1/queue/join", `{"query": " \n"}`, nil, 422, "invalid_query"},
		{"form", "POST", "/api/v1/query", "query=1", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "unsupported_media_type"},
		{"text", "POST", "/api/v1/queue/join", "{}", []string{"Content-Type", "text/plain"}, 415, "unsupported_media_type"},
		{"compressed", "POST", "/api/v1/queue/join", "\x1f\x8b", []string{"Content-Encoding", "gzip"}, 415, "unsupported_media_type"},
		{"junk type", "POST", "/api/v1/queue/join", "{}", []string{"Content-Type", ";;"}, 415, "unsupported_media_type"},
		{"long query", "POST", "/api/v1/query", query(strings.Repeat("x", 101)), nil, 413, "too_large"},
		{"long body", "POST", "/api/v1/query", query(strings.Repeat("x", 10_000)), nil, 413, "too_large"},
		{"long body of a session", "POST", "/api/v1/session", query(strings.Repeat("x", 10_000)), nil, 413, "too_large"},
		{"cross-site", "POST", "/api/v1/queue/join", "", []string{"Origin", "https://evil.test"}, 403, "cross_site"},
		{"null origin", "POST", "/api/v1/query", "", []string{"Origin", "null"}, 403, "cross_site"},
		{"cross-site fetch", "DELETE", "/api/v1/queue/ticket", "", []string{"Sec-Fetch-Site", "cross-site"}, 403, "cross_site"},
		{"same-site fetch", "POST", "/api/v1/session", "", []string{"Sec-Fetch-Site", "same-site"}, 403, "cross_site"},
		{"unknown run", "GET", "/api/v1/runs/r_1", "", nil, 404, "not_found"},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer := v.do(test.method, test.path, test.body, test.header...)
			wantProblem(t, answer, test.status, test.code)
			if allow := answer.header.Get("Allow"); (allow != "") != (test.status == 405) {
				t.Errorf("Allow %q", allow)
			}
			if answer.header.Get("Set-Cookie") != "" {
				t.Error("a refusal makes a session")
			}
		})
	}
	if p, err := st.controller.Picture(t.Context()); err != nil || p.Length+len(p.Called)+len(p.Serving) != 0 {
		t.Errorf("a refusal made a ticket: %+v %v", p, err)
	}
	if n := st.runner.count(); n != 0 {
		t.Errorf("a refusal ran %d times", n)
	}
	if same := v.post("/api/v1/queue/join", "", "Origin", st.network.base, "Sec-Fetch-Site", "same-origin"); same.status != http.StatusOK {
		t.Errorf("our own page: %d %s", same.status, same.body)
	}
	tolerated := v.post("/api/v1/queue/join", `{"query": "x", "later": 1}`, "Content-Type", "application/vnd.x+json; charset=utf-8")
	if tolerated.status != http.StatusOK {
		t.Errorf("an unknown field: %d %s", tolerated.status, tolerated.body)
	}
	if long := v.post("/api/v1/queue/join", `{"query": "`+strings.Repeat(`\u0041`, 100)+`"}`); long.status != http.StatusOK {
		t.Errorf("a query at its limit, every character escaped: %d %s", long.status, long.body)
	}
}

func TestMethodNotAllowedNamesTheMethods(t *testing.T) {
	st := open(t, siteOptions{})
	for path, want := range map[string][]string{
		"/api/v1/queue": {"GET", "HEAD"}, "/api/v1/queue/ticket": {"DELETE"}, "/api/v1/runs/r_1": {"GET", "HEAD", "DELETE"}, "/api/v1/query": {"POST"},
	} {
		allow := st.visitor().do("PATCH", path, "").header.Get("Allow")
		for _, method := range want {
			if !strings.Contains(allow, method) {
				t.Errorf("%s: Allow %q lacks %s", path, allow, method)
			}
		}
	}
}

func TestErrorsOutsideTheAPIArePages(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.visitor()
	for _, answer := range []reply{v.get("/nothing"), v.do("PUT", "/", ""), v.do("POST", "/leave", "", "Origin", "https://evil.test")} {
		if !strings.HasPrefix(answer.header.Get("Content-Type"), "text/html") || answer.status < 400 || !strings.Contains(answer.body, "<html") {
			t.Errorf("%d %v %.200s", answer.status, answer.header, answer.body)
		}
	}
}

func TestTheTableOfProblems(t *testing.T) {
	if len(problemIndex) != len(problemCodes) {
		t.Error("a code is there twice")
	}
	for _, row := range problemCodes {
		if http.StatusText(row.status) == "" || row.retryMin > row.retryMax {
			t.Errorf("row %+v", row)
		}
		waits := row.status == http.StatusServiceUnavailable || row.status == http.StatusTooManyRequests
		if p := problemOf(row.code); waits && (p.RetryAfter < row.retryMin || p.RetryAfter > row.retryMax || p.RetryAfter == 0) {
			t.Errorf("%s: Retry-After %d", row.code, p.RetryAfter)
		}
	}
	for _, s := range problemSentinels {
		if _, ok := problemIndex[s.code]; !ok {
			t.Errorf("%v has the code %s, which is not there", s.err, s.code)
		}
	}
	if p := problemOf("no such code"); p.Code != "internal" {
		t.Errorf("an unknown code is %s", p.Code)
	}
}

// TestEachProblemHasItsWords: what it is, what to do and what it means; and no catalogue has words of a problem that there isn't.
func TestEachProblemHasItsWords(t *testing.T) {
	var said, want []string
	for _, row := range problemCodes {
		want = append(want, "problem."+row.code, "problem."+row.code+".detail", "problem."+row.code+".about")
	}
	for _, key := range i18n.English.Keys() {
		code, part, _ := strings.Cut(strings.TrimPrefix(key, "problem."), ".")
		if strings.HasPrefix(key, "problem.") && (part == "" || part == "detail" || part == "about") {
			said = append(said, key)
		} else if strings.HasPrefix(key, "problem.") && problemIndex[code] == nil {
			t.Errorf("%s is of no problem", key)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
}

func TestProblemForWrappedErrors(t *testing.T) {
	for _, test := range []struct {
		err          error
		code, detail string
	}{
		{fmt.Errorf("store: %w", queue.ErrQueueFull), "queue_full", ""},
		{&queue.NotFoundError{Ended: queue.Ended{Reason: queue.ReasonFinished, RunID: "r_9"}}, "ticket_not_found", "/api/v1/runs/r_9"},
		{&queue.NotFoundError{Ended: queue.Ended{Reason: queue.ReasonHeartbeatLost}}, "ticket_not_found", "poll_after_seconds"},
		{fmt.Errorf("x: %w", &runner.RejectedError{Detail: "no such table"}), "query_rejected", "no such table"},
		{fmt.Errorf("x: %w", &runner.FailedError{Detail: "out of paper", Log: "secret"}), "run_failed", "out of paper"},
		{fmt.Errorf("run r_1: %w", queue.ErrRunTimedOut), "run_timed_out", ""},
		{fmt.Errorf("run r_1: %w", queue.ErrRunDisconnected), "run_cancelled", "Nobody was there"},
		{errors.New("pq: secret"), "internal", ""},
		{refuse(errTooLarge, i18n.Verbatim("At most 7.")), "too_large", "At most 7."},
	} {
		p := problemFor(test.err)
		detail := i18n.English.Tell(p.Detail)
		if p.Code != test.code || !strings.Contains(detail, test.detail) || strings.Contains(detail, "secret") {
			t.Errorf("%v: %s %q", test.err, p.Code, detail)
		}
	}
}
