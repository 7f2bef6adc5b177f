package sql

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"
)

const (
	// demoApplicationID marks the file as the demo library's: "CnfL".
	demoApplicationID = 0x436e664c
	// demoVersion changes with what the demo holds, so that an older file is made anew.
	demoVersion = 1
)

// EnsureDemo makes the demo library's database at path unless it is there already. Errors are those of MakeDemo; a file that is something
// else than an older demo is left alone, and is an error that wraps ErrDatabase.
func EnsureDemo(path string) error { return ensureDemo(path, fullDemo) }

func ensureDemo(path string, size demoSize) error {
	current, err := isDemo(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return makeDemo(path, size)
	case err != nil:
		return err
	case !current:
		return makeDemo(path, size)
	}
	return nil
}

// isDemo says whether the file is the present version of the demo.
func isDemo(path string) (current bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	// https://sqlite.org/fileformat.html: the user version stands at offset 60, the application's id at 68.
	header := make([]byte, 72)
	if _, err := f.ReadAt(header, 0); err != nil || binary.BigEndian.Uint32(header[68:]) != demoApplicationID {
		return false, fmt.Errorf("%w: %s is there, but is not the demo library", ErrDatabase, path)
	}
	return binary.BigEndian.Uint32(header[60:]) == demoVersion, nil
}

// MakeDemo writes the demo library's database to path, always with the same content, in place of a file that may be there. It takes a
// few seconds. The file appears whole or not at all.
func MakeDemo(path string) error { return makeDemo(path, fullDemo) }

func makeDemo(path string, size demoSize) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".demo-*.tmp")
	if err != nil {
		return fmt.Errorf("make the demo library: %w", err)
	}
	defer f.Close()
	defer os.Remove(f.Name()) // not there any more after the renaming
	if err := fillDemo(f.Name(), size); err != nil {
		return fmt.Errorf("make the demo library: %w", err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("make the demo library: %w", err)
	}
	return os.Rename(f.Name(), path)
}

// demoSchema has the indexes that reports want; they are made after the rows.
const (
	demoSchema = `
		CREATE TABLE loans (
			loan_id INTEGER PRIMARY KEY,
			copy_id INTEGER NOT NULL REFERENCES copies,
			member_id INTEGER NOT NULL REFERENCES members,
			branch_id INTEGER NOT NULL REFERENCES branches,
			borrowed TEXT NOT NULL, -- 2026-01-31
			returned TEXT,          -- NULL while it is out
			days_out INTEGER);      -- NULL while it is out
		CREATE TABLE branches (
			branch_id INTEGER PRIMARY KEY,
			branch TEXT NOT NULL,
			opened TEXT NOT NULL,
			seats INTEGER NOT NULL);
		CREATE TABLE titles (
			title_id INTEGER PRIMARY KEY,
			title TEXT NOT NULL,
			author TEXT NOT NULL,
			subject TEXT NOT NULL,
			published INTEGER NOT NULL); -- year
		CREATE TABLE copies (
			copy_id INTEGER PRIMARY KEY,
			title_id INTEGER NOT NULL REFERENCES titles,
			branch_id INTEGER NOT NULL REFERENCES branches,
			acquired TEXT NOT NULL,
			price REAL NOT NULL);
		CREATE TABLE members (
			member_id INTEGER PRIMARY KEY,
			name TEXT NOT NULL,
			branch_id INTEGER NOT NULL REFERENCES branches,
			joined TEXT NOT NULL,
			kind TEXT NOT NULL); -- adult, student, child
		CREATE TABLE notes (
			note_id INTEGER PRIMARY KEY,
			copy_id INTEGER NOT NULL REFERENCES copies,
			written TEXT NOT NULL,
			note TEXT NOT NULL);
		CREATE VIRTUAL TABLE notes_text USING fts5(note, content='notes', content_rowid='note_id', tokenize='porter unicode61');`

	demoIndexes = `
		CREATE INDEX loans_by_branch ON loans (branch_id, borrowed);
		CREATE INDEX loans_by_copy ON loans (copy_id);
		CREATE INDEX copies_by_title ON copies (title_id);
		CREATE INDEX notes_by_copy ON notes (copy_id);
		INSERT INTO notes_text (notes_text) VALUES ('rebuild');
		INSERT INTO notes_text (notes_text) VALUES ('optimize');
		PRAGMA analysis_limit = 1000;
		ANALYZE;`
)

// fillDemo writes everything in one transaction into the empty file at path.
func fillDemo(path string, size demoSize) (err error) {
	conn, err := sqlite3.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := fts5.Register(conn); err != nil {
		return err
	}
	// Nobody sees the file before it is whole, so that nothing needs to survive a crash.
	start := fmt.Sprintf(`
		PRAGMA journal_mode = OFF;
		PRAGMA synchronous = OFF;
		PRAGMA foreign_keys = OFF;
		PRAGMA cache_size = -65536;
		PRAGMA temp_store = MEMORY;
		PRAGMA application_id = %d;
		PRAGMA user_version = %d;
		BEGIN;`, demoApplicationID, demoVersion)
	if err := conn.Exec(start + demoSchema); err != nil {
		return err
	}
	if err := newLibrary(size).fill(conn); err != nil {
		return err
	}
	return conn.Exec(demoIndexes + `COMMIT;`)
}
