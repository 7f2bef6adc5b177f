package web

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"confluence/queue"
	"confluence/queue/runner"
)

// What is kept of runs that have ended, so that their owners can read them again.
const (
	keepRuns       = 1000
	keepPerSession = 20
	keepBytes      = 64 << 20 // in memory
	keepOnDisk     = 1 << 30  // bytes
)

// runs is the registry of the runs that go and of those that are kept. Each is its owner's alone.
type runs struct {
	controller *queue.AdmissionController
	runner     runner.Runner
	health     *supervisor
	metrics    *metrics
	folder     *resultFolder // nil: every answer is kept in memory
	log        *slog.Logger
	now        func() time.Time
	timeout    time.Duration // a run's limit
	grace      time.Duration // how long a run may take to stop before its slot counts as lost
	unwatched  time.Duration // after so long without a watcher a run of a page ends
	ttl        time.Duration // how long a run is kept after its end
	maxResult  int64
	keepBytes  int64 // of all that are kept, in memory
	keepOnDisk int64

	work sync.WaitGroup // the goroutines of the runs

	mu        sync.Mutex
	draining  bool // no socket can be open: that nobody watches a run says nothing
	stopped   bool
	byID      map[string]*run
	bySession map[string][]*run          // oldest first
	kept      []*run                     // ended, oldest first
	keptBytes int64                      // in memory
	keptDisk  int64                      // bytes
	sockets   map[string]int             // open sockets of a session
	claims    map[string][]chan struct{} // by session: claims that are under way; closed when the run is here, or refused
}

func newRuns(o Options, folder *resultFolder, health *supervisor, metrics *metrics, now func() time.Time) *runs {
	return &runs{
		controller: o.Controller, runner: o.Runner, health: health, metrics: metrics, folder: folder, log: o.Logger, now: now,
		timeout: o.RunTimeout, grace: o.StopGrace, unwatched: o.RunUnwatched, ttl: o.ResultTTL, maxResult: o.MaxResultBytes,
		keepBytes: max(keepBytes, 2*o.MaxResultBytes), keepOnDisk: max(keepOnDisk, 2*o.MaxResultBytes),
		byID: map[string]*run{}, bySession: map[string][]*run{}, sockets: map[string]int{},
		claims: map[string][]chan struct{}{},
	}
}

// start claims the session's turn and runs text. It returns when the run has really begun, or with the refusal. An attached run ends as
// disconnected when ctx does; another belongs to the server and ends as disconnected when nobody has watched it for a while.
func (r *runs) start(ctx context.Context, session, text string, attached bool) (*run, error) {
	return r.begin(ctx, &run{session: session, query: text, attached: attached})
}

// begin is start of a run that has more to it.
func (r *runs) begin(ctx context.Context, x *run) (*run, error) {
	if err := r.check(ctx, x.query); err != nil {
		return nil, err
	}
	r.mu.Lock()
	if r.stopped {
		r.mu.Unlock()
		return nil, queue.ErrStopped
	}
	r.work.Add(1)
	r.mu.Unlock()

	runCtx, end := context.WithCancelCause(context.Background())
	x.registry, x.end, x.answer = r, end, newTranscript(r.maxResult, r.folder)
	detach := func() bool { return true }
	if x.attached {
		noticed := context.AfterFunc(ctx, func() { end(queue.ErrRunDisconnected) })
		looked := watchPeer(ctx, func() { end(queue.ErrRunDisconnected) })
		detach = func() bool { looked(); return noticed() }
	}
	begun, refused := make(chan struct{}), make(chan error, 1)
	settled := r.claiming(x.session)
	go func() {
		defer r.work.Done()
		defer end(nil)
		defer detach()
		claimed := false
		err := r.controller.Run(runCtx, x.session, func(ctx context.Context) error {
			claimed = true
			r.health.begin()
			r.admit(ctx, x)
			r.save(x)
			settled()
			close(begun)
			return x.execute(ctx)
		})
		if !claimed {
			settled()
			refused <- err
			return
		}
		r.conclude(x, err)
	}()
	select {
	case <-begun:
		return x, nil
	case err := <-refused:
		return nil, err
	}
}

// admit takes up a run whose turn was claimed.
func (r *runs) admit(ctx context.Context, x *run) {
	x.id = queue.RunID(ctx)
	if v, err := r.controller.Peek(ctx, x.session); err == nil && v.RunID == x.id {
		x.number = v.Number
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	x.started = r.now()
	r.byID[x.id] = x
	r.bySession[x.session] = append(r.bySession[x.session], x)
	if r.stopped {
		x.end(queue.ErrRunInterrupted)
	}
	if !x.attached {
		x.concern.seen = x.started
		x.concern.timer = time.AfterFunc(r.unwatched, func() { r.lookAfter(x) })
	}
}

// stopping says that a run was told to stop.
func (r *runs) stopping(x *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x.stopping = true
}

// hold says that a run has not stopped within the grace. Its slot stays its own, however long that takes.
func (r *runs) hold(x *run) {
	r.mu.Lock()
	x.held = true
	r.mu.Unlock()
	r.log.Error("a run does not stop: its slot is lost until it does", "run", x.id, "grace", r.grace)
	r.health.hold()
}

// conclude keeps a run whose slot has been given on, and tells its readers that nothing more comes.
func (r *runs) conclude(x *run, err error) {
	_ = x.settle(context.Background(), err) // it is settled, unless we made a mistake ourselves
	r.mu.Lock()
	held, failed := x.held, x.outcome == queue.Failed
	r.metrics.ran(x.outcome, x.ended.Sub(x.started))
	x.released = true
	r.mu.Unlock()
	x.toldOf(x.answer.close())
	r.save(x) // before its readers are told: an answer that was given outlives us
	x.seal()
	if held {
		r.log.Info("a run has stopped after all", "run", x.id)
	}
	r.health.end(held, failed)

	r.mu.Lock()
	defer r.mu.Unlock()
	r.retain(x, 0)
}

// retain wants the lock. It keeps a run that ended so long ago, within the bounds.
func (r *runs) retain(x *run, age time.Duration) {
	if x.concern.timer != nil {
		x.concern.timer.Stop()
	}
	x.memory, x.disk = x.answer.size()
	x.memory += int64(len(x.query))
	r.kept = append(r.kept, x)
	r.keptBytes, r.keptDisk = r.keptBytes+x.memory, r.keptDisk+x.disk
	if !r.stopped {
		x.concern.timer = time.AfterFunc(max(r.ttl, x.keep)-age, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.forget(x)
		})
	}
	if mine := r.bySession[x.session]; len(mine) > keepPerSession {
		if i := slices.IndexFunc(mine, func(y *run) bool { return y.released }); i >= 0 {
			r.forget(mine[i])
		}
	}
	for len(r.kept) > keepRuns || r.keptBytes > r.keepBytes || r.keptDisk > r.keepOnDisk {
		r.forget(r.kept[0])
	}
}

