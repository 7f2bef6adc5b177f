package sql

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// lineReader reads lines of bounded length, and knows whether another one is there already.
type lineReader struct {
	in   *bufio.Reader
	max  int    // bytes
	long []byte // a line that is longer than the buffer of in
}

func newLineReader(in io.Reader, limit int) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 64<<10), max: limit}
}

// next returns the next line without its end; it is valid until the following call. The error is io.EOF after the last one,
// io.ErrUnexpectedEOF for one that breaks off.
func (r *lineReader) next() ([]byte, error) {
	r.long = r.long[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		switch {
		case len(r.long)+len(part) > r.max:
			return nil, fmt.Errorf("%w: a line of more than %d bytes", ErrProtocol, r.max)
		case err == nil && len(r.long) == 0:
			return part[:len(part)-1], nil
		case err == nil:
			r.long = append(r.long, part...)
			return r.long[:len(r.long)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
			r.long = append(r.long, part...)
		case errors.Is(err, io.EOF) && len(r.long)+len(part) > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}

// ready says whether next returns without waiting.
func (r *lineReader) ready() bool {
	there, _ := r.in.Peek(r.in.Buffered())
	return bytes.IndexByte(there, '\n') >= 0
}
