package postgres

import (
	"strings"
	"unicode/utf8"

	"confluence/queue/runner"
)

const (
	maxQueryBytes = 1 << 20
	noStatement   = "There is no statement in this query."
	onlyReading   = "Only reading is possible here: SELECT, VALUES, TABLE and WITH."
	oneStatement  = "Only one statement at a time."
)

// inspect finds what is wrong with a query's text without a database.
func inspect(query string) error {
	switch {
	case len(query) > maxQueryBytes:
		return reject("The query is longer than 1 MiB.")
	case !utf8.ValidString(query):
		return reject("The query is not valid UTF-8 text.")
	case strings.ContainsRune(query, 0):
		return reject("The query contains a NUL character.")
	}
	switch firstWord(query) {
	case "":
		return reject(noStatement)
	case "select", "values", "table", "with", "(":
		return nil
	}
	return reject(onlyReading)
}

func reject(detail string) error { return &runner.RejectedError{Detail: detail} }

// firstWord is the first word of the statement in small letters, or the one character that stands there.
func firstWord(query string) string {
	rest := skipBlank(query)
	end := strings.IndexFunc(rest, func(c rune) bool {
		return c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c < utf8.RuneSelf
	})
	switch {
	case rest == "" || end < 0:
		return strings.ToLower(rest)
	case end == 0:
		return rest[:1]
	}
	return strings.ToLower(rest[:end])
}

// skipBlank returns the query from the first thing on that does something: what is neither space, comment nor semicolon. PostgreSQL's
// comments nest.
func skipBlank(query string) string {
	for {
		query = strings.TrimLeft(query, " \t\n\f\r\v;\uFEFF")
		switch {
		case strings.HasPrefix(query, "--"):
			end := strings.IndexAny(query, "\n\r")
			if end < 0 {
				return ""
			}
			query = query[end:]
		case strings.HasPrefix(query, "/*"):
			query = skipComment(query)
		default:
			return query
		}
	}
}

func skipComment(query string) string {
	depth := 0
	for query != "" {
		switch {
		case strings.HasPrefix(query, "/*"):
			depth++
			query = query[2:]
		case strings.HasPrefix(query, "*/"):
			depth--
			query = query[2:]
			if depth == 0 {
				return query
			}
		default:
			query = query[1:]
		}
	}
	return ""
}

// declaration makes a query a cursor's, which PostgreSQL allows only to what reads.
const declaration = "DECLARE confluence NO SCROLL CURSOR FOR "

// declared is the statement that declares the query's cursor, without what stands before the query and does nothing. added to the position of
// one of its characters gives the character's position in the query.
func declared(query string) (statement string, added int) {
	statement = skipBlank(query)
	return declaration + statement, utf8.RuneCountInString(query[:len(query)-len(statement)]) - len(declaration)
}
