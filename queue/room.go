package queue

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Watcher is told what to show to one session. Calls come from the controller's own goroutine, one at a time and in order; they must not
// block.
type Watcher interface {
	Standing(View) // the present state: it replaces the one before
	Ended(Ended)   // the session has no ticket; the Standing of a new one may follow
}

// tier is a stretch of positions whose watchers are told of changes at the same pace.
type tier struct {
	from, to int           // positions
	every    time.Duration // between two pushes
	coarse   int           // tell only when the position changed in this unit; 1: whenever something changed
}

// tiers is the push policy: who is near is told at once, who is far is told now and then, so that a line of 100,000 that moves costs
// thousands of pushes a second and not millions. Ten milliseconds gather the changes of one burst. What is pushed is always exact.
var tiers = [...]tier{
	{0, 20, 10 * time.Millisecond, 1}, // 0: those that run
	{21, 100, time.Second, 1},
	{101, 1_000, 5 * time.Second, 1},
	{1_001, 10_000, 15 * time.Second, 1},
	{10_001, 1 << 30, time.Minute, 100},
}

// pictureEvery is the pace of the picture's watchers.
const pictureEvery = 100 * time.Millisecond

// room knows who watches, and pushes to them what they should see.
type room struct {
	store Store
	log   *slog.Logger
	clock func() time.Duration

	mu       sync.Mutex
	watchers map[string]*watched
	pictures map[*pictureWatch]struct{}
	inbox    []Change // what happened since the last push
	fresh    []string // sessions with a new watcher

	// The rest belongs to the controller's loop.
	stale    [len(tiers)]bool          // something changed since the tier's last push
	last     [len(tiers)]time.Duration // when that began; 0: never
	sweeps   [len(tiers)]sweep         // what is left of it
	all      sweep                     // what is left of a push to everybody
	picture  bool                      // the picture changed since its last push
	lastPic  time.Duration
	sessions []string
	views    []View
}

// watched is one session with watchers.
type watched struct {
	watches []*watch
	last    shown // what the watchers were told last
}

type watch struct {
	w       Watcher
	fresh   bool   // it has been told nothing yet
	ended   string // the ticket of whose end it was told last
	stopped atomic.Bool
}

type pictureWatch struct {
	fn      func(Picture)
	stopped atomic.Bool
}

// shown is what of a View would be worth a push.
type shown struct {
	id                string
	status            Status
	position          int
	runner            RunnerState
	inputs, published int64
}

func shownOf(v *View) shown {
	return shown{v.TicketID, v.Status, v.Position, v.Runner, v.inputs, v.published}
}

// news says whether is, seen in that unit of positions, differs from what was told before.
func (before shown) news(is shown, coarse int) bool {
	if coarse > 1 {
		before.position, is.position = before.position/coarse, is.position/coarse
		before.inputs = is.inputs // so far back one run more or less isn't worth a push
	}
	return before != is
}

func newRoom(store Store, log *slog.Logger) *room {
	return &room{store: store, log: log, clock: Monotonic(), watchers: make(map[string]*watched), pictures: make(map[*pictureWatch]struct{})}
}

func (r *room) watch(session string, w Watcher) (stop func()) {
	x := &watch{w: w, fresh: true}
	r.mu.Lock()
	defer r.mu.Unlock()
	in := r.watchers[session]
	if in == nil {
		in = &watched{}
		r.watchers[session] = in
	}
	in.watches = append(in.watches, x)
	r.fresh = append(r.fresh, session)
	return func() {
		if x.stopped.Swap(true) {
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for i, y := range in.watches {
			if y == x {
				// A new slice: the loop may be reading the old one.
				in.watches = append(in.watches[:i:i], in.watches[i+1:]...)
				break
			}
		}
		if len(in.watches) == 0 && r.watchers[session] == in {
			delete(r.watchers, session)
		}
	}
}

func (r *room) watchPicture(fn func(Picture)) (stop func()) {
	x := &pictureWatch{fn: fn}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pictures[x] = struct{}{}
	r.inbox = append(r.inbox, Change{Kind: Changed})
	return func() {
		x.stopped.Store(true)
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.pictures, x)
	}
}

// post takes changes for the next push.
func (r *room) post(changes []Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inbox = append(r.inbox, changes...)
}

// push tells the watchers what they should see by now, and when it must be called again at the latest; below 0: at the next change.
func (r *room) push(ctx context.Context) time.Duration {
	r.mu.Lock()
	inbox, fresh := r.inbox, r.fresh
	r.inbox, r.fresh = nil, nil
	r.mu.Unlock()

	all := false
	for _, ch := range inbox {
		for i := range r.stale {
			r.stale[i] = true
		}
		r.picture = true
		switch ch.Kind {
		case Gone:
			r.tellEnded(ch.Session, ch.Ended)
		case Joined, Called, Started:
			r.tell(ctx, ch.Session)
		case Published:
			all = true
		}
	}
	for _, session := range fresh {
		r.tell(ctx, session)
	}
	now := r.clock()
	next := time.Duration(-1)
	if all {
		r.all = r.sweepOf(ctx, 0, tiers[len(tiers)-1].to, 1)
		for i := range tiers {
			r.stale[i], r.last[i], r.sweeps[i] = false, now, sweep{}
		}
	}
	more := r.step(ctx, &r.all)
	for i, t := range tiers {
		if due := r.last[i] + t.every; r.stale[i] && (r.last[i] == 0 || due <= now) {
			r.sweeps[i] = r.sweepOf(ctx, t.from, t.to, t.coarse)
			r.stale[i], r.last[i] = false, now
		} else if r.stale[i] {
			next = sooner(next, due-now)
		}
		more = r.step(ctx, &r.sweeps[i]) || more
	}
	if more {
		next = 0
	}
	if r.picture {
		due := r.lastPic + pictureEvery
		if r.lastPic == 0 || due <= now {
			r.pushPicture(ctx)
			r.picture, r.lastPic = false, now
		} else {
			next = sooner(next, due-now)
		}
	}
	return next
}

