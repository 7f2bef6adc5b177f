package web

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"confluence/queue"
)

const (
	keyHeader    = "Idempotency-Key"
	replayHeader = "Idempotency-Replayed"

	keyBytes  = 255    // of a key
	keepKeys  = 10_000 // at most; each takes some 300 bytes, whatever the client sent
	keyMemory = 24 * time.Hour
)

// queryKeys remembers which run an Idempotency-Key stands for, so that a query that is sent again after a broken connection doesn't run
// twice. Only what has begun is remembered: a refusal leaves the key free.
type queryKeys struct {
	now func() time.Time

	mu    sync.Mutex
	byKey map[digest]*queryKey
	begun *list.List // of the *queryKey that have a run, oldest first
}

type digest [sha256.Size]byte

// queryKey is one key of one session.
type queryKey struct {
	name  digest // of session and key
	text  digest // of what was to be run
	run   string // empty while its claim is decided
	since time.Time
	place *list.Element
}

func newQueryKeys(now func() time.Time) *queryKeys {
	return &queryKeys{now: now, byKey: map[digest]*queryKey{}, begun: list.New()}
}

// digestOf tells apart what is joined differently: each part goes in with its length.
func digestOf(parts ...string) digest {
	var all []byte
	for _, part := range parts {
		all = append(binary.AppendUvarint(all, uint64(len(part))), part...)
	}
	return sha256.Sum256(all)
}

// keyOf is the request's key, "" if it has none.
func keyOf(c echo.Context) (string, error) {
	values := c.Request().Header.Values(keyHeader)
	if len(values) == 0 {
		return "", nil
	}
	key := values[0]
	if len(values) > 1 || key == "" || len(key) > keyBytes {
		return "", errKeyInvalid
	}
	for _, b := range []byte(key) {
		if b < ' ' || b > '~' {
			return "", errKeyInvalid
		}
	}
	return key, nil
}

// askedQuery is the text that a call sends, or that it sends none: then the one kept at the join is meant.
type askedQuery struct {
	text  string
	given bool
}

// take gives a key that nobody has used, with known false: the caller must begin or release it. Of one that is known it is a copy, with the
// run that it stands for, which is empty while an earlier call is about to begin it. It errs if the key was used with another text.
func (k *queryKeys) take(session, key string, asked askedQuery) (at queryKey, known bool, err error) {
	name := digestOf(session, key)
	body := digestOf(strconv.FormatBool(asked.given), asked.text)
	k.mu.Lock()
	defer k.mu.Unlock()
	for first := k.begun.Front(); first != nil && k.now().Sub(first.Value.(*queryKey).since) >= keyMemory; first = k.begun.Front() {
		k.drop(first.Value.(*queryKey))
	}
	if found := k.byKey[name]; found != nil {
		if found.text != body {
			return *found, true, errKeyConflict
		}
		return *found, true, nil
	}
	fresh := &queryKey{name: name, text: body}
	k.byKey[name] = fresh
	return *fresh, false, nil
}

// begin says which run the key stands for from now on.
func (k *queryKeys) begin(at queryKey, run string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found := k.byKey[at.name]
	found.run, found.since = run, k.now()
	found.place = k.begun.PushBack(found)
	if k.begun.Len() > keepKeys {
		k.drop(k.begun.Front().Value.(*queryKey))
	}
}

// restore takes up the keys of runs that outlived a restart, oldest first.
func (k *queryKeys) restore(kept []*run) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, x := range kept {
		if x.key == nil || unanswered(x.state()) {
			continue
		}
		at := &queryKey{name: digest(x.key.Name), text: digest(x.key.Text), run: x.id, since: x.started}
		if earlier := k.byKey[at.name]; earlier != nil {
			k.drop(earlier)
		}
		k.byKey[at.name] = at
		at.place = k.begun.PushBack(at)
	}
}

// release frees a key: its claim was refused, or its run doesn't count. One that stands for another run meanwhile is let alone.
func (k *queryKeys) release(at queryKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if found := k.byKey[at.name]; found != nil && found.run == at.run {
		k.drop(found)
	}
}

// drop wants the lock.
func (k *queryKeys) drop(found *queryKey) {
	delete(k.byKey, found.name)
	if found.place != nil {
		k.begun.Remove(found.place)
	}
}

// unanswered is a run whose client went before its end, or that the runner didn't take.
func unanswered(st runState) bool {
	return st.Outcome == queue.Disconnected || st.Code == "runner_unavailable"
}

// startQuery claims and runs what the call asks for, once for a key. A run that an earlier call with the key has started is replayed; it has
// ended.
func (s *Server) startQuery(ctx context.Context, session, key string, asked askedQuery) (x *run, replayed bool, err error) {
	if key == "" {
		x, err = s.startAsked(ctx, session, asked, nil)
		return x, false, err
	}
	at, known, err := s.keys.take(session, key, asked)
	if known && at.run != "" {
		x, found := s.runs.get(session, at.run)
		if !found || !unanswered(x.state()) {
			return replay(x, found, at, err)
		}
		s.keys.release(at) // there is no answer: the key is free again
		at, known, err = s.keys.take(session, key, asked)
	}
	switch {
	case err != nil:
		return nil, false, err
	case known:
		return nil, false, errRunInProgress // another call is about to begin it
	}
	defer func() {
		if x == nil {
			s.keys.release(at)
		}
	}()
	if x, err = s.startAsked(ctx, session, asked, &at); err != nil {
		return nil, false, err
	}
	s.keys.begin(at, x.id)
	return x, false, nil
}

// replay is what a call gets whose key stands for a run; conflict is the error of take.
func replay(x *run, found bool, at queryKey, conflict error) (*run, bool, error) {
	switch {
	case conflict != nil:
		return nil, false, &refusal{err: conflict, runID: at.run}
	case !found:
		return nil, false, &refusal{err: errResultGone, runID: at.run}
	case x.state().Going:
		return nil, false, &refusal{err: errRunInProgress, runID: at.run}
	case x.state().Outcome == queue.Interrupted:
		return nil, false, &refusal{err: errRunWasInterrupted, runID: at.run}
	}
	return x, true, nil
}

// startAsked claims and runs what the call asks for, with the key that the call has, if any.
func (s *Server) startAsked(ctx context.Context, session string, asked askedQuery, key *queryKey) (*run, error) {
	text := asked.text
	if !asked.given {
		var err error
		if text, err = s.keptText(ctx, session); err != nil {
			return nil, err
		}
	}
	x := &run{session: session, query: text, attached: true}
	if key != nil {
		x.keep, x.key = keyMemory, &savedKey{Name: key.name[:], Text: key.text[:]}
	}
	return s.runs.begin(ctx, x)
}
