package views

import (
	"context"
	"strings"
)

type baseKey struct{}

// WithBase has the pages that are rendered with the context link to addresses below base, such as "/ask"; empty: the root of the host.
func WithBase(ctx context.Context, base string) context.Context {
	return context.WithValue(ctx, baseKey{}, base)
}

// Address is where the browser finds what has the path here.
func Address(ctx context.Context, path string) string {
	base, _ := ctx.Value(baseKey{}).(string)
	if base == "" || !strings.HasPrefix(path, "/") {
		return path
	}
	return base + path
}
