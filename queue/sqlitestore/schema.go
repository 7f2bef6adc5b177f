package sqlitestore

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/ncruces/go-sqlite3"
)

// applicationID is "CNFL", in the header of each of our files.
const applicationID = 0x434e464c

// migrations bring a file forward, each from the format of its index to the next; the first makes an empty one. A step that was released
// never changes.
var migrations = []string{`
	CREATE TABLE line ( -- one row
		one      INTEGER PRIMARY KEY CHECK (one = 1),
		number   INTEGER NOT NULL, -- of the last ticket
		term     INTEGER NOT NULL, -- of the last reservation or run
		revision INTEGER NOT NULL,
		paused   INTEGER NOT NULL,
		notice   TEXT    NOT NULL,
		clock    INTEGER NOT NULL, -- nanoseconds that servers were up, until this was written
		saved    INTEGER NOT NULL  -- Unix time, for people to read
	) STRICT;
	INSERT INTO line VALUES (1, 0, 0, 0, 0, '', 0, 0);

	CREATE TABLE tickets ( -- those in the line, in order of their numbers, and those that ended and are remembered
		number    INTEGER PRIMARY KEY,
		session   TEXT    NOT NULL,
		id        TEXT    NOT NULL,
		status    TEXT    NOT NULL, -- queued, ready, running, or ended
		joined_at INTEGER NOT NULL, -- its place when it came
		autostart INTEGER NOT NULL,
		called    INTEGER,          -- by the line's clock, in nanoseconds
		run       TEXT    NOT NULL,
		reason    TEXT    NOT NULL,
		outcome   TEXT    NOT NULL,
		ended     INTEGER NOT NULL, -- by the line's clock, in nanoseconds
		refuse    INTEGER NOT NULL, -- the next claim is told that the reservation ran out
		joined    INTEGER NOT NULL, -- Unix time, for people to read
		since     INTEGER NOT NULL  -- likewise: when this row was written last
	) STRICT;

	CREATE TABLE texts ( -- what is kept with a ticket; apart, so that a long text isn't written at each change
		number INTEGER PRIMARY KEY,
		query  TEXT NOT NULL
	) STRICT;

	CREATE TABLE durations ( -- of the last runs, oldest first
		place   INTEGER PRIMARY KEY,
		seconds REAL NOT NULL
	) STRICT;`,
}

// prepare makes an empty file ours, or brings an older one of ours forward.
func prepare(conn *sqlite3.Conn, steps []string) error {
	version, err := formatOf(conn, len(steps))
	if err != nil || version == len(steps) {
		return err
	}
	return inTransaction(conn, func() error {
		for ; version < len(steps); version++ {
			if err := conn.Exec(steps[version]); err != nil {
				return fmt.Errorf("bringing it from format %d to %d: %w", version, version+1, err)
			}
		}
		return conn.Exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, version))
	})
}

// formatOf is the format of an open file, 0 of an empty one. It errs on one that isn't ours or that is newer than we know.
func formatOf(conn *sqlite3.Conn, newest int) (int, error) {
	id, err := number(conn, "PRAGMA application_id")
	if err != nil {
		return 0, unreadable(err)
	}
	version, err := number(conn, "PRAGMA user_version")
	if err != nil {
		return 0, unreadable(err)
	}
	tables, err := number(conn, "SELECT count(*) FROM sqlite_schema")
	switch {
	case err != nil:
		return 0, unreadable(err)
	case id == 0 && version == 0 && tables == 0:
		return 0, nil
	case id != applicationID:
		return 0, fmt.Errorf("%w: move it away, or choose another data folder", ErrForeign)
	case version > newest:
		return 0, fmt.Errorf("%w (format %d, this one knows %s): use that version, or an older copy of the file",
			ErrNewer, version, "formats up to "+strconv.Itoa(newest))
	}
	return version, nil
}

// unreadable says what is wrong with a file that SQLite can't read.
func unreadable(err error) error {
	switch {
	case errors.Is(err, sqlite3.NOTADB):
		return fmt.Errorf("%w: move it away, or choose another data folder", ErrForeign)
	case errors.Is(err, sqlite3.CORRUPT):
		return fmt.Errorf("%w (%w): put a backup in its place, or move it away to begin with an empty line", ErrDamaged, err)
	}
	return err
}

func number(conn *sqlite3.Conn, query string) (n int, err error) {
	err = each(conn, query, func(row *sqlite3.Stmt) { n = row.ColumnInt(0) })
	return n, err
}

// each calls fn with each row.
func each(conn *sqlite3.Conn, query string, fn func(row *sqlite3.Stmt)) error {
	rows, _, err := conn.Prepare(query)
	if err != nil {
		return err
	}
	for rows.Step() {
		fn(rows)
	}
	return rows.Close()
}

// inTransaction commits what fn has done, or nothing.
func inTransaction(conn *sqlite3.Conn, fn func() error) error {
	if err := conn.Exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := fn()
	if err == nil {
		err = conn.Exec("COMMIT")
	}
	if err != nil && !conn.GetAutocommit() {
		if undone := conn.Exec("ROLLBACK"); undone != nil {
			err = errors.Join(err, undone)
		}
	}
	return err
}