// sooner is the smaller of two times, of which one below 0 means never.
func sooner(a, b time.Duration) time.Duration {
	if a < 0 {
		return b
	}
	return min(a, b)
}

// sweep is a stretch of positions whose watchers are to be told, a few at a time so that neither the line is locked for long nor those at
// the front wait for those at the back. It goes from the far end to the near one: places only fall, so who moves on meanwhile is met again,
// and nobody is missed. The zero value is over.
type sweep struct {
	from, end int // the positions that are left; end is not one of them
	coarse    int
}

const sweepStep = 1000

// sweepOf begins a sweep over these positions, as far as somebody stands there.
func (r *room) sweepOf(ctx context.Context, from, to, coarse int) sweep {
	if to-from >= sweepStep {
		p, err := r.store.Picture(ctx)
		if err != nil {
			r.log.Error("a push failed", "err", err)
			return sweep{}
		}
		to = min(to, len(p.Called)+p.Length)
	}
	return sweep{from, to + 1, coarse}
}

// step tells the next few, and whether some are left.
func (r *room) step(ctx context.Context, s *sweep) (more bool) {
	if s.from >= s.end {
		return false
	}
	from := max(s.from, s.end-sweepStep)
	r.sessions, r.views = r.sessions[:0], r.views[:0]
	err := r.store.Each(ctx, from, s.end-1, func(session string, v View) {
		if r.isWatched(session) {
			r.sessions, r.views = append(r.sessions, session), append(r.views, v)
		}
	})
	for i, session := range r.sessions {
		r.tellStanding(session, &r.views[i], s.coarse)
	}
	clear(r.views) // keep no texts
	if err != nil {
		r.log.Error("a push failed", "err", err)
		*s = sweep{}
		return false
	}
	s.end = from
	return from > s.from
}

func (r *room) isWatched(session string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.watchers[session] != nil
}

// tell pushes the present state to the session's watchers, if there are any.
func (r *room) tell(ctx context.Context, session string) {
	if !r.isWatched(session) {
		return
	}
	v, err := r.store.Peek(ctx, session)
	switch e := err.(type) {
	case nil:
		r.tellStanding(session, &v, 1)
	case *NotFoundError:
		r.tellFresh(session, e.Ended)
	default:
		r.log.Error("a push failed", "err", err)
	}
}

// tellStanding pushes v to the watchers that haven't been told as much.
func (r *room) tellStanding(session string, v *View, coarse int) {
	r.mu.Lock()
	in := r.watchers[session]
	if in == nil {
		r.mu.Unlock()
		return
	}
	is := shownOf(v)
	news := in.last.news(is, coarse)
	if news {
		in.last = is
	}
	watches := in.watches
	r.mu.Unlock()
	if !news && coarse > 1 {
		return // in its own turn a new watcher is told the exact state, and with it the others
	}
	for _, x := range watches {
		if (news || x.fresh) && !x.stopped.Load() {
			x.fresh = false
			x.w.Standing(*v)
		}
	}
}

func (r *room) tellEnded(session string, e Ended) {
	r.mu.Lock()
	in := r.watchers[session]
	newer := in != nil && in.last.id != "" && in.last.id != e.TicketID
	r.mu.Unlock()
	if newer {
		return // the watchers know of the session's next ticket already
	}
	for _, x := range r.take(session) {
		// A fresh one wants the present state, and e may be past already.
		if !x.fresh && x.ended != e.TicketID && !x.stopped.Load() {
			x.ended = e.TicketID
			x.w.Ended(e)
		}
	}
}

// tellFresh tells those that know nothing yet that there is no ticket.
func (r *room) tellFresh(session string, e Ended) {
	for _, x := range r.take(session) {
		if x.fresh && !x.stopped.Load() {
			x.fresh, x.ended = false, e.TicketID
			x.w.Ended(e)
		}
	}
}

// take is the watches of a session that has no ticket.
func (r *room) take(session string) []*watch {
	r.mu.Lock()
	defer r.mu.Unlock()
	in := r.watchers[session]
	if in == nil {
		return nil
	}
	in.last = shown{}
	return in.watches
}

func (r *room) pushPicture(ctx context.Context) {
	r.mu.Lock()
	watches := make([]*pictureWatch, 0, len(r.pictures))
	for x := range r.pictures {
		watches = append(watches, x)
	}
	r.mu.Unlock()
	if len(watches) == 0 {
		return
	}
	p, err := r.store.Picture(ctx)
	if err != nil {
		r.log.Error("a push failed", "err", err)
		return
	}
	for _, x := range watches {
		if !x.stopped.Load() {
			x.fn(p)
		}
	}
}
