package openai

import (
	"errors"
	"net/netip"
)

var (
	// ErrOptions says that New was called with options that can't be.
	ErrOptions = errors.New("openai runner: wrong options")

	errSilent  = errors.New("openai: the server was silent for too long")
	errTooLong = errors.New("openai: the answer took too long")
	errTooMuch = errors.New("openai: the server sent too much")
	errOver    = errors.New("openai: the answer is over")
)

// addressError refuses a connection to an address.
type addressError struct{ addr netip.Addr }

func (e *addressError) Error() string {
	return "openai: connections to " + e.addr.String() + " are refused: it is link-local or serves metadata"
}
