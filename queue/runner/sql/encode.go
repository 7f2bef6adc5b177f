package sql

import (
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/ncruces/go-sqlite3"
)

// appendRow appends the statement's present row as a line of the protocol. It gives up and returns false when the line, without its end,
// would grow beyond limit bytes. It reads the values where SQLite keeps them, so that a large one is held once.
func appendRow(line []byte, stmt *sqlite3.Stmt, columns int, limit int64) ([]byte, bool) {
	line = append(line, '[')
	for i := range columns {
		if i > 0 {
			line = append(line, ',')
		}
		var fits bool
		if line, fits = appendCell(line, stmt, i, limit); !fits {
			return line, false
		}
	}
	line = append(line, ']')
	fits := int64(len(line)) <= limit
	return append(line, '\n'), fits
}

func appendCell(line []byte, stmt *sqlite3.Stmt, i int, limit int64) ([]byte, bool) {
	switch stmt.ColumnType(i) {
	case sqlite3.INTEGER:
		line = strconv.AppendInt(line, stmt.ColumnInt64(i), 10)
	case sqlite3.FLOAT:
		line = appendFloat(line, stmt.ColumnFloat(i))
	case sqlite3.TEXT:
		return appendText(line, stmt.ColumnRawText(i), limit)
	case sqlite3.BLOB:
		blob := stmt.ColumnRawBlob(i)
		if int64(len(line)+base64.StdEncoding.EncodedLen(len(blob))) > limit {
			return line, false
		}
		line = append(line, `{"b":"`...)
		line = base64.StdEncoding.AppendEncode(line, blob)
		line = append(line, `"}`...)
	default:
		line = append(line, "null"...)
	}
	return line, true
}

// appendFloat writes the shortest number that reads back the same, and never one that reads as an integer.
func appendFloat(line []byte, f float64) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(line, `{"f":"Infinity"}`...)
	case math.IsInf(f, -1):
		return append(line, `{"f":"-Infinity"}`...)
	case math.IsNaN(f):
		return append(line, "null"...)
	}
	start := len(line)
	line = strconv.AppendFloat(line, f, 'g', -1, 64)
	for _, c := range line[start:] {
		if c == '.' || c == 'e' {
			return line
		}
	}
	return append(line, '.', '0')
}

// appendText writes text as a JSON string. Text from a database may hold any bytes.
func appendText(line, text []byte, limit int64) ([]byte, bool) {
	const hex = "0123456789abcdef"
	if int64(len(line)+len(text)) > limit {
		return line, false
	}
	line = append(line, '"')
	plain := 0 // where the bytes begin that can be copied as they are
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if c >= utf8.RuneSelf && (r != utf8.RuneError || size > 1) {
			i += size
			continue
		}
		line = append(line, text[plain:i]...)
		switch {
		case c >= utf8.RuneSelf:
			line = append(line, "\uFFFD"...)
		case c < ' ':
			line = append(line, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
		default:
			line = append(line, '\\', c)
		}
		// Escapes make text up to six times as long.
		if int64(len(line)) > limit {
			return line, false
		}
		i += size
		plain = i
	}
	line = append(line, text[plain:]...)
	return append(line, '"'), true
}
