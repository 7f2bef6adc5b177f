package sql

import (
	"errors"

	"github.com/ncruces/go-sqlite3"
)

// tablesQuery lists what a visitor may want to ask, in the order in which it was made. Shadow tables belong to virtual ones.
const tablesQuery = `
	SELECT s.name, CASE WHEN l.type = 'virtual' AND s.sql LIKE '%USING fts5%' THEN 'fulltext' ELSE l.type END
	FROM sqlite_schema s JOIN pragma_table_list l ON l.schema = 'main' AND l.name = s.name
	WHERE s.type IN ('table', 'view') AND l.type IN ('table', 'view', 'virtual') AND s.name NOT LIKE 'sqlite\_%' ESCAPE '\'
	ORDER BY s.rowid
	LIMIT 1000`

func readSchema(conn *sqlite3.Conn) reply {
	var s schema
	for _, query := range []struct {
		sql string
		row func(*sqlite3.Stmt)
	}{
		{`PRAGMA application_id`, func(stmt *sqlite3.Stmt) { s.ApplicationID = stmt.ColumnInt64(0) }},
		{tablesQuery, func(stmt *sqlite3.Stmt) {
			s.Tables = append(s.Tables, table{Name: stmt.ColumnText(0), Type: stmt.ColumnText(1)})
		}},
	} {
		stmt, _, err := conn.Prepare(query.sql)
		if err != nil {
			return reply{Error: unreadable(err)}
		}
		for stmt.Step() {
			query.row(stmt)
		}
		if err := stmt.Err(); err != nil {
			return reply{Error: unreadable(err)}
		}
	}
	return reply{Schema: &s}
}

// unreadable tells the operator why a database can't be read.
func unreadable(err error) *fault {
	log := err.Error()
	if errors.Is(err, sqlite3.IOERR) {
		log += " (if a program that writes it has crashed, open it once with that program)"
	}
	return &fault{Kind: kindUnavailable, Log: log}
}
