package documents

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"
)

const (
	// applicationID marks the file as an index of documents: "CnfD".
	applicationID = 0x436e6644
	// form changes with the tables, so that an older file is made anew.
	form = "1"
	// memory bounds what writing takes, in bytes.
	memory = 128 << 20

	tables = `
		CREATE VIRTUAL TABLE documents USING fts5(path UNINDEXED, title, text, tokenize = 'unicode61 remove_diacritics 2');
		INSERT INTO documents (documents, rank) VALUES ('rank', 'bm25(0.0, 4.0, 1.0)');
		CREATE TABLE files (
			document_id INTEGER PRIMARY KEY, -- rowid in documents
			path TEXT NOT NULL UNIQUE,
			bytes INTEGER NOT NULL,
			modified TEXT NOT NULL, -- 2026-01-31 12:00:00.000000000, UTC
			sha256 BLOB NOT NULL);
		CREATE INDEX files_by_time ON files (modified);`
)

// userVersion is of an index of this folder in the present form. The folder's name itself is nobody's business who asks.
func userVersion(folder string) uint32 { return crc32.ChecksumIEEE([]byte(form + "\x00" + folder)) }

// isIndex says whether the file is an index of the folder in the present form.
func isIndex(file, folder string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	// https://sqlite.org/fileformat.html: the user version stands at offset 60, the application's id at 68.
	header := make([]byte, 72)
	_, err = f.ReadAt(header, 0)
	return err == nil && binary.BigEndian.Uint32(header[68:]) == applicationID && binary.BigEndian.Uint32(header[60:]) == userVersion(folder)
}

// edition is a changed copy of the index that takes its place when it is published. discard must be called.
type edition struct {
	database string // whose place it takes
	file     *os.File
	conn     *sqlite3.Conn
	changes  int

	removeDocument, removeFile, addFile, addDocument *sqlite3.Stmt
}

// newEdition copies the database, or begins an empty one.
func newEdition(ctx context.Context, o Options, empty bool) (e *edition, err error) {
	file, err := os.CreateTemp(filepath.Dir(o.Database), temporary)
	if err != nil {
		return nil, err
	}
	e = &edition{file: file, database: o.Database}
	defer func() {
		if err != nil {
			e.discard()
		}
	}()
	if !empty {
		if err := e.copy(); err != nil {
			return e, err
		}
	}
	if e.conn, err = openDatabase(ctx, file.Name()); err != nil {
		return e, err
	}
	// Nobody sees the file before it is whole, so that nothing needs to survive a crash.
	begin := fmt.Sprintf(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384;
		PRAGMA application_id = %d; PRAGMA user_version = %d; BEGIN;`, applicationID, int32(userVersion(o.Folder)))
	if empty {
		begin += tables
	}
	if err := e.conn.Exec(begin); err != nil {
		return e, err
	}
	for _, statement := range []struct {
		stmt **sqlite3.Stmt
		sql  string
	}{
		{&e.removeDocument, `DELETE FROM documents WHERE rowid = (SELECT document_id FROM files WHERE path = ?)`},
		{&e.removeFile, `DELETE FROM files WHERE path = ?`},
		{&e.addFile, `INSERT INTO files (path, bytes, modified, sha256) VALUES (?, ?, ?, ?)`},
		{&e.addDocument, `INSERT INTO documents (rowid, path, title, text) VALUES (last_insert_rowid(), ?, ?, ?)`},
	} {
		if *statement.stmt, _, err = e.conn.Prepare(statement.sql); err != nil {
			return e, err
		}
	}
	return e, nil
}

const temporary = ".documents-*.tmp"

func (e *edition) copy() error {
	old, err := os.Open(e.database)
	if err != nil {
		return err
	}
	defer old.Close()
	_, err = io.Copy(e.file, old)
	return err
}

func openDatabase(ctx context.Context, file string) (*sqlite3.Conn, error) {
	conn, err := sqlite3.OpenContext(sqlite3.WithMaxMemory(ctx, memory), file)
	if err != nil {
		return nil, err
	}
	conn.SetInterrupt(ctx)
	return conn, fts5.Register(conn)
}

// put adds a document, or replaces it.
func (e *edition) put(d document) error {
	if err := e.take(d.path); err != nil {
		return err
	}
	if err := exec(e.addFile, d.path, d.size, d.modifiedText(), d.hash[:]); err != nil {
		return err
	}
	return exec(e.addDocument, d.path, d.title, d.text)
}

// take takes a document away, if it is there.
func (e *edition) take(name string) error {
	e.changes++
	return errors.Join(exec(e.removeDocument, name), exec(e.removeFile, name))
}

func exec(stmt *sqlite3.Stmt, values ...any) error {
	for i, value := range values {
		var err error
		switch v := value.(type) {
		case string:
			err = stmt.BindText(i+1, v)
		case int64:
			err = stmt.BindInt64(i+1, v)
		case []byte:
			err = stmt.BindBlob(i+1, v)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(stmt.Exec(), stmt.ClearBindings())
}

// many is from how many changes on the index is put in order as a whole, which makes it smaller and quicker.
const many = 500

// publish puts the edition in the place of the database.
func (e *edition) publish() error {
	if e.changes >= many {
		if err := e.conn.Exec(`INSERT INTO documents (documents) VALUES ('optimize')`); err != nil {
			return err
		}
	}
	if err := errors.Join(e.conn.Exec(`COMMIT`), e.close()); err != nil {
		return err
	}
	if err := e.file.Sync(); err != nil {
		return err
	}
	return os.Rename(e.file.Name(), e.database)
}

// close closes the connection, and is idempotent.
func (e *edition) close() error {
	if e.conn == nil {
		return nil
	}
	conn := e.conn
	e.conn = nil
	return errors.Join(e.removeDocument.Close(), e.removeFile.Close(), e.addFile.Close(), e.addDocument.Close(), conn.Close())
}

// discard removes what publish has not put into place. Errors mean nothing any more.
func (e *edition) discard() {
	_ = e.close()
	_ = e.file.Close()
	_ = os.Remove(e.file.Name()) // not there any more after the renaming
}

// removeLeftovers removes editions of a process that was killed.
func removeLeftovers(database string) {
	leftovers, _ := filepath.Glob(filepath.Join(filepath.Dir(database), temporary))
	for _, leftover := range leftovers {
		_ = os.Remove(leftover)
	}
}

// load reads what the index holds. Its error wraps fs.ErrNotExist if there is no index of this folder.
func load(ctx context.Context, o Options) (state, error) {
	if !isIndex(o.Database, o.Folder) {
		return nil, fs.ErrNotExist
	}
	at := url.URL{Scheme: "file", Path: o.Database, RawQuery: "mode=ro"}
	conn, err := openDatabase(ctx, at.String())
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	stmt, _, err := conn.Prepare(`SELECT path, bytes, modified, sha256 FROM files`)
	if err != nil {
		return nil, err
	}
	defer stmt.Close()
	indexed := state{}
	for stmt.Step() {
		k := known{found: found{path: stmt.ColumnText(0), size: stmt.ColumnInt64(1)}}
		if k.modified, err = time.Parse(modifiedForm, stmt.ColumnText(2)); err != nil {
			return nil, err
		}
		copy(k.hash[:], stmt.ColumnRawBlob(3))
		indexed[k.path] = k
	}
	return indexed, stmt.Err()
}
