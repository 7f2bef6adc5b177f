package sqlitestore

import "errors"

// Why a folder can't be opened. Each comes wrapped in words that name the file and say what to do.
var (
	ErrInUse   = errors.New("it is in use by another process")
	ErrForeign = errors.New("it is not a file of Confluence's")
	ErrNewer   = errors.New("it was written by a newer version of Confluence")
	ErrDamaged = errors.New("it is damaged")
	ErrNoLine  = errors.New("no line is stored here")
)
