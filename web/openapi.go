package web

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"hash/fnv"
	"net/http"

	"github.com/labstack/echo/v4"
)

// openAPI describes the API, for people and tools. The tests hold every answer against it.
//
//go:embed openapi.yaml
var openAPI []byte

// description is the document as one server gives it.
type description struct {
	text []byte
	tag  string
}

// describe names the server in the document: its public URL if that is known, else the root or the base path of the host that gives it.
func (d *door) describe() description {
	server := cmp.Or(d.origin+d.BasePath, "/")
	text := bytes.Replace(openAPI, []byte("\n  - url: /\n"), fmt.Appendf(nil, "\n  - url: %q\n", server), 1)
	hash := fnv.New64a()
	_, _ = hash.Write(text) // never errs
	return description{text: text, tag: fmt.Sprintf(`"%016x"`, hash.Sum64())}
}

// apiDescription is GET /api/v1/openapi.yaml.
func (s *Server) apiDescription(c echo.Context) error {
	header := c.Response().Header()
	header.Set("ETag", s.description.tag)
	header.Set(echo.HeaderCacheControl, "no-cache")
	if tagMatches(c.Request().Header.Get("If-None-Match"), s.description.tag) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, "application/yaml", s.description.text)
}
