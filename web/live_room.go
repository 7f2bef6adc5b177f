package web

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/labstack/echo/v4"

	"confluence/queue"
)

const (
	subprotocol       = "confluence.v1"
	socketsAtMost     = 18_000 // a process may have 20,000 files open; the rest is for requests and runs
	kiosksAtMost      = 1_000  // of those, so that screens never take the place of people
	socketsPerSession = 20
	pingAtMost        = 25 * time.Second // proxies cut what is silent for 30 s and more
)

// liveRoom holds every open socket: it bounds them, tells them at Stop and waits until the last is gone.
type liveRoom struct {
	server *Server
	ctx    context.Context // ends when sockets that don't leave by themselves are cut
	cut    context.CancelFunc
	work   sync.WaitGroup // the sockets' goroutines

	last atomic.Pointer[queue.Picture]

	mu           sync.Mutex
	stopping     bool
	open         map[*socket]struct{}
	bySession    map[string][]*socket // oldest first
	byAddress    map[string]int
	kiosks       int
	atMost       int // sockets
	kiosksAtMost int
	perAddress   int // 0: any number
}

// guest is who opens a socket.
type guest struct {
	session string // empty: none, or it doesn't matter
	address string // empty: it has none
	kiosk   bool
}

func newLiveRoom(s *Server) *liveRoom {
	ctx, cut := context.WithCancel(context.Background())
	return &liveRoom{
		server:       s,
		ctx:          ctx,
		cut:          cut,
		open:         map[*socket]struct{}{},
		bySession:    map[string][]*socket{},
		byAddress:    map[string]int{},
		atMost:       cmp.Or(s.door.MaxSockets, socketsAtMost),
		perAddress:   s.door.SocketsPerAddress,
		kiosksAtMost: kiosksAtMost,
	}
}

// accept upgrades the request. Without a socket the request is over: refused with the error, or answered already if that is nil.
func (l *liveRoom) accept(c echo.Context) (*socket, error) {
	r := c.Request()
	if l.server.door.foreign(r) {
		return nil, l.server.crossSite(r)
	}
	l.mu.Lock()
	stopping := l.stopping
	l.mu.Unlock()
	if stopping {
		return nil, queue.ErrStopped
	}
	conn, err := websocket.Accept(c.Response(), r, &websocket.AcceptOptions{
		Subprotocols:       []string{subprotocol},
		InsecureSkipVerify: true,                          // of the origin, which was verified above, and for more than the library knows
		CompressionMode:    websocket.CompressionDisabled, // over 1 MB a connection, for messages of half a kilobyte
	})
	if err != nil {
		return nil, nil // Accept has answered
	}
	return &socket{room: l, conn: conn}, nil
}

// enter lets a socket in and has serve work for it, on a goroutine that ends with it. Who isn't let in is told why by the close code.
func (l *liveRoom) enter(k *socket, of guest, serve func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.stopping: // since the upgrade, and nobody waits for a goodbye any more
		_ = k.conn.CloseNow()
		return
	case len(l.open) >= l.atMost, of.kiosk && l.kiosks >= l.kiosksAtMost:
		l.refuse(k, websocket.StatusTryAgainLater)
		return
	case l.perAddress > 0 && of.address != "" && l.byAddress[of.address] >= l.perAddress:
		l.refuse(k, websocket.StatusPolicyViolation)
		return
	}
	k.ctx, k.cancel = context.WithCancel(l.ctx)
	l.open[k] = struct{}{}
	if of.kiosk {
		l.kiosks++
	}
	if l.perAddress > 0 {
		l.byAddress[of.address]++
	}
	if of.session != "" {
		mine := append(l.bySession[of.session], k)
		if len(mine) > socketsPerSession {
			mine[0].dismiss(farewell{code: closeTooMany})
			mine = slices.Delete(mine, 0, 1)
		}
		l.bySession[of.session] = mine
	}
	l.work.Go(func() {
		defer l.leave(k, of)
		serve()
	})
}

// refuse says goodbye to a socket that is not let in, and doesn't wait long for the answer.
func (l *liveRoom) refuse(k *socket, code websocket.StatusCode) {
	k.ctx, k.cancel = context.WithTimeout(l.ctx, refusedTimeout)
	l.work.Go(func() {
		k.dismiss(farewell{code: code})
		k.read()
	})
}

func (l *liveRoom) leave(k *socket, of guest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, k)
	if of.kiosk {
		l.kiosks--
	}
	if l.byAddress[of.address]--; l.byAddress[of.address] <= 0 {
		delete(l.byAddress, of.address)
	}
	if of.session == "" {
		return
	}
	mine := slices.DeleteFunc(l.bySession[of.session], func(other *socket) bool { return other == k })
	if l.bySession[of.session] = mine; len(mine) == 0 {
		delete(l.bySession, of.session)
	}
}

// dismiss lets nobody in any more, and closes every socket with 1012.
func (l *liveRoom) dismiss() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopping = true
	for k := range l.open {
		k.dismiss(farewell{code: websocket.StatusServiceRestart})
	}
}

// stop dismisses the sockets and waits until they are gone; when ctx ends first, those that are left are cut. It is idempotent.
func (l *liveRoom) stop(ctx context.Context) error {
	l.dismiss()
	gone := make(chan struct{})
	go func() {
		l.work.Wait()
		close(gone)
	}()
	defer l.cut()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		l.cut()
		<-gone
		return ctx.Err()
	}
}

// pingEvery is how often a socket is pinged: three times within the heartbeat at least.
func pingEvery(heartbeat time.Duration) time.Duration {
	return min(pingAtMost, heartbeat/3)
}
