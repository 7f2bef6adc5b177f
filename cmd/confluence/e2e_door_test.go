package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// case: key-change (through the binary: the line and the keys outlive restarts)
func TestKeysChange(t *testing.T) {
	data := dataWithDemo(t)
	oldKey, newKey := strings.Repeat("o", 32), strings.Repeat("n", 32)
	start := func(keys string) *process {
		return servingIn(t, data, "--queue-heartbeat-seconds=300", "--session-keys="+keys)
	}
	get := func(p *process, header, value string) (ticket string, status int) {
		var s standing
		err := newClient(p.url, nil).call(t.Context(), http.MethodGet, "api/v1/queue/status", nil, &s, header, value)
		if refused, ok := errors.AsType[*problem](err); ok {
			return "", refused.Status
		}
		if err != nil {
			t.Fatal(err)
		}
		return s.TicketID, http.StatusOK
	}
	join := func(p *process, header, value string) (ticket, cookie string) {
		answer, err := newClient(p.url, nil).open(t.Context(), http.MethodPost, "api/v1/queue/join", nil, header, value)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range answer.Cookies() {
			cookie = c.Name + "=" + c.Value
		}
		return regexp.MustCompile(`q_[\w-]{16}`).FindString(string(body)), cookie
	}
	var made struct {
		Token string `json:"token"`
	}

	p := start(oldKey)
	byCookie, oldCookie := join(p, "Accept", "*/*")
	if err := newClient(p.url, nil).call(t.Context(), http.MethodPost, "api/v1/session", nil, &made); err != nil {
		t.Fatal(err)
	}
	bearer := "Bearer " + made.Token
	byToken, _ := join(p, "Authorization", bearer)
	p.terminate(t)

	p = start(newKey + "," + oldKey)
	if got, _ := get(p, "Cookie", oldCookie); got != byCookie {
		t.Errorf("with both keys the cookie has %q, want %q", got, byCookie)
	}
	if got, _ := get(p, "Authorization", bearer); got != byToken {
		t.Errorf("with both keys the token has %q, want %q", got, byToken)
	}
	_, newCookie := join(p, "Cookie", oldCookie) // signed with the first key, now
	p.terminate(t)

	p = start(newKey)
	if got, _ := get(p, "Cookie", newCookie); got != byCookie {
		t.Errorf("the renewed cookie has %q, want %q", got, byCookie)
	}
	for _, junk := range []string{oldCookie, newCookie[:len(newCookie)/2], "confluence_session=" + strings.Repeat("x", 5000)} {
		if _, status := get(p, "Cookie", junk); status != http.StatusNotFound {
			t.Errorf("%.40s: %d", junk, status)
		}
	}
	if _, status := get(p, "Authorization", bearer); status != http.StatusUnauthorized {
		t.Errorf("a token of the old key: %d", status)
	}
}

// certified makes a certificate for 127.0.0.1 and the client that trusts it alone.
func certified(t *testing.T) (cert, key string, trusting *http.Transport) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: bytes}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return cert, key, &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
}

