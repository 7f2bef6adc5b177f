package documents

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watch tells when to look at the folder again. It is used by one goroutine.
type watch struct {
	options Options
	log     *slog.Logger
	watcher *fsnotify.Watcher // nil: this system has none to give
	blind   bool              // some folder can't be watched
	said    bool              // that it is blind
}

// manyDirty is how many changed files are remembered by name; of more, those whose size and time are the same stay unseen.
const manyDirty = 10_000

func newWatch(options Options) *watch {
	w := &watch{options: options, log: options.Logger}
	var err error
	if w.watcher, err = fsnotify.NewWatcher(); err != nil {
		w.blinded(err)
	}
	return w
}

func (w *watch) blinded(err error) {
	w.blind = true
	if !w.said {
		w.log.Warn("not every folder of the documents can be watched: changes are looked for every ten seconds", "error", err)
		w.said = true
	}
}

// begin begins a look at all folders. It forgets those that aren't there any more, before a renamed one is watched under its new name: the
// system has only one watch for both.
func (w *watch) begin() {
	w.blind = w.watcher == nil
	if w.blind {
		return
	}
	for _, name := range w.watcher.WatchList() {
		if info, err := os.Lstat(name); (err != nil || !info.IsDir()) && name != w.options.Folder {
			_ = w.watcher.Remove(name) // it may have gone by itself
		}
	}
}

// enter watches a folder before it is read, so that no change falls between.
func (w *watch) enter(folder string) {
	if w.watcher == nil {
		return
	}
	// What is watched already stays watched; a folder that is another one under the same name is watched instead.
	if err := w.watcher.Add(filepath.Join(w.options.Folder, filepath.FromSlash(folder))); err != nil {
		w.blinded(err)
	}
}

// changed waits for a burst of changes and its end, or for the next poll, or for ctx. It returns the files that were named.
func (w *watch) changed(ctx context.Context) (dirty map[string]bool) {
	dirty = map[string]bool{}
	poll := time.NewTimer(w.pollAfter())
	defer poll.Stop()
	var quiet, latest <-chan time.Time
	events, errs := w.channels()
	note := func(name string) {
		if relative, err := filepath.Rel(w.options.Folder, name); err == nil && len(dirty) < manyDirty {
			dirty[filepath.ToSlash(relative)] = true
		}
		quiet = time.After(w.options.Quiet)
		if latest == nil {
			latest = time.After(w.options.Latest)
		}
	}
	for {
		select {
		case <-ctx.Done():
			return dirty
		case <-poll.C:
			return dirty
		case <-quiet:
			return dirty
		case <-latest:
			return dirty
		case event, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			note(event.Name)
		case err, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				w.log.Warn("the watch of the documents has an error", "error", err)
			}
			note(w.options.Folder)
		}
	}
}

func (w *watch) channels() (<-chan fsnotify.Event, <-chan error) {
	if w.watcher == nil {
		return nil, nil
	}
	return w.watcher.Events, w.watcher.Errors
}

func (w *watch) pollAfter() time.Duration {
	switch {
	case w.options.Poll > 0:
		return w.options.Poll
	case w.blind:
		return blindPoll
	}
	return defaultPoll
}

// rest waits, or until ctx ends. What happens meanwhile waits in the watcher.
func (w *watch) rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (w *watch) close() error {
	if w.watcher == nil {
		return nil
	}
	return w.watcher.Close()
}
