package sql

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

const roomy = 1 << 20

func TestTextSurvivesTheProtocol(t *testing.T) {
	for _, text := range []string{
		"", "plain", `"quoted" \ and /`, "tab\tline\nreturn\rnul\x00bell\x07del\x7f", "naïve 日本語 🎈", "\u2028\u2029\uFEFF\uFFFD", "</script>&",
		"a\xffb", "\xc3", "\xed\xa0\x80", "ends in \xe6\x97", `\`, `"`, `\"`, `\\`,
	} {
		line, fits := appendText(nil, []byte(text), roomy)
		if !fits || !json.Valid(line) {
			t.Fatalf("%q became %q", text, line)
		}
		cell, rest, err := decodeCell(append(line, ',', '"'))
		if want := replaceInvalid(text); err != nil || cell != want || string(rest) != `,"` {
			t.Errorf("%q came back as %q with rest %q, %v", text, cell, rest, err)
		}
	}
}

// replaceInvalid puts U+FFFD in place of each invalid byte.
func replaceInvalid(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		b.WriteRune(r)
		text = text[size:]
	}
	return b.String()
}

func FuzzText(f *testing.F) {
	f.Add([]byte("a\"b\\c\x00\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		line, fits := appendText(nil, text, int64(6*len(text)+2))
		if !fits {
			t.Fatal("six times its length and quotes should do")
		}
		cell, rest, err := decodeCell(line)
		if err != nil || cell != replaceInvalid(string(text)) || len(rest) > 0 {
			t.Errorf("%q came back as %q, %v", text, cell, err)
		}
		if !bytes.Equal(line, bytes.ReplaceAll(line, []byte("\n"), nil)) {
			t.Error("a line end inside a line")
		}
	})
}

func TestFloatsSurviveTheProtocol(t *testing.T) {
	for _, f := range []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e21, 1e-7, 123456789, 1 << 53, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1)} {
		cell, rest, err := decodeCell(append(appendFloat(nil, f), ']'))
		if err != nil || cell != f || string(rest) != "]" {
			t.Errorf("%v came back as %#v, %v", f, cell, err)
		}
	}
	if line := appendFloat(nil, math.NaN()); string(line) != "null" {
		t.Errorf("NaN became %s", line)
	}
}

func TestTextStopsAtItsLimit(t *testing.T) {
	for _, text := range []string{strings.Repeat("a", 1000), strings.Repeat("\x01", 200)} {
		if line, fits := appendText(nil, []byte(text), 500); fits || len(line) > 510 {
			t.Errorf("%d bytes of a limit of 500", len(line))
		}
	}
}

func TestDecodeRow(t *testing.T) {
	for line, want := range map[string][]any{
		`[]`:             {},
		`[1]`:            {int64(1)},
		`[null,"a,]",2]`: {nil, "a,]", int64(2)},
		`[-9223372036854775808,1.0,{"b":"AAE="},{"f":"-Infinity"},{"b":""}]`: {int64(math.MinInt64), 1.0, []byte{0, 1}, math.Inf(-1), []byte{}},
	} {
		if row, err := decodeRow([]byte(line), len(want)); err != nil || !reflect.DeepEqual(row, want) {
			t.Errorf("%s: %#v, %v", line, row, err)
		}
	}
	for _, line := range []string{
		``, `[`, `[1`, `[1,`, `[1,2`, `[1]`, `[1,2,3]`, `[1,2]x`, `[1,"a]`, `[1,"a\`, `[1,"a\"]`, `[1,nul]`, `[1,x]`, `[1,99999999999999999999]`, `[1,{"b":"%"}]`,
		`[1,{"f":"x"}]`, `[1,{}]`, `[1,{]`, `[1,"\x"]`, `[1 ,2]`, `{"a":1}`, `[,]`,
	} {
		if row, err := decodeRow([]byte(line), 2); !errors.Is(err, ErrProtocol) {
			t.Errorf("%s: %v, %v", line, row, err)
		}
	}
}

func FuzzDecodeRow(f *testing.F) {
	f.Add([]byte(`[1,"a\"b",{"b":"AAE="},null,1.5]`), int8(5))
	f.Add([]byte(`[1]`), int8(-1))
	f.Fuzz(func(t *testing.T, line []byte, columns int8) {
		row, err := decodeRow(line, int(columns))
		if err == nil && len(row) != int(columns) || err != nil && !errors.Is(err, ErrProtocol) {
			t.Errorf("%d cells of %d, %v", len(row), columns, err)
		}
	})
}
