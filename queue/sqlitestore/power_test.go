package sqlitestore

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"

	"github.com/ncruces/go-sqlite3"
)

// TestPowerLoss turns the power off at a random write or sync, under load; of what was not synced the disk keeps whatever sectors it likes. What
// was answered is there.
func TestPowerLoss(t *testing.T) {
	const rounds = 150
	d := newDisk(t)
	random := rand.New(rand.NewPCG(3, 14))
	folder, l := "", (*ledger)(nil)
	answered := 0
	for round := range rounds {
		if round%15 == 0 {
			folder, l = t.TempDir(), newLedger()
			d.forgets = true
			closeStore(t, open(t, Options{Folder: folder, vfs: d.name}))
			d.forgets = false
		}
		d.mu.Lock()
		d.unsynced = make(map[string]*unsyncedFile)
		left := random.IntN(150)
		short := random.IntN(2) == 0
		d.before = func(operation) fault {
			if left--; left >= 0 {
				return fault{}
			}
			return fault{err: sqlite3.IOERR, short: short, dies: true}
		}
		d.mu.Unlock()
		s, err := Open(Options{Config: config(), Folder: folder, Logger: slog.New(slog.DiscardHandler), vfs: d.name})
		if err == nil {
			crowd(t.Context(), s, random.Uint64(), fmt.Sprint("r", round), func(line string) {
				if err := l.note(line); err != nil {
					t.Error(err)
				}
			})
			if s.Close(context.Background()) == nil {
				t.Fatal("it was saved without power")
			}
		}
		d.losesPower(t, random)
		c, err := Inspect(t.Context(), folder)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		l.check(t, c)
		answered += int(c.Number)
	}
	if answered < rounds {
		t.Fatalf("only %d tickets were given", answered)
	}
}
