package sqlitestore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"confluence/queue"
	"confluence/queue/memory"
)

// BenchmarkJoin measures joins a second by how many call at once: one that is answered when the disk has it, beside memory's, and the joins
// a transaction saves.
func BenchmarkJoin(b *testing.B) {
	for _, callers := range []int{1, 50, 500} {
		b.Run(fmt.Sprintf("durable/callers=%d", callers), func(b *testing.B) {
			s := open(b, Options{Folder: b.TempDir()})
			joinFrom(b, s, callers)
		})
		b.Run(fmt.Sprintf("memory/callers=%d", callers), func(b *testing.B) {
			s, err := memory.New(memory.Options{Config: config()})
			must(b, err)
			joinFrom(b, s, callers)
		})
	}
}

func joinFrom(b *testing.B, s queue.Store, callers int) {
	var n atomic.Int64
	done := make(chan error, callers)
	b.ResetTimer()
	for range callers {
		go func() {
			for i := n.Add(1); i <= int64(b.N); i = n.Add(1) {
				if _, err := s.Join(context.Background(), fmt.Sprint("session number ", i), queue.Kept{}); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range callers {
		must(b, <-done)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "joins/s")
}

// BenchmarkStatus measures a look at a place among 100,000, which must not touch the disk, beside memory's: alone, and while others join.
func BenchmarkStatus(b *testing.B) {
	const waiting = 100_000
	folder := b.TempDir()
	fill(b, folder, waiting)
	s := open(b, Options{Folder: folder})
	m, err := memory.New(memory.Options{Config: config()})
	must(b, err)
	for i := range waiting {
		_, err := m.Join(b.Context(), sessionOf(i), queue.Kept{})
		must(b, err)
	}
	for _, c := range []struct {
		name  string
		store queue.Store
	}{{"durable", s}, {"memory", m}} {
		b.Run(c.name, func(b *testing.B) { look(b, c.store, waiting) })
	}
	b.Run("durable while 50 join", func(b *testing.B) {
		ctx, cancel := context.WithCancel(b.Context())
		defer cancel()
		for i := range 50 {
			go func() {
				for n := 0; ctx.Err() == nil; n++ {
					_, _ = s.Join(ctx, fmt.Sprint("storm ", i, " ", n), queue.Kept{})
				}
			}()
		}
		b.ResetTimer()
		look(b, s, waiting)
	})
}

func look(b *testing.B, s queue.Store, waiting int) {
	random := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		if _, err := s.Status(context.Background(), sessionOf(random.IntN(waiting))); err != nil {
			b.Fatal(err)
		}
	}
}

func sessionOf(i int) string { return fmt.Sprintf("session-%012d", i) }

// fill makes a folder in which so many wait, with a short text each.
func fill(b *testing.B, folder string, waiting int) {
	f, err := openFile(folder, "", migrations)
	must(b, err)
	u := queue.Unsaved{Totals: queue.Totals{Number: int64(waiting)}}
	for i := range waiting {
		u.Records = append(u.Records, queue.Record{
			Session: sessionOf(i), ID: fmt.Sprintf("q_%016d", i), Number: int64(i + 1), Status: queue.Queued, JoinedAt: i + 1,
			Kept: queue.Kept{Query: "SELECT * FROM branches"}, TextChanged: true,
		})
	}
	must(b, f.write(u, 0, time.Now()))
	must(b, f.close())
}

// BenchmarkStart measures the time from nothing to the first answer, with 100,000 tickets in the file.
func BenchmarkStart(b *testing.B) {
	const waiting = 100_000
	folder := b.TempDir()
	fill(b, folder, waiting)
	for b.Loop() {
		s, err := Open(Options{Config: config(), Folder: folder, Logger: discard})
		must(b, err)
		if v, err := s.Peek(context.Background(), sessionOf(waiting-1)); err != nil || v.Position != waiting {
			b.Fatal(v, err)
		}
		must(b, s.Close(context.Background()))
	}
}
