package postgres

import "errors"

var (
	// ErrOptions says that New was called with options that can't be.
	ErrOptions = errors.New("postgres runner: wrong options")
	// ErrDatabase says that the server is there and won't have us: wrong role, password or database.
	ErrDatabase = errors.New("can't open the database")

	errNotBytea     = errors.New("a bytea that is not written as \\x…")
	errCheckTimeout = errors.New("the query could not be checked in time")
)
