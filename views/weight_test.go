package views_test

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"testing"

	"confluence/static"
	"confluence/views/gallery"
	"confluence/views/i18n"
)

// mostBytes is what a page may weigh over the wire in all.
const mostBytes = 60 << 10

// TestPagesAreLight: the page itself, in the language that takes most room, with the stylesheet, every script and every picture.
func TestPagesAreLight(t *testing.T) {
	shared := 0
	files, err := fs.Glob(static.FS(), "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write([]byte(static.Content(name))); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		shared += packed.Len()
	}
	heaviest := 0
	for _, l := range i18n.All() {
		for _, s := range gallery.States(l, gallery.Query) {
			var page bytes.Buffer
			if err := s.Page.Render(i18n.With(t.Context(), l), &page); err != nil {
				t.Fatal(err)
			}
			heaviest = max(heaviest, page.Len())
			if weight := shared + page.Len(); weight > mostBytes {
				t.Errorf("%s in %s weighs %d bytes", s.Name, l.Code, weight)
			}
		}
	}
	t.Logf("%d bytes of files, and %d of the heaviest page", shared, heaviest)
}
