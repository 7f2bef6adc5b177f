package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"confluence/queue"
)

// Options are the parts of a Store.
type Options struct {
	Config queue.Config
	Folder string               // where the file is, or is made; the folder must be there
	Clock  func() time.Duration // the time since any fixed instant, never falling; nil: the monotonic clock
	Wall   func() time.Time     // dates for people to read, and nothing else; nil: time.Now
	Logger *slog.Logger         // nil: slog.Default()

	vfs        string        // SQLite's file layer; empty: fileLayer
	tryAgain   time.Duration // after a failed transaction; 0: tryAgain
	migrations []string      // nil: migrations
}

// tryAgain is how soon a transaction is tried again after one that failed.
const tryAgain = 500 * time.Millisecond

// Store is a queue.Store in a file. Close it at the end.
type Store struct {
	cfg   queue.Config
	clock func() time.Duration // the line's: it goes on over a restart
	wall  func() time.Time
	log   *slog.Logger

	mu      sync.Mutex
	line    *queue.Line
	changes func([]queue.Change)
	runner  bool    // available, as we were told
	trouble error   // why nothing can be promised at the moment; nil: all is well
	closed  bool    // for good
	gathers *batch  // what the next transaction will save
	flying  *batch  // what is being saved; nil: nothing is
	file    *file   // the committer's, while it lives
	saves   *commit // the committer's
}

// Open opens the folder's line, or makes an empty one. It errs with ErrInUse, ErrForeign, ErrNewer, ErrDamaged, or what the system says.
func Open(o Options) (*Store, error) {
	if err := o.Config.Validate(); err != nil {
		return nil, err
	}
	if o.Clock == nil {
		o.Clock = queue.Monotonic()
	}
	if o.Wall == nil {
		o.Wall = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.tryAgain == 0 {
		o.tryAgain = tryAgain
	}
	if o.migrations == nil {
		o.migrations = migrations
	}
	if o.vfs == "" {
		o.vfs = fileLayer
	}
	f, err := openFile(o.Folder, o.vfs, o.migrations)
	if err != nil {
		return nil, err
	}
	before, err := load(f.conn, false)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s can't be read: %w", f.path, err), f.close())
	}
	line, err := queue.RestoreLine(o.Config, before.State)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w: %w", f.path, ErrDamaged, err), f.close())
	}
	start := o.Clock()
	s := &Store{
		cfg: o.Config, wall: o.Wall, log: o.Logger, line: line, changes: func([]queue.Change) {}, runner: true, gathers: newBatch(), file: f,
		clock: func() time.Duration { return before.clock + o.Clock() - start },
	}
	s.saves = startCommits(s, o.tryAgain)
	return s, nil
}

// Close saves what is left, and gives the file back. It is idempotent; its error is that of the last transaction, or ctx's if that takes too
// long. Afterwards looks still answer, and all else errs with queue.ErrStopped.
func (s *Store) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return s.saves.stop(ctx)
}

// Config is the line's configuration.
func (s *Store) Config() queue.Config { return s.cfg }

// Changes sets who is told of what happened.
func (s *Store) Changes(fn func([]queue.Change)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes = fn
}

// tell tells what has just happened, and has it saved. It is called with the line locked.
func (s *Store) tell() {
	if c := s.line.Take(); len(c) > 0 {
		s.changes(c)
	}
	if s.line.Owes() {
		s.saves.nudge()
	}
}

// look makes a step whose caller needn't wait for the disk: what happened by itself meanwhile is saved behind its back. The clock is read under the
// lock, so that instants never fall.
func (s *Store) look(step func(now time.Duration)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	step(s.clock())
	s.tell()
}

// owed makes a step that nobody can refuse, and errs if it can't be saved for now: it is done all the same, and saved later.
func (s *Store) owed(step func(now time.Duration) error) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return queue.ErrStopped
	}
	err := step(s.clock())
	s.tell()
	b, trouble := s.saving(), s.trouble
	s.mu.Unlock()
	switch {
	case err != nil:
		return err
	case trouble != nil:
		return trouble
	}
	return b.wait(context.Background())
}

// refusable makes a step that is taken back if it can't be saved. undo is called before it and returns how. A ctx that ends leaves it open
// whether the step was made.
func (s *Store) refusable(ctx context.Context, undo func(now time.Duration) func(now time.Duration), step func(now time.Duration) error) error {
	s.mu.Lock()
	switch {
	case s.closed:
		s.mu.Unlock()
		return queue.ErrStopped
	case s.trouble != nil:
		defer s.mu.Unlock()
		return s.trouble
	}
	now := s.clock()
	back := undo(now)
	err := step(now)
	s.tell()
	b := s.saving()
	if b == s.gathers {
		b.undos = append(b.undos, back)
	}
	s.mu.Unlock()
	if err != nil && !errors.Is(err, queue.ErrReservationExpired) { // which is told once
		return err
	}
	if unsaved := b.wait(ctx); unsaved != nil {
		return unsaved
	}
	return err
}

// saving is the transaction after which all that has happened is saved; nil: it is.
func (s *Store) saving() *batch {
	if s.line.Owes() {
		return s.gathers
	}
	return s.flying
}
