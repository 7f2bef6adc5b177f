package documents

import "errors"

var (
	// ErrOptions says that Open was called with options that can't be.
	ErrOptions = errors.New("documents: wrong options")
	// ErrFolder says that the folder can't be read.
	ErrFolder = errors.New("can't read the folder of documents")

	errTooManyEntries = errors.New("there are too many files and folders in it")
)
