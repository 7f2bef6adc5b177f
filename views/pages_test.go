package views_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"confluence/static"
	"confluence/views/gallery"
	"confluence/views/i18n"
)

// states are all pages, in English.
func states(text string) []gallery.State { return gallery.States(i18n.English, text) }

func render(t *testing.T, s gallery.State) string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Page.Render(context.Background(), &out); err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	return out.String()
}

func parse(t *testing.T, s gallery.State) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(render(t, s)))
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	return root
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// textOf is all the text beneath a node.
func textOf(n *html.Node) string {
	var out strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			out.WriteString(d.Data)
		}
	}
	return out.String()
}

func TestPagesHaveADoctype(t *testing.T) {
	for _, s := range states(gallery.Query) {
		if !strings.HasPrefix(render(t, s), "<!doctype html>") {
			t.Errorf("%s: no doctype", s.Name)
		}
	}
}

// TestStrictPolicy is the case nonce: no page has a script or a style of its own that would need one. It holds every page to: default-src 'none'; style-src, script-src, img-src, connect-src, form-action 'self'.
func TestStrictPolicy(t *testing.T) {
	for _, s := range states(gallery.Query) {
		t.Run(s.Name, func(t *testing.T) {
			for n := range parse(t, s).Descendants() {
				if n.Type != html.ElementNode {
					continue
				}
				for _, a := range n.Attr {
					if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
						t.Errorf("<%s %s>: inline handler or style", n.Data, a.Key)
					}
				}
				switch n.DataAtom {
				case atom.Style, atom.Base, atom.Iframe, atom.Object, atom.Embed:
					t.Errorf("<%s> on the page", n.Data)
				case atom.Script:
					if attribute(n, "type") == "application/json" { // data, which is never run
						if !json.Valid([]byte(textOf(n))) {
							t.Errorf("a block of data that is no JSON: %s", textOf(n))
						}
						break
					}
					if n.FirstChild != nil || attribute(n, "src") == "" || attribute(n, "type") != "module" {
						t.Errorf("a script that isn't a module with an address: %s", textOf(n))
					}
					isServed(t, attribute(n, "src"))
				case atom.Link:
					isServed(t, attribute(n, "href"))
				case atom.Img:
					isServed(t, attribute(n, "src"))
				case atom.A:
					isLocal(t, attribute(n, "href"))
				case atom.Form:
					isLocal(t, attribute(n, "action"))
					if attribute(n, "method") != "post" {
						t.Errorf("form to %q isn't a post", attribute(n, "action"))
					}
				}
			}
		})
	}
}

func isServed(t *testing.T, address string) {
	t.Helper()
	name, ok := strings.CutPrefix(address, static.Prefix+static.Build()+"/")
	if !ok {
		t.Errorf("%q is not an address of this build's files", address)
		return
	}
	if _, err := static.FS().Open(name); err != nil {
		t.Errorf("%q: %v", address, err)
	}
}

func isLocal(t *testing.T, address string) {
	t.Helper()
	if !strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "#") || strings.HasPrefix(address, "//") {
		t.Errorf("%q leads elsewhere", address)
	}
}

// TestNames checks what a screen reader and a label rest on: ids are unique, and every reference to one has its target.
func TestNames(t *testing.T) {
	for _, s := range states(gallery.Query) {
		t.Run(s.Name, func(t *testing.T) {
			ids := map[string]bool{}
			headings := 0
			root := parse(t, s)
			for n := range root.Descendants() {
				if n.DataAtom == atom.H1 {
					headings++
				}
				id := attribute(n, "id")
				if id != "" && ids[id] {
					t.Errorf("id %q is there twice", id)
				}
				ids[id] = true
			}
			if headings == 0 {
				t.Error("no h1")
			}
			for n := range root.Descendants() {
				for _, name := range []string{"aria-labelledby", "aria-describedby", "for", "form"} {
					for _, id := range strings.Fields(attribute(n, name)) {
						if !ids[id] {
							t.Errorf("<%s %s=%q>: no such id", n.Data, name, id)
						}
					}
				}
			}
		})
	}
}

// TestScriptInQuery: whatever the words of a visitor or a runner are, they are shown literally, and the page has no element that it
// wouldn't have without them.
func TestScriptInQuery(t *testing.T) {
	plain := map[string]string{}
	for _, s := range states("plain") {
		plain[s.Name] = skeleton(parse(t, s))
	}
	hostile := []string{
		`</script><script>alert(1)</script>`,
		`</textarea></pre></title><img src=x onerror=alert(1)>`,
		`<!-- --!> <![CDATA[ ]]>`,
		"a\u2028b\u2029c",
		`" onfocus="alert(1)" autofocus x='`,
		"javascript:alert(1)",
		"\n\n  two lines first, then & &amp; &lt;",
		"\u202eright to left",
	}
	for _, text := range hostile {
		for _, s := range states(text) {
			t.Run(s.Name, func(t *testing.T) {
				root := parse(t, s)
				if got := skeleton(root); got != plain[s.Name] {
					t.Errorf("%q changes the elements of the page:\n%s\nin place of\n%s", text, got, plain[s.Name])
				}
				for n := range root.Descendants() {
					isField := n.DataAtom == atom.Textarea && s.Name != "form-idle"
					isKept := n.DataAtom == atom.Pre && attribute(n, "class") == "kept"
					if got := textOf(n); (isField || isKept) && got != text {
						t.Errorf("<%s> shows %q in place of %q", n.Data, got, text)
					}
				}
			})
		}
	}
}

// skeleton is the elements of a page with the names of their attributes.
func skeleton(root *html.Node) string {
	var out strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.CommentNode {
			out.WriteString("comment\n")
		}
		if n.Type != html.ElementNode {
			continue
		}
		out.WriteString(n.Data)
		for _, a := range n.Attr {
			out.WriteString(" " + a.Key)
		}
		out.WriteString("\n")
	}
	return out.String()
}
