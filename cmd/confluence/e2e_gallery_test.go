package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"confluence/static"
	"confluence/views/gallery"
	"confluence/views/i18n"
)

// TestGallery looks at every page in every state as the server sends it, without scripts: in English, in a language that is mirrored, in
// one with long words and in one without letters.
func TestGallery(t *testing.T) {
	server := httptest.NewServer(galleryHandler())
	defer server.Close()
	v := newVisitor(t, server.URL+"/")
	for _, visit := range []struct {
		code, looks, fits string // language, looks that axe-core sees, and the others
	}{
		{"en", "1280-light 1280-dark", "360-light forced zoom400"}, {"ar", "360-dark", "1280-light"}, {"de", "", "zoom400"}, {"ja", "", "768-light"},
	} {
		for _, s := range gallery.States(i18n.ByCode(visit.code), gallery.Query) {
			name := s.Name + "-" + visit.code + "-noscript"
			v.open("gallery/" + visit.code + "/" + s.Name)
			v.looks(name, looksNamed(visit.looks))
			v.fits(name, looksNamed(visit.fits), func(look) {})
		}
	}
	contactSheet(t)
}

// modules are the scripts of a page.
var modules = regexp.MustCompile(`<script type="module"[^>]*></script>`)

// galleryHandler serves the states under /gallery/{language}/{name}.
func galleryHandler() http.Handler {
	pages := http.NewServeMux()
	pages.Handle(static.Prefix, static.Handler())
	for _, l := range i18n.All() {
		for _, s := range gallery.States(l, gallery.Query) {
			pages.HandleFunc("GET /gallery/"+l.Code+"/"+s.Name, func(w http.ResponseWriter, r *http.Request) {
				var page bytes.Buffer
				if err := s.Page.Render(i18n.With(r.Context(), l), &page); err != nil {
					panic(err)
				}
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				w.Write(modules.ReplaceAll(page.Bytes(), nil)) // in a browser whose scripts are off axe-core wouldn't run either
			})
		}
	}
	return pages
}
