package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"confluence/web"
)

// brandSettings is how an operator has the pages look.
type brandSettings struct {
	BrandName  string          `type:"text" group:"The look" placeholder:"NAME" help:"Name at the top of each page, in place of Confluence."`
	BrandLogo  string          `type:"text" group:"The look" placeholder:"FILE" help:"Picture before the name: SVG, PNG, WebP or JPEG of 32 KiB at most."`
	BrandColor web.Color       `type:"brandcolor" group:"The look" placeholder:"#RRGGBB" help:"Colour of the top of each page, of links and buttons. White words must be readable on it (7:1)."`
	BrandText  string          `type:"text" group:"The look" placeholder:"WORDS" help:"A sentence for the foot of each page."`
	BrandLinks []web.BrandLink `type:"brandlinks" group:"The look" placeholder:"NAME=URL,…" help:"Links for the foot of each page."`
}

// brand reads the logo; the rest is in the settings.
func (s brandSettings) brand() (web.Brand, error) {
	brand := web.Brand{Name: s.BrandName, Color: s.BrandColor, Text: s.BrandText, Links: s.BrandLinks}
	if s.BrandLogo == "" {
		return brand, nil
	}
	setting := fmt.Sprintf("--brand-logo (%s)", envName("brand-logo"))
	if brand.Type = web.LogoType(s.BrandLogo); brand.Type == "" {
		return brand, fmt.Errorf("%s is %q: it must be a file whose name ends in .svg, .png, .webp, .jpg or .jpeg", setting, s.BrandLogo)
	}
	content, err := os.ReadFile(s.BrandLogo)
	switch {
	case err != nil:
		return brand, fmt.Errorf("%s: %w", setting, err)
	case len(content) == 0 || len(content) > web.MaxLogoBytes:
		return brand, fmt.Errorf("%s has %d bytes: it must have %d at most, since each visitor loads it", setting, len(content), web.MaxLogoBytes)
	}
	brand.Logo = content
	return brand, nil
}

func parseBrandColor(text string, _ *kong.Tag) (web.Color, error) {
	colour, err := web.ParseColor(strings.TrimSpace(text))
	if err != nil {
		return colour, notAllowed{allowed: "a colour such as #0f4351 that white words can be read on; " + err.Error()}
	}
	return colour, nil
}

func parseBrandLinks(text string, _ *kong.Tag) ([]web.BrandLink, error) {
	links, err := web.ParseBrandLinks(text)
	if err != nil {
		return nil, notAllowed{allowed: "links such as Imprint=https://example.org/imprint,Help=mailto:help@example.org; " + err.Error()}
	}
	return links, nil
}
