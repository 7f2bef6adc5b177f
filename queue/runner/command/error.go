package command

import "errors"

var (
	// ErrOptions says that New was called with options that can't be.
	ErrOptions = errors.New("command runner: wrong options")
	// ErrProgram says that the program is missing, or can't be executed.
	ErrProgram = errors.New("command runner: can't execute the program")
	// ErrFolder says that no working folder can be made.
	ErrFolder = errors.New("command runner: can't make a working folder")
)
