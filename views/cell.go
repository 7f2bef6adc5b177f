package views

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
)

// CellOf shows one value of an answer as it is, with nothing grouped or rounded: nil, bool, int64, float64, string, []byte or json.Number.
// Binary values are shown in base64, as in the downloads.
func CellOf(value any) Cell {
	switch v := value.(type) {
	case nil:
		return Cell{Null: true}
	case string:
		return Cell{Text: v}
	case int64:
		return Cell{Text: strconv.FormatInt(v, 10)}
	case float64:
		text, err := json.Marshal(v) // the same digits as in the JSON result, and as a browser shows
		if err != nil {
			return Cell{Text: strconv.FormatFloat(v, 'g', -1, 64)}
		}
		return Cell{Text: string(text)}
	case bool:
		return Cell{Text: strconv.FormatBool(v)}
	case []byte:
		return Cell{Text: base64.StdEncoding.EncodeToString(v)}
	}
	return Cell{Text: fmt.Sprint(value)}
}
