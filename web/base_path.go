package web

import (
	"errors"
	"net/http"
	"strings"

	"confluence/views"
)

// ParseBasePath reads the path below which Confluence is on its host, such as /ask, and gives it without a slash at its end; empty for the
// root.
func ParseBasePath(text string) (string, error) {
	base := strings.TrimRight(text, "/")
	switch {
	case base == "":
		return "", nil
	case !strings.HasPrefix(base, "/"):
		return "", errors.New("it must begin with a slash")
	}
	for part := range strings.SplitSeq(base[1:], "/") {
		if part == "" || part == "." || part == ".." || strings.ContainsFunc(part, func(r rune) bool {
			return !strings.ContainsRune("-._~", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		}) {
			return "", errors.New("its parts must be of letters, digits, hyphens, points, underscores and tildes")
		}
	}
	return base, nil
}

// below has next serve what is below the base path, as if that were the root. A proxy may take the base path away, or leave it: both work.
func (d *door) below(next http.Handler) http.Handler {
	if d.BasePath == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(views.WithBase(r.Context(), d.BasePath))
		if path, ok := strings.CutPrefix(r.URL.Path, d.BasePath); ok && (path == "" || path[0] == '/') {
			u := *r.URL
			u.Path, u.RawPath = path, strings.TrimPrefix(u.RawPath, d.BasePath)
			if path == "" {
				u.Path = "/"
			}
			r.URL = &u
		}
		next.ServeHTTP(w, r)
	})
}

// shown is the address that people are told to open, without the scheme.
func (d *door) shown(r *http.Request) string {
	if _, host, ok := strings.Cut(d.origin, "://"); ok {
		return host + d.BasePath
	}
	return r.Host + d.BasePath
}
