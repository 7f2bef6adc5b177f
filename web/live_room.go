package web

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

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

	outbox  *outbox
	pings   *beats
	repeats *beats // of kiosks

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
	l := &liveRoom{
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
	l.outbox = &outbox{ctx: ctx, work: &l.work, now: s.now}
	l.pings = newBeats(pingEvery(s.o.Controller.Config().Heartbeat), s.now, (*socket).beat)
	l.repeats = newBeats(kioskSilence, s.now, (*socket).wake)
	return l
}

// enter lets a socket in, has serve set it to work, and reads it on a goroutine that ends with it. Who isn't let in is told why by the close
// code. What serve does is done on the goroutine of the request, so that the one that stays begins with a small stack.
func (l *liveRoom) enter(k *socket, serve func()) {
	code, in := l.register(k)
	switch {
	case in:
		serve()
	case code == 0: // since the upgrade the room was closed, and nobody waits for a goodbye any more
		_ = k.conn.Close()
		return
	default:
		k.hurry = true
		k.dismiss(farewell{code: code})
	}
	go func() {
		defer l.work.Done()
		k.read()
	}()
}

// register counts the socket in, or tells the code to refuse it with; 0: without a word. Unless that is so, its goroutine is waited for.
func (l *liveRoom) register(k *socket) (refusal websocket.StatusCode, in bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopping {
		return 0, false
	}
	l.work.Add(1)
	switch of := k.guest; {
	case len(l.open) >= l.atMost, of.kiosk && l.kiosks >= l.kiosksAtMost:
		return websocket.StatusTryAgainLater, false
	case l.perAddress > 0 && of.address != "" && l.byAddress[of.address] >= l.perAddress:
		return websocket.StatusPolicyViolation, false
	}
	l.open[k] = struct{}{}
	if k.guest.kiosk {
		l.kiosks++
	}
	if l.perAddress > 0 {
		l.byAddress[k.guest.address]++
	}
	if session := k.guest.session; session != "" {
		mine := append(l.bySession[session], k)
		if len(mine) > socketsPerSession {
			mine[0].dismiss(farewell{code: closeTooMany})
			mine = slices.Delete(mine, 0, 1)
		}
		l.bySession[session] = mine
	}
	return 0, true
}

func (l *liveRoom) leave(k *socket) {
	of := k.guest
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
		l.cutOff()
		<-gone
		return ctx.Err()
	}
}

// cutOff ends every connection that is open still.
func (l *liveRoom) cutOff() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := range l.open {
		k.cut()
	}
}

// pingEvery is how often a socket is pinged: three times within the heartbeat at least.
func pingEvery(heartbeat time.Duration) time.Duration {
	return min(pingAtMost, heartbeat/3)
}
