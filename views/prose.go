package views

import (
	"bytes"
	"context"
	"io"
	"regexp"

	"github.com/a-h/templ"
	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown reads what a model writes. There is no HTML in it: a tag is text, and shown as it was written.
var markdown = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500),
		),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithASTTransformers(util.Prioritized(headings{}, 100)),
	)),
	goldmark.WithExtensions(extension.Table, extension.Strikethrough),
)

// headings puts the headings of an answer below the page's own, without a gap between two levels.
type headings struct{}

// topHeading is the level of the heading over the answer.
const topHeading = 2

func (headings) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	var above []int // levels, as they were written, of the headings over the present one
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		heading, ok := n.(*ast.Heading)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		for len(above) > 0 && above[len(above)-1] >= heading.Level {
			above = above[:len(above)-1]
		}
		above = append(above, heading.Level)
		heading.Level = min(topHeading+len(above), 6)
		return ast.WalkSkipChildren, nil
	})
}

// harmless is what may be in an answer: text with a form, and links that lead away in plain sight. No picture (it would tell others who reads),
// no id, no class, no style.
var harmless = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "strong", "em", "del", "ul", "ol", "li", "blockquote", "pre", "code",
		"h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^\d{1,9}$`)).OnElements("ol")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(false)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
}()

// prose shows a text that is Markdown.
func prose(source string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var b bytes.Buffer
		if err := markdown.Convert([]byte(source), &b); err != nil {
			return err
		}
		_, err := harmless.SanitizeReader(&b).WriteTo(w)
		return err
	})
}
