package sql

import (
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// suggestion completes SQLite's "no such column: brnch" with the name that was likely meant, if there is one.
func suggestion(conn *sqlite3.Conn, detail string) string {
	what, name, _ := strings.Cut(detail, ": ")
	var candidates string
	switch what {
	case "no such column":
		candidates = `SELECT c.name FROM sqlite_schema s JOIN pragma_table_xinfo(s.name) c WHERE s.type = 'table' LIMIT 2000`
	case "no such table":
		candidates = `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') LIMIT 2000`
	default:
		return ""
	}
	name = strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	stmt, _, err := conn.Prepare(candidates)
	if err != nil {
		return ""
	}
	defer stmt.Close()
	// A short name is like any other short one.
	nearest, least := "", min(len(name), 2+len(name)/4)
	for stmt.Step() {
		candidate := stmt.ColumnText(0)
		if d := distance(name, strings.ToLower(candidate)); d < least {
			nearest, least = candidate, d
		}
	}
	if nearest == "" {
		return ""
	}
	return ". Did you mean " + nearest + "?"
}

// distance is the number of bytes to insert, delete or change that make a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
