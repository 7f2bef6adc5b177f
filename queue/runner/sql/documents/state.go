package documents

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"time"
)

// state is what is known of each file, by its path.
type state map[string]known

// known is a file as it was read last.
type known struct {
	found
	hash    [sha256.Size]byte
	left    string // why it is not indexed; empty: it is
	settled bool   // a change since would show in its size or time
}

// settledAfter is the age at which a file's time must change with its content, whatever the clock of its file system.
const settledAfter = 2 * time.Second

// changes are what one update did.
type changes struct {
	added, changed, removed int
	files                   int // that are indexed now
	bytes                   int64
	took                    time.Duration
}

func (c changes) any() bool { return c.added+c.changed+c.removed > 0 }

// update brings the index up to date: one look at the folder, and a new edition if something is other than it is known. Files that are named in
// dirty are read in any case. Errors leave everything as it was.
type update struct {
	options Options
	root    *os.Root
	known   state
	dirty   map[string]bool
	anew    bool // begin with an empty index

	next    state
	left    map[string]string
	edition *edition
	changes changes
}

func (u *update) run(ctx context.Context, s *scan) (err error) {
	if err := s.look(ctx); err != nil {
		return err
	}
	defer func() {
		if u.edition != nil {
			u.edition.discard()
		}
	}()
	u.next, u.left = state{}, s.left
	if u.anew {
		u.known = nil
		if _, err := u.edit(ctx); err != nil {
			return err
		}
	}
	for _, f := range s.files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := u.file(ctx, f); err != nil {
			return err
		}
	}
	for name, old := range u.known {
		if now, ok := u.next[name]; old.left == "" && (!ok || now.left != "") {
			if err := u.take(ctx, name); err != nil {
				return err
			}
		}
	}
	for _, k := range u.next {
		if k.left == "" {
			u.changes.files++
			u.changes.bytes += k.size
		}
	}
	if u.edition == nil {
		return nil
	}
	return u.edition.publish()
}

// file compares a file with what is known of it, and reads it if that isn't enough.
func (u *update) file(ctx context.Context, f found) error {
	old, have := u.known[f.path]
	if have && old.settled && !u.dirty[f.path] && old.size == f.size && old.modified.Equal(f.modified) {
		u.keep(old)
		return nil
	}
	now := u.options.Now()
	d, err := read(u.root, f.path, u.options.MaxFileBytes)
	var left *leftError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.As(err, &left):
		u.keep(known{found: f, left: left.reason, settled: d.hash != [sha256.Size]byte{} && d.modified.Before(now.Add(-settledAfter))})
		return nil
	case err != nil:
		return err
	}
	u.keep(known{found: d.found, hash: d.hash, settled: d.modified.Before(now.Add(-settledAfter))})
	switch {
	case !have || old.left != "":
		u.changes.added++
	case old.hash != d.hash || !old.modified.Equal(d.modified):
		u.changes.changed++
	default:
		return nil
	}
	e, err := u.edit(ctx)
	if err != nil {
		return err
	}
	return e.put(d)
}

func (u *update) keep(k known) {
	u.next[k.path] = k
	if k.left != "" {
		u.left[k.path] = k.left
	}
}

func (u *update) take(ctx context.Context, name string) error {
	e, err := u.edit(ctx)
	if err != nil {
		return err
	}
	u.changes.removed++
	return e.take(name)
}

// edit returns the edition that takes the changes.
func (u *update) edit(ctx context.Context) (*edition, error) {
	if u.edition != nil {
		return u.edition, nil
	}
	var err error
	u.edition, err = newEdition(ctx, u.options, u.anew)
	return u.edition, err
}
