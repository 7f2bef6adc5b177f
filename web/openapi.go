package web

import (
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

var openAPITag = func() string {
	hash := fnv.New64a()
	_, _ = hash.Write(openAPI) // never errs
	return fmt.Sprintf(`"%016x"`, hash.Sum64())
}()

// apiDescription is GET /api/v1/openapi.yaml.
func (s *Server) apiDescription(c echo.Context) error {
	header := c.Response().Header()
	header.Set("ETag", openAPITag)
	header.Set(echo.HeaderCacheControl, "no-cache")
	if tagMatches(c.Request().Header.Get("If-None-Match"), openAPITag) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, "application/yaml", openAPI)
}
