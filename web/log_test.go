package web

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
)

// The log has one line a request, in ASCII, without tokens, cookies or what was asked.
func TestRequestLogTellsNoSecrets(t *testing.T) {
	st := open(t, siteOptions{tcp: true, options: Options{RequestLog: true}})
	v := st.stranger()
	token := v.post("/api/v1/session", "").json(t)["token"].(string)
	v.post("/api/v1/queue/join", query("SECRETBODY"), "Authorization", "Bearer "+token)
	v.get("/?example=SECRETQUERY", "Cookie", "confluence_session=SECRETCOOKIE", "X-Request-Id", "bad\tid")
	for _, raw := range []string{
		"GET /a%0a%1b%5b31m%e2%80%aeb?x=SECRETQUERY HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /\xc2\x9b31m\xff HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 1.2.3.4\x01\r\n\r\n",
		"G'ET /" + strings.Repeat("y", 5000) + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /query HTTP/1.1\r\nHost: x\r\nOrigin: http://evil\xc2\x9b.test\r\nContent-Length: 0\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", st.network.listener.Addr().String())
		must(t, err)
		fmt.Fprint(conn, raw)
		_, _ = bufio.NewReader(conn).ReadString('\n')
		conn.Close()
	}
	eventually(t, "the log has all lines", func() bool { return strings.Count(st.log.String(), "msg=request ") >= 6 })
	log := st.log.String()
	if strings.Contains(log, "SECRET") || strings.Contains(log, token) {
		t.Errorf("the log tells too much:\n%s", log)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(log), "\n") {
		if len(line) > 2000 || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("a line of the log: %q", line)
		}
	}
}
