package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confluence/queue/runner"
)

// A body that doesn't come holds a connection for half a minute, whoever reads it, or nobody.
func TestSlowBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{})
		defer st.stop()
		for _, path := range []string{"/api/v1/queue/join", "/api/v1/query", "/api/v1/session", "/query", "/leave", "/wait", "/claim", "/nothing", "/healthz"} {
			conn, err := st.network.dial(context.Background(), "", "")
			must(t, err)
			start := time.Now()
			done := make(chan struct{})
			go func() { // reads to the end of the connection
				defer close(done)
				_, _ = io.Copy(io.Discard, conn)
			}()
			_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: confluence.test\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nq", path)
			must(t, err)
			stop := make(chan struct{})
			go func() { // a byte now and then is no reason to wait longer
				for {
					select {
					case <-time.After(5 * time.Second):
						if _, err := conn.Write([]byte("x")); err != nil {
							return
						}
					case <-stop:
						return
					}
				}
			}()
			select {
			case <-done:
			case <-time.After(5 * time.Minute):
				t.Errorf("%s: open after five minutes", path)
			}
			close(stop)
			if took := time.Since(start); took > bodyTimeout+10*time.Second {
				t.Errorf("%s: held for %v", path, took)
			}
			_ = conn.Close()
		}
	})
}

// A run is not ended by the time limit of the body that brought it, and neither is what comes next on the connection.
func TestBodyTimeoutIsOfTheBodyAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := open(t, siteOptions{})
		defer st.stop()
		st.runner.on("slow", func(context.Context, runner.Sink) error { time.Sleep(2 * time.Minute); return nil }) // on the bubble's clock
		v := st.visitor()
		for range 2 {
			if got := v.post("/api/v1/query", query("slow")); got.status != http.StatusOK {
				t.Errorf("%d %s", got.status, got.body)
			}
		}
	})
}

func TestHugeHeadersAndCookies(t *testing.T) {
	st := open(t, siteOptions{tcp: true})
	conn, err := net.Dial("tcp", st.network.listener.Addr().String())
	must(t, err)
	defer conn.Close()
	go fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\nCookie: %s\r\n\r\n", strings.Repeat("a=b; ", 1<<20))
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.Contains(line, "431") {
		t.Errorf("%q %v", line, err)
	}
}
