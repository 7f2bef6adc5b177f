package sql

import "errors"

var (
	// ErrOptions says that New was called with options that can't be.
	ErrOptions = errors.New("sql runner: wrong options")
	// ErrDatabase says that the file of the database can't be read as one.
	ErrDatabase = errors.New("can't read the database")
	// ErrProtocol says that a child spoke something else than the protocol.
	ErrProtocol = errors.New("sql runner: unexpected output of the child")

	errCheckTimeout = errors.New("the query could not be checked in time")
)