// forget wants the lock. It is harmless twice.
func (r *runs) forget(x *run) {
	i := slices.Index(r.kept, x)
	if i < 0 {
		return
	}
	r.kept = slices.Delete(r.kept, i, i+1)
	r.keptBytes, r.keptDisk = r.keptBytes-x.memory, r.keptDisk-x.disk
	delete(r.byID, x.id)
	mine := slices.DeleteFunc(r.bySession[x.session], func(y *run) bool { return y == x })
	if r.bySession[x.session] = mine; len(mine) == 0 {
		delete(r.bySession, x.session)
	}
	if x.concern.timer != nil {
		x.concern.timer.Stop()
	}
	if err := x.answer.discard(); err != nil {
		r.log.Error("an old answer could not be removed", "run", x.id, "err", err)
	}
	if r.folder == nil {
		return
	}
	if err := r.folder.discard(x.id); err != nil {
		r.log.Error("an old run could not be removed", "run", x.id, "err", err)
	}
}

// of is the runs of a session, newest first.
func (r *runs) of(session string) []*run {
	r.mu.Lock()
	defer r.mu.Unlock()
	mine := slices.Clone(r.bySession[session])
	slices.Reverse(mine)
	return mine
}

// get finds a run of the session; an unknown one and somebody else's are alike.
func (r *runs) get(session, id string) (*run, bool) {
	r.mu.Lock()
	x, ok := r.byID[id]
	claims := slices.Clone(r.claims[session])
	r.mu.Unlock()
	if !ok && len(claims) > 0 {
		// The line tells of a run as soon as its turn is claimed, a moment before the run is here.
		for _, claim := range claims {
			<-claim
		}
		r.mu.Lock()
		x, ok = r.byID[id]
		r.mu.Unlock()
	}
	if !ok || session == "" || x.session != session {
		return nil, false
	}
	return x, true
}

// claiming says that the session claims a turn, until settled is called.
func (r *runs) claiming(session string) (settled func()) {
	claim := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.claims[session] = append(r.claims[session], claim)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		rest := slices.DeleteFunc(r.claims[session], func(c chan struct{}) bool { return c == claim })
		if r.claims[session] = rest; len(rest) == 0 {
			delete(r.claims, session)
		}
		close(claim)
	}
}

// watch says that a socket of the session is open: all its runs count as watched until release is called.
func (r *runs) watch(session string) (release func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sockets[session]++
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.sockets[session]--; r.sockets[session] == 0 {
			delete(r.sockets, session)
		}
		for _, x := range r.bySession[session] {
			r.see(x)
		}
	})
}

// watch says that somebody follows this run, until release is called.
func (x *run) watch() (release func()) {
	r := x.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	x.watchers++
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		x.watchers--
		r.see(x)
	})
}

// touch says that somebody has looked at this run.
func (x *run) touch() {
	x.registry.mu.Lock()
	defer x.registry.mu.Unlock()
	x.registry.see(x)
}

// see wants the lock.
func (r *runs) see(x *run) {
	if !x.attached && !x.settled && x.concern.timer != nil {
		x.concern.seen = r.now()
		x.concern.timer.Reset(r.unwatched)
	}
}

// lookAfter ends a run that nobody has watched for too long.
func (r *runs) lookAfter(x *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if x.settled || r.draining || x.watchers > 0 || r.sockets[x.session] > 0 {
		return // who watches sets the timer when they go
	}
	if rest := r.unwatched - r.now().Sub(x.concern.seen); rest > 0 {
		x.concern.timer.Reset(rest)
		return
	}
	x.end(queue.ErrRunDisconnected)
}

// drain lets the runs go on that go, watched or not: their watchers have been sent away.
func (r *runs) drain() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.draining = true
}

// stop ends every run as interrupted and waits for them. A runner that ignores it keeps stop waiting until ctx ends, but not its reader.
func (r *runs) stop(ctx context.Context) error {
	r.mu.Lock()
	r.stopped = true
	for _, x := range r.byID {
		if x.released && x.concern.timer != nil {
			x.concern.timer.Stop()
		}
		x.end(queue.ErrRunInterrupted)
	}
	r.mu.Unlock()

	ended := make(chan struct{})
	go func() { r.work.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drop forgets everything that is kept in memory alone.
func (r *runs) drop() {
	if r.folder != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.kept) > 0 {
		r.forget(r.kept[len(r.kept)-1])
	}
}