// TestTLS: https and HTTP/2 without a proxy. Streams flow, and who goes during a silent run frees the slot within a second.
func TestTLS(t *testing.T) {
	cert, key, trusting := certified(t)
	p := launch(t, "serve", "--addr=127.0.0.1:0", "--data-dir="+dataWithDemo(t), "--tls-cert="+cert, "--tls-key="+key)
	eventually(t, time.Minute, "the address", func() bool {
		if found := regexp.MustCompile(`(?m)^  Ask +(https://\S+/)$`).FindStringSubmatch(p.out.String()); found != nil {
			p.url = found[1]
		}
		return p.url != ""
	})
	c := newClient(p.url, trusting)
	answer, err := c.open(t.Context(), http.MethodPost, "api/v1/queue/join", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if cookie := answer.Cookies()[0]; answer.ProtoMajor != 2 || cookie.Name != "__Host-confluence_session" || !cookie.Secure {
		t.Errorf("%s, cookie %v", answer.Proto, cookie)
	}

	ctx, leave := context.WithCancel(t.Context())
	stream, err := c.open(ctx, http.MethodPost, "api/v1/query", map[string]string{"query": endlessQuery}, "Accept", "text/event-stream")
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stream.Body)
	if line, err := lines.ReadString('\n'); err != nil || line != "event: accepted\n" {
		t.Fatalf("%q %v", line, err)
	}
	waiter := newClient(p.url, trusting)
	if s, err := waiter.join(t.Context(), "SELECT 1"); err != nil || s.Status != "queued" {
		t.Fatalf("%+v %v", s, err)
	}
	follow, err := waiter.open(t.Context(), http.MethodGet, "api/v1/queue/status", nil, "Accept", "text/event-stream")
	if err != nil {
		t.Fatal(err)
	}
	defer follow.Body.Close()
	leave()
	gone := time.Now()
	called := make(chan error, 1)
	go func() {
		standings := bufio.NewScanner(follow.Body)
		for standings.Scan() {
			if strings.Contains(standings.Text(), `"status":"ready"`) {
				called <- nil
				return
			}
		}
		called <- fmt.Errorf("the stream ended: %w", standings.Err())
	}()
	select {
	case err := <-called:
		if err != nil {
			t.Error(err)
		}
		if took := time.Since(gone); took > 3*time.Second { // a second, and a busy machine
			t.Errorf("the next was called %v after the client had gone", took)
		}
	case <-time.After(soonEnough):
		t.Error("the next was never called")
	}
	follow.Body.Close()
	if code := p.terminate(t); code != exitDone {
		t.Errorf("exit code %d", code)
	}
}

func TestTLSFilesThatAreNone(t *testing.T) {
	p := launch(t, "serve", "--addr=127.0.0.1:0", "--data-dir=", "--tls-cert=/nowhere.pem", "--tls-key=/nowhere.pem")
	if code := p.exitCode(t, soonEnough); code != exitFailed || !strings.Contains(p.log.String(), "CONFLUENCE_WEB_TLS_CERT") {
		t.Errorf("exit code %d\n%s", code, p.log)
	}
}

// TestSlowAndHugeHeaders: through the real start-up. A header that doesn't end is waited for 10 s, and a huge one isn't read to its end.
func TestSlowAndHugeHeaders(t *testing.T) {
	t.Parallel()
	p := serving(t)
	address := strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/")
	slow, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	fmt.Fprint(slow, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
	huge, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer huge.Close()
	go fmt.Fprintf(huge, "GET / HTTP/1.1\r\nHost: x\r\nX-Huge: %s\r\n\r\n", strings.Repeat("x", 1<<20))
	if line, err := bufio.NewReader(huge).ReadString('\n'); err != nil || !strings.Contains(line, "431") {
		t.Errorf("a header of 1 MiB: %q %v", line, err)
	}
	if err := slow.SetReadDeadline(time.Now().Add(readHeaderTimeout + soonEnough)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, slow); err != nil {
		t.Errorf("a header that doesn't end: %v", err)
	}
}

// TestBrowserBelowAPath: all of it works behind a proxy at https://host/tools/ask/, where nothing else of the host is ours.
func TestBrowserBelowAPath(t *testing.T) {
	p := serving(t, "--base-path=/tools/ask", "--polls-per-second=1000")
	backend, err := url.Parse(strings.TrimSuffix(p.url, "tools/ask/"))
	if err != nil {
		t.Fatal(err)
	}
	host := http.NewServeMux()
	host.Handle("/tools/ask/", http.StripPrefix("/tools/ask", &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(backend); r.Out.Host = r.In.Host },
	}))
	host.HandleFunc("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	proxy := httptest.NewServer(host)
	t.Cleanup(proxy.Close)

	release := holdTheSlot(t.Context(), t, p)
	v := newVisitor(t, proxy.URL+"/tools/ask/")
	v.open("")
	v.writes("#query", "SELECT count(*) AS branches FROM branches")
	v.press("Run when it’s my turn")
	v.until(soonEnough, "the waiting room", func() bool { return v.path() == "/tools/ask/wait" })
	v.until(soonEnough, "the live socket", func() bool { return eval[bool](v, `document.querySelector("#signal.live") !== null`) })
	release()
	v.until(soonEnough, "the run's page", func() bool { return strings.HasPrefix(v.path(), "/tools/ask/runs/") })
	v.sees(soonEnough, "branches")
	v.open("runs")
	v.sees(soonEnough, "SELECT count(*)")
	v.open("kiosk")
	v.sees(soonEnough, strings.TrimPrefix(proxy.URL, "http://")+"/tools/ask")
}
