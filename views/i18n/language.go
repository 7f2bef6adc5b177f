package i18n

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"golang.org/x/text/language"
)

//go:embed *.json
var catalogues embed.FS

// Language is one language that Confluence speaks.
type Language struct {
	Code string // "de", as in lang attributes
	Name string // "Deutsch", by which its speakers find it
	Dir  string // "ltr" or "rtl"

	tag      language.Tag
	number   numberFormat
	messages map[string]message
}

// The languages, in the order in which a switch shows them.
var (
	English = load("en")
	all     = []*Language{English, load("de"), load("fr"), load("es"), load("ru"), load("ar"), load("ja")}
)

// All are the languages, English first.
func All() []*Language { return all }

var matcher = func() language.Matcher {
	tags := make([]language.Tag, len(all))
	for i, l := range all {
		tags[i] = l.tag
	}
	return language.NewMatcher(tags) // English is the first, and so what is spoken with everybody else
}()

// load reads a catalogue. It is inside the program and tested, so it can't fail.
func load(code string) *Language {
	content, err := catalogues.ReadFile(code + ".json")
	if err != nil {
		panic(err)
	}
	var file struct {
		Name     string             `json:"name"`
		Dir      string             `json:"dir"`
		Number   numberFormat       `json:"number"`
		Messages map[string]message `json:"messages"`
	}
	if err := json.Unmarshal(content, &file); err != nil {
		panic(fmt.Errorf("%s.json: %w", code, err))
	}
	return &Language{Code: code, Name: file.Name, Dir: file.Dir, tag: language.MustParse(code), number: file.Number, messages: file.Messages}
}

// ByCode is the language with just that code; nil: there is none.
func ByCode(code string) *Language {
	for _, l := range all {
		if l.Code == code {
			return l
		}
	}
	return nil
}

// acceptBytes is how much of an Accept-Language header is read.
const acceptBytes = 256

// Accepted is the language that an Accept-Language header likes best, and English where it likes none or can't be read.
func Accepted(header string) *Language {
	if len(header) > acceptBytes {
		header = header[:max(0, strings.LastIndexByte(header[:acceptBytes], ','))]
	}
	if header == "" {
		return English
	}
	_, i := language.MatchStrings(matcher, header)
	return all[i]
}

type contextKey struct{}

// With has the pages that are rendered with the context speak l.
func With(ctx context.Context, l *Language) context.Context {
	return context.WithValue(ctx, contextKey{}, l)
}

// From is the language that pages speak in the context; English if none was set.
func From(ctx context.Context) *Language {
	if l, ok := ctx.Value(contextKey{}).(*Language); ok {
		return l
	}
	return English
}
