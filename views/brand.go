package views

import (
	"context"

	"confluence/static"
)

// Brand is how an installation looks and what it says of itself. The zero Brand is Confluence's own.
type Brand struct {
	Name  string // empty: Confluence
	Logo  string // where the logo is; empty: Confluence's own
	Style string // where the stylesheet of its colour is; empty: there is none
	Text  string // in the foot of each page
	Links []Link // in the foot of each page
}

type brandKey struct{}

// WithBrand has the pages that are rendered with the context look like the installation.
func WithBrand(ctx context.Context, b Brand) context.Context {
	return context.WithValue(ctx, brandKey{}, b)
}

func brandOf(ctx context.Context) Brand {
	b, _ := ctx.Value(brandKey{}).(Brand)
	if b.Name == "" {
		b.Name = ownName
	}
	return b
}

// logo is where the picture before the name is.
func logo(ctx context.Context) string {
	if own := brandOf(ctx).Logo; own != "" {
		return Address(ctx, own)
	}
	return Address(ctx, static.URL("logo.svg"))
}

// ownName is a name, and so no word of a catalogue.
const ownName = "Confluence"
