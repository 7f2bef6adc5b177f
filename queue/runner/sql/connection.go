package sql

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"
)

// connect opens the database so that nothing but reading is possible. Memory is in bytes.
func connect(ctx context.Context, database string, memory int64) (*sqlite3.Conn, stillness, error) {
	still, err := stillWAL(database)
	if err != nil {
		return nil, still, err
	}
	uri := url.URL{Scheme: "file", Path: database, RawQuery: "mode=ro"}
	if still != (stillness{}) {
		uri.RawQuery += "&immutable=1"
	}
	sqlite3.AutoExtension(fts5.Register)
	share := shareOf(memory)
	conn, err := sqlite3.OpenContext(sqlite3.WithMaxMemory(ctx, share.addressSpace), uri.String())
	if err != nil {
		return nil, still, err
	}
	// OpenContext's context ends with the opening; this one stops the query.
	conn.SetInterrupt(ctx)
	conn.HardHeapLimit(share.heap)
	conn.SoftHeapLimit(share.heap / 4 * 3)
	if err := harden(conn); err != nil {
		return nil, still, err
	}
	return conn, still, nil
}

// settings of the connection. Temporary data must stay in memory, since a child can't write files, and has the heap limit for its bound.
const settings = `
	PRAGMA query_only = ON;
	PRAGMA trusted_schema = OFF;
	PRAGMA cell_size_check = ON;
	PRAGMA temp_store = MEMORY;
	PRAGMA mmap_size = 0;
	PRAGMA cache_size = -16384;`

var switches = []struct {
	name sqlite3.DBConfig
	on   bool
}{
	{sqlite3.DBCONFIG_DEFENSIVE, true},
	{sqlite3.DBCONFIG_TRUSTED_SCHEMA, false},
	{sqlite3.DBCONFIG_WRITABLE_SCHEMA, false},
	{sqlite3.DBCONFIG_ENABLE_TRIGGER, false},
	{sqlite3.DBCONFIG_ENABLE_FTS3_TOKENIZER, false},
	{sqlite3.DBCONFIG_ENABLE_LOAD_EXTENSION, false},
	{sqlite3.DBCONFIG_DQS_DML, false},
	{sqlite3.DBCONFIG_DQS_DDL, false},
}

// limits hold what a report needs and stop what only an attack needs. A depth is paid from the stack.
var limits = []struct {
	name  sqlite3.LimitCategory
	value int
}{
	{sqlite3.LIMIT_LENGTH, 16 << 20},
	{sqlite3.LIMIT_SQL_LENGTH, maxQueryBytes},
	{sqlite3.LIMIT_COLUMN, 500},
	{sqlite3.LIMIT_EXPR_DEPTH, 200},
	{sqlite3.LIMIT_COMPOUND_SELECT, 100},
	{sqlite3.LIMIT_VDBE_OP, 100_000},
	{sqlite3.LIMIT_FUNCTION_ARG, 100},
	{sqlite3.LIMIT_ATTACHED, 0},
	{sqlite3.LIMIT_LIKE_PATTERN_LENGTH, 100},
	{sqlite3.LIMIT_VARIABLE_NUMBER, 100},
	{sqlite3.LIMIT_TRIGGER_DEPTH, 1},
	{sqlite3.LIMIT_WORKER_THREADS, 0},
}

// maxQueryBytes is the length of the longest query.
const maxQueryBytes = 1 << 20

func harden(conn *sqlite3.Conn) error {
	for _, s := range switches {
		if _, err := conn.Config(s.name, s.on); err != nil {
			return fmt.Errorf("switch %d: %w", s.name, err)
		}
	}
	if err := conn.Exec(settings); err != nil {
		return err
	}
	for _, l := range limits {
		conn.Limit(l.name, l.value)
	}
	// A program that writes the same file now may hold it locked for a moment.
	return conn.BusyTimeout(2 * time.Second)
}
