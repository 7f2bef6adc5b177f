package queue_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"confluence/queue"
	"confluence/queue/memory"
)

// BenchmarkLine measures the line's operations through the memory store, lock and clock included, by how many wait. The look-up of a session in
// a map as large, in the same random order, is the floor beside them: what grows with it grows by cache misses alone.
func BenchmarkLine(b *testing.B) {
	for _, waiting := range []int{1_000, 10_000, 100_000, 1_000_000} {
		var c *crowd
		for _, op := range []struct {
			name string
			run  func(b *testing.B, c *crowd)
		}{
			{"map", benchMap}, {"position", benchPosition}, {"join", benchJoin}, {"leave_and_rejoin", benchLeave}, {"promote", benchPromote},
		} {
			b.Run(fmt.Sprintf("%s/waiting=%d", op.name, waiting), func(b *testing.B) {
				if c == nil { // once a size: each benchmark leaves as many waiting as it found
					c = newCrowd(b, lineOf(b), waiting)
				}
				b.ReportAllocs()
				b.ResetTimer()
				op.run(b, c)
			})
		}
	}
}

// BenchmarkReference measures the same of a list that is scanned.
func BenchmarkReference(b *testing.B) {
	for _, waiting := range []int{10_000, 100_000} {
		var c *crowd
		for _, op := range []struct {
			name string
			run  func(b *testing.B, c *crowd)
		}{
			{"position", benchPosition}, {"leave_and_rejoin", benchLeave}, {"promote", benchPromote},
		} {
			b.Run(fmt.Sprintf("%s/waiting=%d", op.name, waiting), func(b *testing.B) {
				if c == nil {
					c = newCrowd(b, &reference{cfg: benchConfig()}, waiting)
				}
				b.ReportAllocs()
				b.ResetTimer()
				op.run(b, c)
			})
		}
	}
}

// waitingRoom is what both have.
type waitingRoom interface {
	Join(ctx context.Context, session string, kept queue.Kept) (queue.View, error)
	Status(ctx context.Context, session string) (queue.View, error)
	Leave(ctx context.Context, session string) error
	claim() (session string)
	finish(session string)
}

// storeLine is a memory store whose turns are taken as the reference's are.
type storeLine struct {
	*memory.Store
	called string // who was called last
	term   uint64 // of the run
}

func benchConfig() queue.Config {
	return queue.Config{Slots: 1, MaxLength: 1 << 30, Reservation: 24 * time.Hour, Heartbeat: 24 * time.Hour}
}

func lineOf(b *testing.B) *storeLine {
	b.Helper()
	s, err := memory.New(memory.Options{Config: benchConfig()})
	if err != nil {
		b.Fatal(err)
	}
	l := &storeLine{Store: s}
	s.Changes(func(changes []queue.Change) {
		for _, ch := range changes {
			if ch.Kind == queue.Called {
				l.called = ch.Session
			}
		}
	})
	return l
}

func (l *storeLine) claim() string {
	g, err := l.Claim(context.Background(), l.called)
	if err != nil {
		return ""
	}
	l.term = g.Term
	return l.called
}

func (l *storeLine) finish(string) { _ = l.Finish(context.Background(), l.term, queue.Succeeded) }

// crowd is a room in which so many wait, behind a run.
type crowd struct {
	room     waitingRoom
	sessions []string // those that wait, in random order
	byName   map[string]*int
	next     int
	running  string
}

func newCrowd(b *testing.B, room waitingRoom, waiting int) *crowd {
	b.Helper()
	c := &crowd{room: room, byName: make(map[string]*int, waiting)}
	c.join(b, "first")
	c.running = room.claim()
	random := rand.New(rand.NewPCG(1, uint64(waiting)))
	for i := range waiting {
		name := sessionName(random)
		c.sessions = append(c.sessions, name)
		c.byName[name] = &i
	}
	if list, ok := room.(*reference); ok { // its own joins would take an hour
		for _, name := range c.sessions {
			list.tickets = append(list.tickets, &referenceTicket{session: name, status: queue.Queued, seen: time.Now()})
		}
	} else {
		for _, name := range c.sessions {
			c.join(b, name)
		}
	}
	random.Shuffle(waiting, func(i, j int) { c.sessions[i], c.sessions[j] = c.sessions[j], c.sessions[i] })
	return c
}

// sessionName is as long and as random as a real one.
func sessionName(random *rand.Rand) string {
	var raw [16]byte
	binary.LittleEndian.PutUint64(raw[:8], random.Uint64())
	binary.LittleEndian.PutUint64(raw[8:], random.Uint64())
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

func (c *crowd) join(b *testing.B, session string) {
	if _, err := c.room.Join(context.Background(), session, queue.Kept{}); err != nil {
		b.Fatal(err)
	}
}

// any is one of the sessions; over time each in turn.
func (c *crowd) any() string {
	c.next++
	return c.sessions[c.next%len(c.sessions)]
}

func benchMap(b *testing.B, c *crowd) {
	for b.Loop() {
		if c.byName[c.any()] == nil {
			b.Fatal("a session is missing")
		}
	}
}

func benchPosition(b *testing.B, c *crowd) {
	for b.Loop() {
		if _, err := c.room.Status(context.Background(), c.any()); err != nil {
			b.Fatal(err)
		}
	}
}

// benchJoin lets a tenth as many come as wait, and leave unmeasured.
func benchJoin(b *testing.B, c *crowd) {
	random := rand.New(rand.NewPCG(2, uint64(len(c.sessions))))
	came := make([]string, 0, len(c.sessions)/10)
	leave := func() {
		for _, session := range came {
			if err := c.room.Leave(context.Background(), session); err != nil {
				b.Fatal(err)
			}
		}
		came = came[:0]
	}
	for b.Loop() {
		came = append(came, sessionName(random))
		c.join(b, came[len(came)-1])
		if len(came) == cap(came) {
			b.StopTimer()
			leave()
			b.StartTimer()
		}
	}
	leave()
}

func benchLeave(b *testing.B, c *crowd) {
	for b.Loop() {
		session := c.any()
		if err := c.room.Leave(context.Background(), session); err != nil {
			b.Fatal(err)
		}
		c.join(b, session)
	}
}

// benchPromote ends a run, which calls the head, claims for that one, and lets the first join again to keep the size.
func benchPromote(b *testing.B, c *crowd) {
	for b.Loop() {
		ended := c.running
		c.room.finish(ended)
		if c.running = c.room.claim(); c.running == "" {
			b.Fatal("nobody was called")
		}
		c.join(b, ended)
	}
}
