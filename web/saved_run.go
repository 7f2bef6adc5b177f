package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2"

	"confluence/queue"
	"confluence/views/i18n"
)

const (
	runFilePrefix             = "run-"
	runFileSuffix             = ".json"
	runFileMode   fs.FileMode = 0o600
)

// savedRun is a run as it outlives the process, in a file of its own beside its answer: written at its start and again at its end.
type savedRun struct {
	ID         string        `json:"id"`
	Session    string        `json:"session"`
	Number     int64         `json:"number"`
	Query      string        `json:"query"`
	Started    time.Time     `json:"started"`
	Ended      time.Time     `json:"ended"`   // zero: it was going
	Outcome    queue.Outcome `json:"outcome"` // empty: it was going
	Code       string        `json:"code,omitempty"`
	Detail     i18n.Message  `json:"detail,omitzero"`
	RetryAfter time.Duration `json:"retry_after,omitempty"`
	Keep       time.Duration `json:"keep,omitempty"`
	Key        *savedKey     `json:"key,omitempty"`
	Answer     savedAnswer   `json:"answer"`
}

// savedAnswer is a transcript without what was written, which lies in a file.
type savedAnswer struct {
	File    string       `json:"file,omitempty"` // in the folder; empty: nothing was written
	Size    int64        `json:"size,omitempty"` // bytes
	Columns []string     `json:"columns"`        // null: no table
	Rows    int          `json:"rows,omitempty"`
	Marks   [][2]int     `json:"marks,omitempty"`  // row and place
	Binary  [][2]int     `json:"binary,omitempty"` // row and column
	Words   int          `json:"words,omitempty"`
	Cut     bool         `json:"cut,omitempty"`
	Why     i18n.Message `json:"why,omitzero"`
}

// savedKey is the Idempotency-Key that a run was asked for with.
type savedKey struct {
	Name []byte `json:"name"` // digest of session and key
	Text []byte `json:"text"` // and of what was to be run
}

// save writes down how a run stands, if there is a folder: with its answer once that is closed. A run that can't be saved goes on, and is gone
// with the process.
func (r *runs) save(x *run) {
	if r.folder == nil {
		return
	}
	st := x.state()
	saved := savedRun{
		ID: st.ID, Session: st.Session, Number: st.Number, Query: st.Query, Started: st.Started, Ended: st.Ended, Outcome: st.Outcome,
		Code: st.Code, Detail: st.Detail, RetryAfter: st.RetryAfter, Keep: x.keep, Key: x.key,
	}
	var err error
	if !st.Going {
		saved.Answer, err = x.answer.save()
	}
	if err == nil {
		err = r.folder.save(saved)
	}
	if err != nil {
		r.log.Error("a run could not be saved: it won't outlive a restart", "run", x.id, "err", err)
	}
}

// restore takes up the runs that an earlier process has saved. What was going then was interrupted: it is told so, and not run again. It is called
// before anybody else has the registry. They are given oldest first; the time to forget one may be over already.
func (r *runs) restore() ([]*run, error) {
	if r.folder == nil {
		return nil, nil
	}
	found, err := r.folder.load(r.log.Error)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b savedRun) int { return a.Started.Compare(b.Started) })
	r.mu.Lock()
	defer r.mu.Unlock()
	var restored []*run
	for _, saved := range found {
		if saved.Outcome == "" {
			p := problemFor(queue.ErrRunInterrupted)
			saved.Outcome, saved.Code, saved.Detail, saved.Ended = queue.Interrupted, p.Code, p.Detail, r.now()
			if err := r.folder.save(saved); err != nil {
				r.log.Error("a run could not be saved: it won't outlive another restart", "run", saved.ID, "err", err)
			}
		}
		x := &run{
			registry: r, id: saved.ID, session: saved.Session, number: saved.Number, query: saved.Query, started: saved.Started, ended: saved.Ended,
			outcome: saved.Outcome, code: saved.Code, detail: saved.Detail, retryAfter: saved.RetryAfter, keep: saved.Keep, key: saved.Key,
			settled: true, released: true, end: func(error) {}, answer: restoreTranscript(saved.Answer, r.maxResult, r.folder),
		}
		r.byID[x.id] = x
		r.bySession[x.session] = append(r.bySession[x.session], x)
		r.retain(x, max(0, r.now().Sub(x.ended))) // a wall clock that was set back makes nothing older
		restored = append(restored, x)
	}
	return restored, nil
}

