package static_test

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"testing"

	"confluence/static"
)

func get(address string, header http.Header) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodGet, address, nil)
	for name, values := range header {
		request.Header[name] = values
	}
	answer := httptest.NewRecorder()
	static.Handler().ServeHTTP(answer, request)
	return answer
}

func TestEveryFileIsServed(t *testing.T) {
	types := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
	names, err := fs.Glob(static.FS(), "*")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		content, err := fs.ReadFile(static.FS(), name)
		if err != nil {
			t.Fatal(err)
		}
		answer := get(static.URL(name), nil)
		if answer.Code != http.StatusOK || answer.Body.String() != string(content) {
			t.Errorf("%s: %d, %d bytes of %d", name, answer.Code, answer.Body.Len(), len(content))
		}
		for header, want := range map[string]string{
			"Content-Type":           types[path.Ext(name)],
			"Cache-Control":          "public, max-age=31536000, immutable",
			"X-Content-Type-Options": "nosniff",
			"Content-Encoding":       "",
		} {
			if got := answer.Header().Get(header); got != want {
				t.Errorf("%s: %s is %q, want %q", name, header, got, want)
			}
		}
		again := get(static.URL(name), http.Header{"If-None-Match": {answer.Header().Get("ETag")}})
		if again.Code != http.StatusNotModified {
			t.Errorf("%s: %d for the etag that it gave", name, again.Code)
		}
	}
}

func TestGzip(t *testing.T) {
	want, err := fs.ReadFile(static.FS(), "confluence.css")
	if err != nil {
		t.Fatal(err)
	}
	for accept, zipped := range map[string]bool{
		"": false, "gzip": true, "br, gzip;q=0.8": true, "gzip;q=0": false, "gzip; q=0.0": false, "identity": false, "x-gzip": false, "gzip;q=x": false,
	} {
		answer := get(static.URL("confluence.css"), http.Header{"Accept-Encoding": {accept}})
		if got := answer.Header().Get("Content-Encoding") == "gzip"; got != zipped {
			t.Errorf("%q: gzip is %v", accept, got)
			continue
		}
		if answer.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: caches are not told that it varies", accept)
		}
		var body io.Reader = answer.Body
		if zipped {
			if body, err = gzip.NewReader(answer.Body); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := io.ReadAll(body); err != nil || string(got) != string(want) {
			t.Errorf("%q: %v, %d bytes of %d", accept, err, len(got), len(want))
		}
	}
}

func TestUnknownAddresses(t *testing.T) {
	for _, address := range []string{
		"/static/", "/static/words.js", static.URL(""), static.URL("none.js"), static.URL("../embed.go"), static.URL("embed.go"), static.URL("testdata"),
	} {
		if answer := get(address, nil); answer.Code != http.StatusNotFound {
			t.Errorf("%s: %d", address, answer.Code)
		}
	}
}

// An older page, still open, gets what there is now, and nothing keeps it under the old address.
func TestOtherBuild(t *testing.T) {
	answer := get("/static/0123456789abcdef/words.js", nil)
	if answer.Code != http.StatusOK || answer.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("%d, %q", answer.Code, answer.Header().Get("Cache-Control"))
	}
}

// Whatever a module imports and the stylesheet shows is here too, under the same hash.
func TestNeighbours(t *testing.T) {
	reference := regexp.MustCompile(`(?:from |import )"\./([^"]+)"|url\(([^)]+)\)`)
	names, err := fs.Glob(static.FS(), "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		content, err := fs.ReadFile(static.FS(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range reference.FindAllSubmatch(content, -1) {
			if _, err := fs.Stat(static.FS(), string(found[1])+string(found[2])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
