package views_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ/parser/v2"
	"github.com/a-h/templ/parser/v2/visitor"
)

var (
	letters = regexp.MustCompile(`\pL{2,}`)
	entity  = regexp.MustCompile(`&\w+;`)
	quoted  = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
)

// sameEverywhere are words that no catalogue translates.
var sameEverywhere = map[string]bool{"Confluence": true, "NULL": true, "· Confluence": true}

// spoken are the attributes that a reader meets.
var spokenAttributes = map[string]bool{"aria-label": true, "title": true, "alt": true, "placeholder": true, "aria-description": true}

// TestTemplatesHaveNoWords: what a page says comes from a catalogue or from its model.
func TestTemplatesHaveNoWords(t *testing.T) {
	files, err := filepath.Glob("*.templ")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		template, err := parser.Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, words := range wordsIn(t, template) {
			t.Errorf("%s: %q is in no catalogue", file, words)
		}
	}
}

// TestWordsInATemplateAreFound: the test above would find them.
func TestWordsInATemplateAreFound(t *testing.T) {
	template, err := parser.ParseString(`package views

templ X() {
	<p class="soft" aria-label="Main">Stray { "words " + y } { l.Say("people") } &nbsp; · </p>
	<p aria-label={ "Called" }></p>
}
`)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(wordsIn(t, template), "|"); got != "Main|Stray|words |Called" {
		t.Errorf("found %q", got)
	}
}

// wordsIn are the words that a template says by itself.
func wordsIn(t *testing.T, template *parser.TemplateFile) (found []string) {
	t.Helper()
	note := func(text string) {
		if letters.MatchString(entity.ReplaceAllString(text, "")) && !sameEverywhere[strings.TrimSpace(text)] {
			found = append(found, text)
		}
	}
	expression := func(code string) {
		if strings.Contains(code, ".Say(") {
			return // its keys are another test's
		}
		for _, literal := range quoted.FindAllStringSubmatch(code, -1) {
			note(strings.NewReplacer(`\n`, "", `\t`, "").Replace(literal[1]))
		}
	}
	v := visitor.New()
	v.Text = func(n *parser.Text) error {
		note(strings.TrimSpace(n.Value))
		return nil
	}
	v.StringExpression = func(n *parser.StringExpression) error {
		expression(n.Expression.Value)
		return nil
	}
	v.ConstantAttribute = func(n *parser.ConstantAttribute) error {
		if spokenAttributes[n.Key.String()] {
			note(n.Value)
		}
		return nil
	}
	v.ExpressionAttribute = func(n *parser.ExpressionAttribute) error {
		if spokenAttributes[n.Key.String()] {
			expression(n.Expression.Value)
		}
		return nil
	}
	if err := template.Visit(v); err != nil {
		t.Fatal(err)
	}
	return found
}