// save makes sure that what was written lies in a file, and gives what else there is of a closed transcript.
func (t *transcript) save() (savedAnswer, error) {
	t.mu.Lock()
	err := t.scroll.settle()
	saved := savedAnswer{
		Size: t.scroll.size, Columns: t.columns, Rows: t.rows, Words: t.words, Cut: t.cut, Why: t.why,
	}
	for _, m := range t.marks {
		saved.Marks = append(saved.Marks, [2]int{m.row, int(m.at)})
	}
	for _, b := range t.binary {
		saved.Binary = append(saved.Binary, [2]int{b.row, b.column})
	}
	path := t.scroll.path
	t.mu.Unlock()
	if err != nil || path == "" {
		return saved, err
	}
	saved.File = filepath.Base(path)
	file, err := os.OpenFile(path, os.O_WRONLY, 0) // without the lock: readers needn't wait for the disk
	if err != nil {
		return saved, err
	}
	return saved, errors.Join(file.Sync(), file.Close())
}

// restoreTranscript is a sealed transcript as it was saved.
func restoreTranscript(saved savedAnswer, limit int64, folder *resultFolder) *transcript {
	t := newTranscript(limit, folder)
	t.columns, t.rows, t.words, t.cut, t.why = saved.Columns, saved.Rows, saved.Words, saved.Cut, saved.Why
	for _, m := range saved.Marks {
		t.marks = append(t.marks, mark{row: m[0], at: int64(m[1])})
	}
	for _, b := range saved.Binary {
		t.binary = append(t.binary, binaryColumn{row: b[0], column: b[1]})
	}
	t.scroll.size = saved.Size
	if saved.File != "" {
		t.scroll.path = filepath.Join(folder.path, saved.File)
	}
	t.closed, t.sealed = true, true
	close(t.done)
	return t
}

func (f *resultFolder) runFile(id string) string {
	return filepath.Join(f.path, runFilePrefix+id+runFileSuffix)
}

// save replaces a run's file as a whole, and returns when the disk has it.
func (f *resultFolder) save(saved savedRun) error {
	content, err := json.Marshal(saved)
	if err != nil {
		return err
	}
	return renameio.WriteFile(f.runFile(saved.ID), content, runFileMode)
}

// discard drops a run's file, if there is one.
func (f *resultFolder) discard(id string) error {
	if err := os.Remove(f.runFile(id)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// load reads what was saved, and removes what belongs to no run. A file that can't be read is told of and removed: it is of one run alone.
func (f *resultFolder) load(tell func(message string, about ...any)) ([]savedRun, error) {
	files, err := filepath.Glob(filepath.Join(f.path, runFilePrefix+"*"+runFileSuffix))
	if err != nil {
		return nil, fmt.Errorf("the folder for results: %w", err)
	}
	var found []savedRun
	used := map[string]bool{}
	for _, file := range files {
		saved, err := f.read(file)
		if err != nil {
			tell("a saved run can't be read and is dropped", "file", file, "err", err)
			continue
		}
		found = append(found, saved)
		used[file], used[filepath.Join(f.path, saved.Answer.File)] = true, true
	}
	for _, pattern := range []string{resultFile, runFilePrefix + "*", "." + runFilePrefix + "*"} {
		left, err := filepath.Glob(filepath.Join(f.path, pattern))
		if err != nil {
			return nil, fmt.Errorf("the folder for results: %w", err)
		}
		for _, file := range left {
			if used[file] {
				continue
			}
			if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("an old result: %w", err)
			}
		}
	}
	return found, nil
}

// read reads one run's file, and checks that its answer is there, whole.
func (f *resultFolder) read(file string) (saved savedRun, err error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return saved, err
	}
	if err := json.Unmarshal(content, &saved); err != nil {
		return saved, err
	}
	if saved.ID == "" || saved.Session == "" || f.runFile(saved.ID) != file || filepath.Base(saved.Answer.File) != saved.Answer.File && saved.Answer.File != "" {
		return saved, errors.New("it is no saved run")
	}
	if k := saved.Key; k != nil && (len(k.Name) != len(digest{}) || len(k.Text) != len(digest{})) {
		return saved, errors.New("its key is none")
	}
	if saved.Answer.File != "" {
		info, err := os.Stat(filepath.Join(f.path, saved.Answer.File))
		if err != nil {
			return saved, err
		}
		if info.Size() != saved.Answer.Size {
			return saved, fmt.Errorf("its answer has %d bytes, not %d", info.Size(), saved.Answer.Size)
		}
	}
	return saved, nil
}
