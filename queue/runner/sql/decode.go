package sql

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// decodeRow reads a row of the protocol. It is stricter than JSON: as the child writes it, without spaces.
func decodeRow(line []byte, columns int) ([]any, error) {
	if columns < 0 {
		return nil, fmt.Errorf("%w: a row before its columns", ErrProtocol)
	}
	row := make([]any, 0, columns)
	rest, ok := bytes.CutPrefix(line, []byte{'['})
	for ok && len(row) < columns {
		var cell any
		var err error
		if cell, rest, err = decodeCell(rest); err != nil {
			return nil, err
		}
		row = append(row, cell)
		if len(row) < columns {
			rest, ok = bytes.CutPrefix(rest, []byte{','})
		}
	}
	if !ok || !bytes.Equal(rest, []byte{']'}) {
		return nil, fmt.Errorf("%w: a row that is not an array of %d", ErrProtocol, columns)
	}
	return row, nil
}

func decodeCell(b []byte) (cell any, rest []byte, err error) {
	if len(b) == 0 {
		return nil, nil, fmt.Errorf("%w: a row breaks off", ErrProtocol)
	}
	switch b[0] {
	case '"':
		n, escaped := stringEnd(b)
		if n < 0 {
			break
		}
		if !escaped {
			return string(b[1 : n-1]), b[n:], nil
		}
		var text string
		if err := json.Unmarshal(b[:n], &text); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrProtocol, err)
		}
		return text, b[n:], nil
	case '{':
		// No string inside holds a brace.
		if n := bytes.IndexByte(b, '}'); n >= 0 {
			cell, err = decodeObject(b[:n+1])
			return cell, b[n+1:], err
		}
	case 'n':
		if rest, ok := bytes.CutPrefix(b, []byte("null")); ok {
			return nil, rest, nil
		}
	default:
		n := bytes.IndexAny(b, ",]")
		if n < 0 {
			break
		}
		if bytes.ContainsAny(b[:n], ".e") {
			cell, err = strconv.ParseFloat(string(b[:n]), 64)
		} else {
			cell, err = strconv.ParseInt(string(b[:n]), 10, 64)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrProtocol, err)
		}
		return cell, b[n:], nil
	}
	return nil, nil, fmt.Errorf("%w: a cell that can't be read", ErrProtocol)
}

// stringEnd returns the length of the JSON string that b begins with, quotes included, and whether it holds escapes; -1 if it doesn't end.
func stringEnd(b []byte) (n int, escaped bool) {
	for i := 1; ; {
		quote := bytes.IndexByte(b[i:], '"')
		if quote < 0 {
			return -1, escaped
		}
		slash := bytes.IndexByte(b[i:i+quote], '\\')
		if slash < 0 {
			return i + quote + 1, escaped
		}
		escaped = true
		i += slash + 2 // what is escaped may be the quote itself
		if i > len(b) {
			return -1, escaped
		}
	}
}

func decodeObject(b []byte) (any, error) {
	var object struct {
		Blob  *string `json:"b"`
		Float string  `json:"f"`
	}
	if err := json.Unmarshal(b, &object); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	switch {
	case object.Blob != nil:
		blob, err := base64.StdEncoding.DecodeString(*object.Blob)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrProtocol, err)
		}
		return blob, nil
	case object.Float == "Infinity":
		return math.Inf(1), nil
	case object.Float == "-Infinity":
		return math.Inf(-1), nil
	}
	return nil, fmt.Errorf("%w: a cell of unknown kind", ErrProtocol)
}
