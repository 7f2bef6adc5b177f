package main

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestAClientThatGoesBehindUnreadBytes: whatever it sent after its request, its run ends with its connection. case: silent-runner
func TestAClientThatGoesBehindUnreadBytes(t *testing.T) {
	for _, end := range []string{"FIN", "RST"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			p := serving(t, "--runner=command", `--command=["/bin/sleep","600"]`)
			conn, err := net.Dial("tcp", strings.Trim(strings.TrimPrefix(p.url, "http://"), "/"))
			if err != nil {
				t.Fatal(err)
			}
			body := `{"query":"silent"}`
			fmt.Fprintf(conn, "POST /api/v1/query HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
				conn.RemoteAddr(), len(body), body)
			next := newClient(p.url, nil)
			eventually(t, 10*time.Second, "the query runs", func() bool {
				picture, err := next.picture(t.Context())
				return err == nil && picture.Runner == "running"
			})
			if s, err := next.join(t.Context(), ""); err != nil || s.Status != "queued" {
				t.Fatalf("%+v, %v", s, err)
			}
			fmt.Fprintf(conn, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", conn.RemoteAddr())
			if end == "RST" {
				_ = conn.(*net.TCPConn).SetLinger(0)
			}
			conn.Close()
			eventually(t, 5*time.Second, "the next is called", func() bool {
				s, err := next.status(t.Context())
				return err == nil && s.Status == "ready"
			})
			if err := next.call(t.Context(), http.MethodDelete, "api/v1/queue/ticket", nil, nil); err != nil {
				t.Error(err)
			}
		})
	}
}
