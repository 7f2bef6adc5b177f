package web

import (
	"net/http"
	"strings"
	"testing"
)

const partner = "https://partner.test"

// Without the setting no other origin is let in; with it those that are listed, and with a token alone.
func TestPagesOfOtherOriginsUseTokensAlone(t *testing.T) {
	closed := open(t, siteOptions{})
	for _, method := range []string{http.MethodOptions, http.MethodGet} {
		answer := raw(t, closed, method, "/api/v1/queue", "Origin", partner, "Access-Control-Request-Method", "POST")
		for name := range answer.header {
			if strings.HasPrefix(name, "Access-Control") {
				t.Errorf("%s: %s without the setting", method, name)
			}
		}
	}

	st := open(t, siteOptions{options: Options{Door: Door{BearerOrigins: []string{partner}}}})
	asks := raw(t, st, http.MethodOptions, "/api/v1/query", "Origin", partner, "Access-Control-Request-Method", "POST",
		"Access-Control-Request-Headers", "authorization,content-type,idempotency-key", "Sec-Fetch-Site", "cross-site")
	if asks.status != http.StatusNoContent || asks.header.Get("Access-Control-Allow-Origin") != partner ||
		asks.header.Get("Access-Control-Allow-Credentials") != "" || !strings.Contains(asks.header.Get("Access-Control-Allow-Headers"), "Idempotency-Key") {
		t.Errorf("%d %v", asks.status, asks.header)
	}
	from := []string{"Origin", partner, "Sec-Fetch-Site", "cross-site"}
	v := st.visitor()
	id := v.post("/api/v1/queue/join", "").json(t)["ticket_id"] // the visitor's own, by cookie
	wantProblem(t, v.get("/api/v1/queue/status", from...), http.StatusNotFound, "ticket_not_found")
	refused := v.post("/api/v1/queue/join", "", from...)
	wantProblem(t, refused, http.StatusUnauthorized, "invalid_token")
	if refused.header.Get("Access-Control-Allow-Origin") != partner {
		t.Errorf("the page can't read why: %v", refused.header)
	}
	if got := v.do(http.MethodDelete, "/api/v1/queue/ticket", "", from...); got.status != http.StatusNoContent {
		t.Errorf("leaving without a ticket: %d", got.status)
	}
	for _, path := range []string{"/leave", "/claim", "/query", "/wait"} {
		if got := v.post(path, "", from...); got.status != http.StatusForbidden {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	if got := v.get("/api/v1/queue/status").json(t)["ticket_id"]; got != id {
		t.Errorf("the visitor's ticket is %v, want %v", got, id)
	}

	made := v.post("/api/v1/session", "", from...)
	if made.header.Get("Set-Cookie") != "" {
		t.Error("a cookie for a page of another site")
	}
	signed := append([]string{"Authorization", "Bearer " + made.json(t)["token"].(string)}, from...)
	joined := v.post("/api/v1/queue/join", query("x"), signed...)
	if joined.status != http.StatusOK || joined.json(t)["ticket_id"] == id || !strings.Contains(joined.header.Get("Access-Control-Expose-Headers"), "ETag") {
		t.Errorf("%d %s %v", joined.status, joined.body, joined.header)
	}
	for _, origin := range []string{"https://other.test", "http://partner.test", "https://partner.test:8443", "null"} {
		answer := v.get("/api/v1/queue", "Origin", origin)
		if answer.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s may read", origin)
		}
		if got := v.post("/api/v1/queue/join", "", append([]string{"Origin", origin}, signed[:2]...)...); got.status != http.StatusForbidden {
			t.Errorf("%s: %d", origin, got.status)
		}
	}
}

// raw asks past the API's description, which has no OPTIONS.
func raw(t *testing.T, st *site, method, path string, header ...string) reply {
	t.Helper()
	v := st.stranger()
	v.http.Transport = st.network.client
	return v.do(method, path, "", header...)
}
