package web

import (
	"regexp"
	"strings"
	"testing"

	"confluence/static"
)

func TestBrandColor(t *testing.T) {
	for text, wrong := range map[string]string{
		"#0f4351": "", "#7a0019": "", "#000000": "", "#222222": "",
		"#f1b441": "is 1.8", "#ffffff": "is 1.00:1", "#767676": "is 4.5", "red": "#rrggbb", "#12345": "#rrggbb", "#1234567": "#rrggbb", "": "#rrggbb",
	} {
		colour, err := ParseColor(text)
		switch {
		case wrong == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case wrong != "" && (err == nil || !strings.Contains(err.Error(), wrong)):
			t.Errorf("%s: %v, want %q", text, err, wrong)
		case wrong == "":
			if on := contrast(mustRGB(colour.dark), mustRGB(darkPaper)); on < 6.9 {
				t.Errorf("%s: links have %.2f:1 on dark paper", text, on)
			}
		}
	}
}

// The grounds that colours are measured against are those of the stylesheet.
func TestBrandGroundsAreThoseOfTheStylesheet(t *testing.T) {
	css := static.Content("confluence.css")
	for name, want := range map[string]string{"ground": lightGround + ", ", "paper": ", " + darkPaper} {
		if found := regexp.MustCompile(`--` + name + `: light-dark\(([^)]*)\)`).FindStringSubmatch(css); found == nil || !strings.Contains(found[1], want) {
			t.Errorf("--%s is %q, want %s", name, found, want)
		}
	}
}

func TestBrand(t *testing.T) {
	colour, err := ParseColor("#7a0019")
	must(t, err)
	links, err := ParseBrandLinks("Imprint=https://example.org/imprint, Help = mailto:help@example.org")
	must(t, err)
	brand := Brand{Name: "Reports & more", Logo: []byte("<svg/>"), Type: LogoType("x.SVG"), Color: colour, Text: "By the library.", Links: links}
	st := open(t, siteOptions{options: Options{Brand: brand, Door: Door{BasePath: "/ask"}}})
	page := st.stranger().get("/ask")
	for _, part := range []string{
		"· Reports &amp; more</title>", "<bdi>Reports &amp; more</bdi>", `src="/ask/brand/logo"`, `href="/ask/brand/colours.css"`, "By the library.",
		`<a href="https://example.org/imprint">Imprint</a>`, `<a href="mailto:help@example.org">Help</a>`,
	} {
		if !strings.Contains(page.body, part) {
			t.Errorf("the page lacks %s", part)
		}
	}
	if got := st.stranger().get("/ask/brand/colours.css"); !strings.Contains(got.body, "--water: #7a0019") || !strings.HasPrefix(got.header.Get("Content-Type"), "text/css") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := st.stranger().get("/ask/brand/logo"); got.body != "<svg/>" || got.header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("%d %s", got.status, got.body)
	}
	for _, text := range []string{"Imprint", "=https://example.org", "x=javascript:alert(1)", "x=/here"} {
		if _, err := ParseBrandLinks(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
	plain := open(t, siteOptions{})
	if page := plain.stranger().get("/"); !strings.Contains(page.body, "· Confluence</title>") || strings.Contains(page.body, "/brand/") {
		t.Error("without a brand it isn't Confluence's own look")
	}
}
