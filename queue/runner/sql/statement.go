package sql

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ncruces/go-sqlite3"
)

// inspect finds what is wrong with a query's text without a database.
func inspect(query string) *fault {
	switch {
	case len(query) > maxQueryBytes:
		return reject("The query is longer than 1 MiB.")
	case !utf8.ValidString(query):
		return reject("The query is not valid UTF-8 text.")
	case strings.ContainsRune(query, 0):
		return reject("The query contains a NUL character.")
	case skipBlank(query) == "":
		return reject(noStatement)
	}
	return nil
}

const noStatement = "There is no statement in this query."

func reject(detail string) *fault { return &fault{Kind: kindRejected, Detail: detail} }

// skipBlank returns the query from the first thing on that does something: what is neither space, comment nor semicolon.
func skipBlank(query string) string {
	for {
		query = strings.TrimLeft(query, " \t\n\f\r;\uFEFF")
		switch {
		case strings.HasPrefix(query, "--"):
			_, query, _ = strings.Cut(query, "\n")
		case strings.HasPrefix(query, "/*"):
			_, query, _ = strings.Cut(query[2:], "*/")
		default:
			return query
		}
	}
}

// prepare compiles the one statement of a query that only reads. On a fault the statement is nil.
func prepare(conn *sqlite3.Conn, query string) (*sqlite3.Stmt, *fault) {
	if f := inspect(query); f != nil {
		return nil, f
	}
	var auth authorizer
	if err := conn.SetAuthorizer(auth.authorize); err != nil {
		return nil, &fault{Kind: kindInternal, Log: err.Error()}
	}
	statement := skipBlank(query)
	stmt, tail, err := conn.Prepare(statement)
	tail = skipBlank(tail)
	switch {
	case err != nil && auth.refusal != "":
		return nil, reject(auth.refusal)
	case err != nil:
		return nil, prepareFault(conn, query, err)
	case stmt == nil:
		return nil, reject(noStatement)
	case tail != "":
		return nil, &fault{Kind: kindRejected, Detail: "Only one statement at a time. A second one begins here.", Line: lineOf(query, tail)}
	case !stmt.ReadOnly():
		return nil, reject(onlyReading)
	case stmt.BindCount() > 0:
		return nil, reject(fmt.Sprintf("The query has a parameter, %s. Write the value in its place.", parameterOf(stmt)))
	}
	return stmt, nil
}

func parameterOf(stmt *sqlite3.Stmt) string {
	for i := range stmt.BindCount() {
		if name := stmt.BindName(i + 1); name != "" {
			return name
		}
	}
	return "?"
}

// prepareFault tells apart what is the query's fault and what is not.
func prepareFault(conn *sqlite3.Conn, query string, err error) *fault {
	f := runFault(err)
	if !errors.Is(err, sqlite3.ERROR) && !errors.Is(err, sqlite3.TOOBIG) {
		return f
	}
	f.Kind = kindRejected
	var e *sqlite3.Error
	if errors.As(err, &e) && e.SQL() != "" {
		f.Line = lineOf(query, e.SQL())
	}
	f.Detail += suggestion(conn, f.Detail)
	return f
}

// runFault puts an error of SQLite into a fault, in the database's words.
func runFault(err error) *fault {
	words := words(err)
	switch {
	case errors.Is(err, sqlite3.INTERRUPT):
		return &fault{Kind: kindInterrupted}
	case errors.Is(err, sqlite3.AUTH):
		return reject("The query does something that is not allowed here.")
	case errors.Is(err, sqlite3.CANTOPEN), errors.Is(err, sqlite3.NOTADB):
		return &fault{Kind: kindUnavailable, Detail: words, Log: err.Error()}
	}
	return &fault{Kind: kindFailed, Detail: words, Log: err.Error()}
}

// words are what SQLite says, without what the driver puts before it.
func words(err error) string {
	var e *sqlite3.Error
	if !errors.As(err, &e) {
		return strings.TrimPrefix(err.Error(), "sqlite3: ")
	}
	said, found := strings.CutPrefix(e.Error(), e.ExtendedCode().Error()+": ")
	if !found {
		return strings.TrimPrefix(e.Error(), "sqlite3: ")
	}
	return said
}

// lineOf is the line of the query, from 1, in which its end part begins.
func lineOf(query, end string) int {
	return 1 + strings.Count(query[:max(0, len(query)-len(end))], "\n")
}
