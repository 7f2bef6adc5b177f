package static

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// asset is one file, ready to be sent.
type asset struct {
	contentType string
	etag        string
	plain       []byte
	gzipped     []byte // nil where it would be no smaller
}

var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// Handler serves the files under Prefix. The address of this build may be kept for ever. An address of another build, asked for by a page
// that is older or newer than this program, gets what there is now, to be asked for again each time.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hash, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Prefix), "/")
		a, ok := assets()[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		a.serve(w, r, hash == build)
	})
}

// assets are made once, at the first request. The files are inside the program, so reading can't fail.
var assets = sync.OnceValue(func() map[string]asset {
	made := make(map[string]asset)
	names, err := fs.Glob(files, "*")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		content, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		made[name] = asset{
			contentType: contentTypes[path.Ext(name)],
			etag:        `"` + build + `"`,
			plain:       content,
			gzipped:     compress(content),
		}
	}
	return made
})

func (a asset) serve(w http.ResponseWriter, r *http.Request, forEver bool) {
	header := w.Header()
	header.Set("Content-Type", a.contentType)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Vary", "Accept-Encoding")
	header.Set("Cache-Control", "no-cache")
	if forEver {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	content, etag := a.plain, a.etag
	if a.gzipped != nil && acceptsGzip(r.Header.Get("Accept-Encoding")) {
		content, etag = a.gzipped, strings.TrimSuffix(a.etag, `"`)+`-gzip"`
		header.Set("Content-Encoding", "gzip")
	}
	header.Set("ETag", etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// acceptsGzip tells whether gzip is named, and not with a weight of nought.
func acceptsGzip(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		coding, parameter, weighed := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
		if coding != "gzip" {
			continue
		}
		weight, err := strconv.ParseFloat(strings.TrimPrefix(parameter, "q="), 64)
		return !weighed || err == nil && weight > 0
	}
	return false
}

func compress(content []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		panic(err)
	}
	if _, err := w.Write(content); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	if out.Len() >= len(content) {
		return nil
	}
	return out.Bytes()
}
