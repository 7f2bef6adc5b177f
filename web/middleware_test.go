package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"confluence/static"
)

func TestSecurityHeadersOnEveryAnswer(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.visitor()
	for _, path := range []string{"/", "/kiosk", "/nothing", "/api/v1/queue", "/api/v1/queue/status", "/healthz", "/api/nothing"} {
		header := v.get(path).header
		for name, want := range map[string]string{
			"Content-Security-Policy": securityPolicy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		if cache := header.Get("Cache-Control"); cache != "no-store" && path != "/api/v1/queue" {
			t.Errorf("%s: Cache-Control %q", path, cache)
		}
	}
	for _, forbidden := range []string{"unsafe", "data:", "*", "http:"} {
		if strings.Contains(securityPolicy, forbidden) {
			t.Errorf("the policy allows %s", forbidden)
		}
	}
	file := v.get(static.URL("confluence.css"))
	if file.status != http.StatusOK || !strings.Contains(file.header.Get("Cache-Control"), "immutable") {
		t.Errorf("a static file: %d %v", file.status, file.header)
	}
}

func TestRequestIDs(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.stranger()
	seen := map[string]bool{}
	for range 20 {
		seen[v.get("/healthz").header.Get("X-Request-Id")] = true
	}
	if len(seen) != 20 {
		t.Errorf("%d different ids in 20 requests", len(seen))
	}
	if got := v.get("/healthz", "X-Request-Id", "proxy-0001.a_B").header.Get("X-Request-Id"); got != "proxy-0001.a_B" {
		t.Errorf("a proxy's id became %q", got)
	}
	for _, strange := range []string{"short", strings.Repeat("x", 65), "with spaces in it", "<script>alert(1)</script>", "grüße-grüße"} {
		if got := v.get("/healthz", "X-Request-Id", strange).header.Get("X-Request-Id"); got == strange || !strings.HasPrefix(got, "req_") {
			t.Errorf("%q became %q", strange, got)
		}
	}
}

func TestHeadWhereGetIs(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.visitor()
	v.post("/api/v1/queue/join", "")
	st.runner.on("long", untilStopped)
	x := st.begin(v, "long")
	for _, path := range []string{"/", "/kiosk", "/api/v1/queue", "/api/v1/queue/status", "/healthz", "/readyz", "/api/v1/runs/" + x.id, static.URL("logo.svg")} {
		get, head := v.get(path), v.do(http.MethodHead, path, "")
		if head.status != get.status || head.body != "" || head.header.Get("Content-Type") != get.header.Get("Content-Type") {
			t.Errorf("%s: GET %d %q, HEAD %d %q", path, get.status, get.header.Get("Content-Type"), head.status, head.header.Get("Content-Type"))
		}
	}
	for _, stream := range []string{"/api/v1/queue/status", "/api/v1/runs/" + x.id + "/output"} {
		if head := v.do(http.MethodHead, stream, "", "Accept", "text/event-stream"); head.status != http.StatusOK {
			t.Errorf("%s: %d", stream, head.status)
		}
	}
}

func TestAPanicIsOneRequestsOwn(t *testing.T) {
	st := open(t, siteOptions{tcp: true, options: Options{RequestLog: true}})
	e := st.server.handler.(*echo.Echo)
	e.GET("/api/v1/panic", func(echo.Context) error { panic("secret") })
	e.GET("/panic", func(echo.Context) error { panic("secret") })
	e.GET("/late", func(c echo.Context) error {
		c.Response().WriteHeader(http.StatusOK)
		_, _ = c.Response().Write([]byte("half"))
		c.Response().Flush()
		panic("secret")
	})
	v := st.visitor()
	answer := v.get("/api/v1/panic")
	p := wantProblem(t, answer, http.StatusInternalServerError, "internal")
	page := v.get("/panic")
	if page.status != http.StatusInternalServerError || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") {
		t.Errorf("%d %v", page.status, page.header)
	}
	if !strings.Contains(page.body, page.header.Get("X-Request-Id")) {
		t.Error("the page doesn't name the request")
	}
	if strings.Contains(answer.body+page.body, "secret") {
		t.Error("internals reach the visitor")
	}
	if late := v.get("/late"); !late.cut {
		t.Errorf("half an answer looks whole: %+v", late)
	}
	log := st.log.String()
	if !strings.Contains(log, p["request_id"].(string)) || !strings.Contains(log, "secret") || !strings.Contains(log, "middleware_test.go") {
		t.Errorf("the log doesn't find the mistake:\n%s", log)
	}
	if !strings.Contains(log, "path=/api/v1/panic status=500") {
		t.Errorf("no line of the request:\n%s", log)
	}
	if alive := v.get("/healthz"); alive.status != http.StatusOK {
		t.Errorf("afterwards: %d", alive.status)
	}
}

func TestHealth(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.stranger()
	if got := v.get("/healthz"); got.status != http.StatusOK || got.json(t)["status"] != "ok" {
		t.Errorf("healthz: %d %s", got.status, got.body)
	}
	got := v.get("/readyz").json(t)
	if parts, _ := got["parts"].(map[string]any); got["status"] != "ready" || parts["runner"] != "idle" {
		t.Errorf("readyz: %v", got)
	}
}

func TestNegotiate(t *testing.T) {
	for accept, want := range map[string]string{
		"": typeJSON, "*/*": typeJSON, "text/event-stream": typeEvents, "text/csv;q=0.5, application/json;q=0.4": typeCSV, "text/*": typeEvents,
		"text/html,application/xhtml+xml,*/*;q=0.8": typeJSON, "TEXT/CSV": typeCSV, "image/png": typeJSON, "text/event-stream;q=x": typeJSON,
		"*/*, text/event-stream;q=0": typeJSON, "text/csv; header=present; q=0.9, */*;q=0.1": typeCSV,
	} {
		if got := negotiate(accept, typeJSON, typeEvents, typeCSV); got != want {
			t.Errorf("%q: %s, want %s", accept, got, want)
		}
	}
}
