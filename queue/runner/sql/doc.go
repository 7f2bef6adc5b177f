// Package sql is the runner that answers read-only SQL over one SQLite file.
//
// A stranger's SQL can't be contained inside the process that serves: one statement may take all memory or never end. So each query runs
// in a child process, which is the same program executed again: main calls MaybeChild first, and in a child that call doesn't return. The
// child has an empty environment, no right to write any file, little memory, and one connection that can only read. Cancelling is a kill.
//
// What holds a query, from the outside in:
//
//   - the process: its own group, killed when the context ends; it ends by itself when its parent is gone; RLIMIT_DATA, RLIMIT_FSIZE 0, no core
//   - the memory: SQLite's hard heap limit below the limit of its address space, below RLIMIT_DATA; temporary data stays in memory
//   - the connection: mode=ro, query_only, trusted_schema off, defensive, no ATTACH, limits on length, depth and patterns
//   - the statement: exactly one, that SQLite calls read-only, and an authorizer with lists of what is allowed
//   - the answer: caps on rows and bytes, stated when they are hit; its time is the context's
//
// # Protocol
//
// The parent writes one line of JSON, the request, and keeps the pipe open: its end tells the child that nobody waits any more. The child
// answers in lines of JSON:
//
//	{"columns":["branch","loans"]}     once, before the rows
//	["Harbour",18204]                  a row
//	{"end":{"truncated":"rows"}}       the last line of an answer that is whole, or was cut at "rows" or "bytes"
//	{"error":{"kind":"rejected","detail":"no such column: brnch","line":2}}   the last line else
//	{"schema":{…}}                     the one line that answers a request to describe the database
//
// In a row an integer is a JSON number without a point or exponent and keeps all its 64 bits, a float is a number with one of them, text
// is a string in which invalid bytes became U+FFFD, NULL is null. What JSON can't say is an object with one member: {"b":"…"} for a
// BLOB in base64, {"f":"Infinity"} or {"f":"-Infinity"} for those floats.
package sql
