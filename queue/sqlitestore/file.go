package sqlitestore

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/ncruces/go-sqlite3"

	"confluence/queue"
)

const (
	lineFile             = "line.sqlite"
	lockFile             = "line.lock"
	fileMode fs.FileMode = 0o600
	// patience with another program that holds the file locked for a moment.
	patience = 2 * time.Second
)

// file is the open file of a line. It is for one goroutine at a time.
type file struct {
	path string
	lock *lock
	conn *sqlite3.Conn

	putTotals, putTicket, putText, dropTicket, dropText, putDuration *sqlite3.Stmt
}

// openFile opens the folder's file, makes it at need, and brings it to the newest format. vfs names a file layer of SQLite's; empty: the
// system's.
func openFile(folder, vfs string, steps []string) (f *file, err error) {
	path, err := filepath.Abs(filepath.Join(folder, lineFile))
	if err != nil {
		return nil, err
	}
	f = &file{path: path}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s can't be opened: %w", path, err), f.close())
			f = nil
		}
	}()
	if f.lock, err = takeLock(filepath.Join(folder, lockFile)); err != nil {
		return f, err
	}
	if err = notEmptied(path); err != nil {
		return f, err
	}
	// SQLite would make it readable for others.
	made, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return f, err
	}
	if err = made.Close(); err != nil {
		return f, err
	}
	query := url.Values{"modeof": {path}}
	if vfs != "" {
		query.Set("vfs", vfs)
	}
	uri := url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}
	if f.conn, err = sqlite3.Open(uri.String()); err != nil {
		return f, err
	}
	if err = f.conn.BusyTimeout(patience); err != nil {
		return f, err
	}
	if _, err = formatOf(f.conn, len(steps)); err != nil { // before anything is written to it
		return f, err
	}
	if err = f.conn.Exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF"); err != nil {
		return f, unreadable(err)
	}
	if err = prepare(f.conn, steps); err != nil {
		return f, err
	}
	// The folder too must know of the file after a loss of power.
	if err = syncFolder(folder); err != nil {
		return f, err
	}
	return f, f.prepareStatements()
}

// notEmptied errs with ErrDamaged on an empty file that has a log beside it, which SQLite would take for a new one and drop the log: ours are
// never empty by the time that they have one. A file that isn't there may begin anew.
func notEmptied(path string) error {
	file, err := os.Stat(path)
	if err != nil || file.Size() > 0 {
		return nil // whoever opens it says what is wrong
	}
	if log, err := os.Stat(path + "-wal"); err != nil || log.Size() == 0 {
		return nil
	}
	return fmt.Errorf("%w (it is empty, and its log isn't): put a backup in its place, or move both away to begin with an empty line", ErrDamaged)
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

func (f *file) prepareStatements() (err error) {
	for _, s := range []struct {
		to  **sqlite3.Stmt
		sql string
	}{
		{&f.putTotals, "UPDATE line SET number = ?, term = ?, revision = ?, paused = ?, notice = ?, clock = ?, saved = ?"},
		{&f.putTicket, `INSERT INTO tickets VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13) ON CONFLICT (number) DO UPDATE SET
			status = ?4, joined_at = ?5, autostart = ?6, called = ?7, run = ?8, reason = ?9, outcome = ?10, ended = ?11, refuse = ?12, since = ?13`},
		{&f.putText, "INSERT INTO texts VALUES (?1, ?2) ON CONFLICT (number) DO UPDATE SET query = ?2"},
		{&f.dropTicket, "DELETE FROM tickets WHERE number = ?"},
		{&f.dropText, "DELETE FROM texts WHERE number = ?"},
		{&f.putDuration, "INSERT INTO durations VALUES (?, ?)"},
	} {
		if *s.to, _, err = f.conn.PrepareFlags(s.sql, sqlite3.PREPARE_PERSISTENT); err != nil {
			return err
		}
	}
	return nil
}

// statusEnded is the status of tickets that are remembered.
const statusEnded = "ended"

// write saves how the line stands at that instant of its clock. wall is for people to read.
func (f *file) write(u queue.Unsaved, clock time.Duration, wall time.Time) error {
	return inTransaction(f.conn, func() error {
		for _, number := range u.Forgotten {
			if err := errors.Join(run(f.dropTicket, number), run(f.dropText, number)); err != nil {
				return err
			}
		}
		for _, r := range u.Records {
			if err := f.writeRecord(r, wall); err != nil {
				return err
			}
		}
		if err := f.writeDurations(u.Durations); err != nil {
			return err
		}
		t := u.Totals
		return run(f.putTotals, t.Number, int64(t.Term), t.Revision, t.Paused, t.Notice, int64(clock), wall.Unix())
	})
}

func (f *file) writeRecord(r queue.Record, wall time.Time) error {
	status := string(r.Status)
	if status == "" {
		status = statusEnded
	}
	var called any
	if r.WasCalled {
		called = int64(r.CalledAt)
	}
	err := run(f.putTicket, r.Number, r.Session, r.ID, status, int64(r.JoinedAt), r.Kept.AutoStart, called, r.RunID, string(r.Reason),
		string(r.Outcome), int64(r.EndedAt), r.Refuse, wall.Unix())
	switch {
	case err != nil || !r.TextChanged:
		return err
	case r.Kept.Query == "":
		return run(f.dropText, r.Number)
	}
	return run(f.putText, r.Number, r.Kept.Query)
}

// writeDurations replaces all; they are few.
func (f *file) writeDurations(seconds []float64) error {
	if seconds == nil {
		return nil
	}
	if err := f.conn.Exec("DELETE FROM durations"); err != nil {
		return err
	}
	for i, s := range seconds {
		if err := run(f.putDuration, int64(i), s); err != nil {
			return err
		}
	}
	return nil
}

// run runs a prepared statement.
func run(s *sqlite3.Stmt, args ...any) error {
	for i, arg := range args {
		var err error
		switch arg := arg.(type) {
		case int64:
			err = s.BindInt64(i+1, arg)
		case string:
			err = s.BindText(i+1, arg)
		case bool:
			err = s.BindBool(i+1, arg)
		case float64:
			err = s.BindFloat(i+1, arg)
		case nil:
			err = s.BindNull(i + 1)
		default:
			err = fmt.Errorf("a %T can't be stored", arg)
		}
		if err != nil {
			return err
		}
	}
	return s.Exec()
}

// close ends what openFile began. The last to close it folds the log into the file.
func (f *file) close() error {
	var errs []error
	for _, s := range []*sqlite3.Stmt{f.putTotals, f.putTicket, f.putText, f.dropTicket, f.dropText, f.putDuration} {
		errs = append(errs, s.Close())
	}
	if f.conn != nil {
		errs = append(errs, f.conn.Close())
	}
	if f.lock != nil {
		errs = append(errs, f.lock.release())
	}
	return errors.Join(errs...)
}
