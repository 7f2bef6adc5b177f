package views

import (
	"strings"
	"testing"
)

func proseOf(t *testing.T, source string) string {
	t.Helper()
	var b strings.Builder
	if err := prose(source).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func TestProse(t *testing.T) {
	for source, want := range map[string]string{
		"Move **twenty** copies.":          "<p>Move <strong>twenty</strong> copies.</p>",
		"# One\n### Two\n## Three\n# Four": "<h3>One</h3>\n<h4>Two</h4>\n<h4>Three</h4>\n<h3>Four</h3>",
		"3. a\n4. b":                       "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>",
		"`a<b`":                            "<p><code>a&lt;b</code></p>",
		"```sql\nSELECT 1 < 2\n```":        "<pre><code>SELECT 1 &lt; 2\n</code></pre>",
		"[here](https://example.org/?a=1)": `<p><a href="https://example.org/?a=1" rel="nofollow noreferrer">here</a></p>`,
		"~~old~~":                          "<p><del>old</del></p>",
		"|a|b|\n|-|-|\n|1|2|":              "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>",
		"two\nlines":                       "<p>two\nlines</p>",
	} {
		if got := proseOf(t, source); got != want {
			t.Errorf("%q is\n%s\nwant\n%s", source, got, want)
		}
	}
}

// script-in-query: what a model writes runs nothing, loads nothing and leads nowhere unseen; a tag is shown as it was written.
func TestProseIsHarmless(t *testing.T) {
	for _, source := range []string{
		"<script>alert(1)</script>", "</article></main><h1>x", "<img src=x onerror=alert(1)>", "a <b onclick=alert(1)>b</b>", "<!-- x",
		"![x](https://example.org/seen.png)", "[x](javascript:alert(1))", "[x](data:text/html,<script>)", "[x](/leave)", "<javascript:alert(1)>",
		"[x](https://a \"\" onmouseover=alert(1))", "# x {#main .turn onclick=alert(1)}", "```\"onload=x\nx\n```", "&lt;script&gt;", "|<img>|\n|-|\n|<script>|",
	} {
		got := proseOf(t, source)
		for _, bad := range []string{"<script", "<img", "<b", "<h1", "</main", "<!--", "javascript:alert(1)\"", "\"data:", `href="/`, " id=", " class=", "<x"} {
			if strings.Contains(got, bad) {
				t.Errorf("%q became %s", source, got)
			}
		}
	}
	if got := proseOf(t, "<script>alert(1)</script>"); got != "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>" {
		t.Errorf("a tag isn't shown as it was written: %s", got)
	}
}
