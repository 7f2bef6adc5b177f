package sqlitestore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"confluence/queue"
)

// crowd lets some people at the store until ctx ends or the store refuses: some join and stay, some leave, and who is called runs. note is told of each
// thing that is asked and answered.
func crowd(ctx context.Context, s *Store, seed uint64, name string, note func(line string)) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	called := make(chan struct{}, 1)
	s.Changes(func([]queue.Change) {
		select {
		case called <- struct{}{}:
		default:
		}
	})
	called <- struct{}{}
	var all sync.WaitGroup
	for i := range 4 {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		all.Go(func() {
			defer cancel()
			for n := 0; ctx.Err() == nil && visit(ctx, s, fmt.Sprintf("%s-%d-%d", name, i, n), random.IntN(3) > 0, note); n++ {
			}
		})
	}
	all.Go(func() {
		defer cancel()
		for {
			select {
			case <-ctx.Done():
				return
			case <-called:
			}
			if !runReady(ctx, s, name, note) {
				return
			}
		}
	})
	all.Wait()
}

// leaver ends the names of sessions that leave, and never run.
const leaver = "-leaver"

// visit is one session's coming, and for some its going. It is false when the store refuses.
func visit(ctx context.Context, s *Store, session string, leaves bool, note func(line string)) bool {
	if leaves {
		session += leaver
	}
	note("? join " + session)
	v, err := s.Join(ctx, session, queue.Kept{Query: "text-of-" + session})
	if err != nil {
		return false
	}
	note(fmt.Sprint("! join ", session, " ", v.Number, " ", v.TicketID))
	return !leaves || leave(ctx, s, session, note)
}

func leave(ctx context.Context, s *Store, session string, note func(line string)) bool {
	note("? leave " + session)
	if s.Leave(ctx, session) != nil {
		return false
	}
	note("! leave " + session)
	return true
}

// runReady runs for those who are called, one after the other. A leaver who is called leaves by itself, unless a crash was before that.
func runReady(ctx context.Context, s *Store, name string, note func(line string)) bool {
	for {
		ready := ""
		err := s.Each(ctx, 1, 1, func(session string, v queue.View) {
			if v.Status == queue.Ready {
				ready = session
			}
		})
		switch {
		case err != nil || ready == "" || strings.HasSuffix(ready, leaver) && strings.HasPrefix(ready, name+"-"):
			return err == nil
		case strings.HasSuffix(ready, leaver):
			if !leave(ctx, s, ready, note) {
				return false
			}
			continue
		}
		note("? claim " + ready)
		g, err := s.Claim(ctx, ready)
		if err != nil {
			return false
		}
		note("! claim " + ready + " " + g.RunID)
		note("? finish " + ready)
		if s.Finish(ctx, g.Term, queue.Succeeded) != nil {
			return false
		}
		note("! finish " + ready)
	}
}
