package documents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"confluence/queue/runner"
)

// Index follows a folder. Stop must be called.
type Index struct {
	options Options
	log     *slog.Logger
	watch   *watch
	known   state
	left    map[string]string // as it was logged
	anew    bool              // the next update makes the index from nothing

	examples  []runner.Example
	stop      context.CancelFunc
	following sync.WaitGroup
}

// Open brings the index of the folder up to date, or makes it, and follows the folder from then on. ctx bounds the opening, which takes a minute
// or more for 256 MiB of text. Errors: ErrOptions; ErrFolder (wrapped) if the folder can't be read; those of writing the index.
func Open(ctx context.Context, options Options) (*Index, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(options.Folder); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFolder, err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%w: %s is not a folder", ErrFolder, options.Folder)
	}
	x := &Index{options: options, log: options.Logger}
	removeLeftovers(options.Database)
	if x.known, err = load(ctx, options); err != nil {
		if !errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil {
			x.log.Warn("the index of the documents is damaged, and made anew", "error", err)
		}
		x.anew = true
	}
	x.watch = newWatch(options)
	if err := x.first(ctx); err != nil {
		return nil, errors.Join(err, x.watch.close())
	}
	if x.examples, err = examples(ctx, options); err != nil {
		return nil, errors.Join(err, x.watch.close())
	}
	follow, stop := context.WithCancel(context.Background())
	x.stop = stop
	x.following.Go(func() { x.follow(follow) })
	return x, nil
}

// first updates the index, and makes it from nothing if the one that is there doesn't let itself be updated.
func (x *Index) first(ctx context.Context) error {
	c, err := x.update(ctx, nil)
	if err != nil && !x.anew && ctx.Err() == nil && !errors.Is(err, ErrFolder) {
		x.log.Warn("the index of the documents can't be changed, and is made anew", "error", err)
		x.anew = true
		c, err = x.update(ctx, nil)
	}
	if err != nil {
		return fmt.Errorf("index the documents of %s: %w", x.options.Folder, err)
	}
	x.log.Info("documents are indexed", "folder", x.options.Folder, "documents", c.files, "bytes", c.bytes, "left_out", len(x.left),
		"took", c.took.Round(time.Millisecond))
	return nil
}

// update takes what has changed into the index.
func (x *Index) update(ctx context.Context, dirty map[string]bool) (changes, error) {
	start := x.options.Now()
	took := func() time.Duration { return x.options.Now().Sub(start) }
	root, err := os.OpenRoot(x.options.Folder)
	if err != nil {
		return changes{}, fmt.Errorf("%w: %w", ErrFolder, err)
	}
	defer root.Close()
	x.watch.begin()
	u := update{options: x.options, root: root, known: x.known, dirty: dirty, anew: x.anew}
	if err := u.run(ctx, &scan{options: x.options, root: root, enter: x.watch.enter}); err != nil {
		return changes{took: took()}, err
	}
	x.known, x.anew = u.next, false
	x.logLeft(u.left)
	u.changes.took = took()
	return u.changes, nil
}

// logLeft logs what is left out and wasn't before, or for another reason.
func (x *Index) logLeft(left map[string]string) {
	const most = 20
	var fresh []string
	for name, reason := range left {
		if x.left[name] != reason {
			fresh = append(fresh, name)
		}
	}
	slices.Sort(fresh)
	for _, name := range fresh[:min(most, len(fresh))] {
		x.log.Warn("a document is left out", "path", name, "because", left[name])
	}
	if more := len(fresh) - most; more > 0 {
		x.log.Warn("more documents are left out", "number", more)
	}
	x.left = left
}

// follow updates the index after changes, until ctx ends. A change that can't be taken now is tried again with the next one, or at the next poll.
func (x *Index) follow(ctx context.Context) {
	for {
		dirty := x.watch.changed(ctx)
		if ctx.Err() != nil {
			return
		}
		c, err := x.update(ctx, dirty)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			x.log.Warn("the documents can't be indexed now; the index stays as it is", "error", err)
			x.anew = x.anew || !errors.Is(err, ErrFolder)
		case c.any():
			x.log.Info("documents have changed", "added", c.added, "changed", c.changed, "removed", c.removed, "documents", c.files,
				"took", c.took.Round(time.Millisecond))
		}
		x.watch.rest(ctx, 4*c.took)
	}
}

// Database is the path of the index.
func (x *Index) Database() string { return x.options.Database }

// Stop ends the following, and returns when it has ended. It is idempotent.
func (x *Index) Stop() error {
	x.stop()
	x.following.Wait()
	return x.watch.close()
}
