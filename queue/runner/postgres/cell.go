package postgres

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// cell turns a value in PostgreSQL's text form into a cell of the Sink. value is valid until the next row only; nil is NULL.
func cell(value []byte, typ uint32) (any, error) {
	if value == nil {
		return nil, nil
	}
	switch typ {
	case pgtype.BoolOID:
		return len(value) == 1 && value[0] == 't', nil
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.OIDOID:
		return strconv.ParseInt(string(value), 10, 64)
	case pgtype.Float4OID, pgtype.Float8OID:
		return strconv.ParseFloat(string(value), 64) // reads NaN and Infinity, too
	case pgtype.ByteaOID:
		return decodeBytea(value)
	}
	return text(value), nil
}

// text is what the server sends as text; a database in SQL_ASCII may hold any bytes.
func text(value []byte) string { return strings.ToValidUTF8(string(value), "\uFFFD") }

func decodeBytea(value []byte) ([]byte, error) {
	if len(value) < 2 || value[0] != '\\' || value[1] != 'x' {
		return nil, errNotBytea
	}
	b := make([]byte, hex.DecodedLen(len(value)-2))
	_, err := hex.Decode(b, value[2:])
	return b, err
}

// cellBytes is what a value counts for in the cap on bytes.
func cellBytes(c any, value []byte) int64 {
	if b, ok := c.([]byte); ok {
		return int64(len(b)) + 1
	}
	return int64(len(value)) + 1
}
