package main

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// TestStopWithReadersThatDontRead: who asks for much and reads nothing of it is cut off at a stop, which is a good one nevertheless: bounded, with
// the line saved.
func TestStopWithReadersThatDontRead(t *testing.T) {
	server := servingIn(t, t.TempDir(), "--runner=command", `--command=["/usr/bin/yes"]`, "--max-result-bytes=67108864")
	address := strings.TrimSuffix(strings.TrimPrefix(server.url, "http://"), "/")
	onlooker := newClient(server.url, nil)
	for _, accept := range []string{"text/event-stream", "application/json", "text/csv"} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
		const body = `{"query":"x"}`
		fmt.Fprintf(conn, "POST /api/v1/query HTTP/1.1\r\nHost: x\r\nAccept: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", accept, len(body), body)
		if _, err := io.ReadFull(conn, make([]byte, len("HTTP/1.1 200"))); err != nil { // and nothing more
			t.Fatal(err)
		}
		eventually(t, soonEnough, "the slot to be free for the next", func() bool {
			p, err := onlooker.picture(t.Context())
			return err == nil && p.Runner == "idle"
		})
	}
	start := time.Now()
	if code := server.terminate(t); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(start); took > stopWithin {
		t.Errorf("it took %v", took)
	}
	if !strings.Contains(server.log.String(), "stopping cut off who had not ended") {
		t.Errorf("nobody was cut off\n%s", server.log)
	}
}
