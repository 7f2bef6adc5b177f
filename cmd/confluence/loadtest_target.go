package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	callsAtMost  = 1000 // short calls at the same time, so that a storm opens no more connections than that beside its sockets
	callsAtLeast = 16
	filesBeside  = 64 // what a process has open for itself
	connectTime  = 30 * time.Second
)

var errNotLoopback = errors.New("it is not this machine (loopback)")

// loadTarget is the server that is tested, and the ways to it.
type loadTarget struct {
	root   *url.URL // with a slash at the end
	api    string
	routes []*http.Client // one from each source address
}

// findTarget refuses what isn't on this machine, unless it may be remote. sources is how many addresses of 127.0.0.0/8 are used to come from,
// calls how many short calls go at the same time.
func findTarget(server string, remote bool, sources, calls int) (*loadTarget, error) {
	api, err := askAddress(server)
	if err != nil {
		return nil, err
	}
	root, err := url.Parse(strings.TrimSuffix(server, "/") + "/")
	if err != nil {
		return nil, err
	}
	if !remote {
		if err := onLoopback(root.Hostname()); err != nil {
			return nil, err
		}
	}
	t := &loadTarget{root: root, api: api}
	tickets := make(chan struct{}, calls)
	for i := range sources {
		dialer := &net.Dialer{Timeout: connectTime}
		if !remote { // whatever the name stands for by now
			dialer.Control = func(_, address string, _ syscall.RawConn) error {
				to, err := netip.ParseAddrPort(address)
				if err == nil && !to.Addr().IsLoopback() {
					err = errNotLoopback
				}
				return err
			}
		}
		if sources > 1 {
			dialer.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 0, byte((i+1)>>8), byte(i+1))}
		}
		t.routes = append(t.routes, &http.Client{
			Transport: &paced{tickets: tickets, next: &http.Transport{
				DialContext: dialer.DialContext, MaxIdleConnsPerHost: calls/sources + 1, DisableCompression: true,
				ReadBufferSize: 2 << 10, WriteBufferSize: 1 << 10,
			}},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		})
	}
	return t, nil
}

// onLoopback refuses a host that stands for an address of another machine.
func onLoopback(host string) error {
	addresses, err := net.LookupHost(host)
	if err != nil {
		return err
	}
	for _, address := range addresses {
		if at, err := netip.ParseAddr(address); err != nil || !at.IsLoopback() {
			return fmt.Errorf("%w: a load test strikes whatever it meets, so say --allow-remote if it is yours", errNotLoopback)
		}
	}
	return nil
}

// callsBeside is how many short calls can be made beside so many open connections, by the files that the process may have open.
func callsBeside(connections int) (int, error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("the limit of open files: %w", err)
	}
	left := int64(min(limit.Cur, 1<<30)) - int64(connections) - filesBeside
	if left < callsAtLeast {
		return 0, fmt.Errorf("%d at once need %d open files, and this process may have %d: raise that (ulimit -n), or start several with fewer each",
			connections, connections+filesBeside+callsAtLeast, limit.Cur)
	}
	return int(min(left, callsAtMost)), nil
}

// route is the way that the player takes.
func (t *loadTarget) route(player int) *http.Client { return t.routes[player%len(t.routes)] }

// paced lets so many short calls through at a time; those that stay open, streams and sockets, come on top.
type paced struct {
	tickets chan struct{}
	next    http.RoundTripper
}

func (p *paced) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Accept") == "text/event-stream" || r.Header.Get("Upgrade") != "" {
		return p.next.RoundTrip(r)
	}
	select {
	case p.tickets <- struct{}{}:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	give := sync.OnceFunc(func() { <-p.tickets })
	answer, err := p.next.RoundTrip(r)
	if err != nil {
		give()
		return nil, err
	}
	answer.Body = &givenBack{answer.Body, give}
	return answer, nil
}

// givenBack is an answer that gives its place to the next when it is closed.
type givenBack struct {
	io.ReadCloser
	give func()
}

func (b *givenBack) Close() error {
	defer b.give()
	return b.ReadCloser.Close()
}

// visited is an answer of the pages, as far as a load test looks at it.
type visited struct {
	status int
	where  string // it redirects to
	cookie string // of the session, if it is set
}

// visit loads a page, or sends a form if there is one, as a browser does. It reads the page to its end.
func (t *loadTarget) visit(ctx context.Context, by *http.Client, cookie, path string, form url.Values) (visited, error) {
	ctx, cancel := context.WithTimeout(ctx, askAnswer)
	defer cancel()
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	to, err := t.root.Parse(path)
	if err != nil {
		return visited{}, err
	}
	r, err := http.NewRequestWithContext(ctx, method, to.String(), body)
	if err != nil {
		return visited{}, err
	}
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", t.origin())
	}
	if cookie != "" {
		r.Header.Set("Cookie", cookie)
	}
	answer, err := by.Do(r)
	if err != nil {
		return visited{}, fmt.Errorf("%w: %w", errAskCut, err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return visited{}, fmt.Errorf("%w: %w", errAskCut, err)
	}
	got := visited{status: answer.StatusCode, where: answer.Header.Get("Location")}
	for _, set := range answer.Cookies() {
		if strings.Contains(set.Name, "confluence_session") {
			got.cookie = set.Name + "=" + set.Value
		}
	}
	return got, nil
}

func (t *loadTarget) origin() string { return t.root.Scheme + "://" + t.root.Host }
