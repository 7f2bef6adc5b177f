package web

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// exactInteger is the largest integer that every reader of JSON holds exactly; beyond it they are strings.
const exactInteger = 1 << 53

// appendRow appends a row as JSON. Bytes become base64, so a text in a binary column stands in brackets, to be known from them (appendInBase64).
func appendRow(b []byte, row []any, binary func(column int) bool) ([]byte, error) {
	b = append(b, '[')
	for i, cell := range row {
		if i > 0 {
			b = append(b, ',')
		}
		if text, ok := cell.(string); ok && binary(i) {
			b = append(appendString(append(b, '['), text), ']')
			continue
		}
		var err error
		if b, err = appendCell(b, cell); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

func appendCell(b []byte, cell any) ([]byte, error) {
	switch v := cell.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case int64:
		if v > exactInteger || v < -exactInteger {
			return append(strconv.AppendInt(append(b, '"'), v, 10), '"'), nil
		}
		return strconv.AppendInt(b, v, 10), nil
	case float64:
		return appendFloat(b, v), nil
	case json.Number:
		return append(b, v...), nil
	case string:
		return appendString(b, v), nil
	case []byte:
		b = append(b, '"')
		b = base64.StdEncoding.AppendEncode(b, v)
		return append(b, '"'), nil
	default:
		return b, fmt.Errorf("%w: a cell of type %T", errResultMixed, cell)
	}
}

// appendFloat writes a number as browsers do; what JSON has no number for becomes a string.
func appendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(b, `"-Infinity"`...)
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, f, format, -1, 64)
}

// cellText is a decoded cell for a format that knows only text: NULL is empty.
func cellText(cell any) string {
	switch v := cell.(type) {
	case nil:
		return ""
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	case string:
		return v
	default:
		return fmt.Sprint(v)
	}
}
