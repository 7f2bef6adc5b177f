package i18n_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"confluence/views/i18n"
)

// needed are the plural forms that whole numbers take in a language.
func needed(code string) []string {
	names := map[plural.Form]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many", plural.Other: "other"}
	forms := map[string]bool{"other": true}
	for n := range 2_000 {
		forms[names[plural.Cardinal.MatchPlural(language.MustParse(code), n, 0, 0, 0, 0)]] = true
	}
	return slices.Sorted(maps.Keys(forms))
}

var place = regexp.MustCompile(`\{\w+\}`)

// placesOf are the values that a text names, each once.
func placesOf(text string) []string {
	places := place.FindAllString(text, -1)
	slices.Sort(places)
	return slices.Compact(places)
}

// TestCataloguesSayTheSame: each has every key of English and no other, with all plural forms that its language needs and the same values.
func TestCataloguesSayTheSame(t *testing.T) {
	for _, l := range i18n.All() {
		t.Run(l.Code, func(t *testing.T) {
			forms := needed(l.Code)
			for _, key := range l.Keys() {
				if len(i18n.English.Forms(key)) == 1 && i18n.English.Forms(key)[""] == "" {
					t.Errorf("%s is not in English", key)
				}
			}
			for _, key := range i18n.English.Keys() {
				said, english := l.Forms(key), i18n.English.Forms(key)
				want := []string{""}
				if _, simple := english[""]; !simple {
					want = forms
				}
				if got := slices.Sorted(maps.Keys(said)); !slices.Equal(got, want) {
					t.Errorf("%s has the forms %q, want %q", key, got, want)
					continue
				}
				values := placesOf(english["other"] + english[""])
				for form, text := range said {
					got := placesOf(text)
					if form != "" && form != "other" && !slices.Contains(got, "{n}") { // "one person" needs no figure
						got = append(got, "{n}")
						slices.Sort(got)
					}
					if strings.TrimSpace(text) == "" || strings.TrimSpace(text) != text || !slices.Equal(got, values) {
						t.Errorf("%s, %q: %q, want the values %q", key, form, text, values)
					}
				}
			}
		})
	}
}

// Where messages are said, and how.
var (
	sources  = []string{"../*.go", "../*.templ", "*.go", "../../web/*.go", "../../static/*.js"}
	literal  = regexp.MustCompile(`"([a-z_]+(?:\.[a-zA-Z_]+)*)"`)
	calls    = regexp.MustCompile(`(?:\.Say|\bMsg|\bsay)\(\s*("[^"]*"|[a-z]\w*)\s*[,)]`)
	computed = regexp.MustCompile(`^problem\.[a-z_]+(\.detail|\.about)?$`) // from the code of a problem; a test of package web knows them
)

// TestKeysAreSaid finds a key that no catalogue has, one that nobody says, and one that is no literal.
func TestKeysAreSaid(t *testing.T) {
	known := map[string]bool{}
	for _, key := range i18n.English.Keys() {
		known[key] = true
	}
	named := map[string]bool{}
	for _, pattern := range sources {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", pattern, files, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "_templ.go") || strings.HasSuffix(file, "doc.go") {
				continue
			}
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range literal.FindAllStringSubmatch(string(content), -1) {
				named[found[1]] = true
			}
			for _, call := range calls.FindAllStringSubmatch(string(content), -1) {
				key := strings.Trim(call[1], `"`)
				if quoted := key != call[1]; quoted && !known[key] {
					t.Errorf("%s says %s, which is in no catalogue", file, key)
				} else if !quoted && strings.HasSuffix(file, ".js") && !strings.HasPrefix(call[0], "say(key") {
					t.Errorf("%s says %s: a script's keys are literals", file, call[1])
				}
			}
		}
	}
	for key := range known {
		if !named[key] && !computed.MatchString(key) {
			t.Errorf("nobody says %s", key)
		}
	}
}
