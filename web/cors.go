package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

const cookielessKey = "cookieless" // in echo's context: the page that asks may use a bearer token, and no cookie

var (
	sharedMethods = strings.Join([]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete}, ", ")
	sharedAsks    = strings.Join([]string{echo.HeaderAuthorization, echo.HeaderContentType, "Idempotency-Key", "If-None-Match", "Last-Event-ID", "Prefer"}, ", ")
	sharedAnswers = strings.Join([]string{"ETag", echo.HeaderRetryAfter, echo.HeaderXRequestID, "Confluence-Run-Id", replayHeader, "Preference-Applied", echo.HeaderContentDisposition}, ", ")
)

// shareAPI lets pages of the origins that the operator has listed call the API, with a bearer token. The visitor's cookie is not theirs: it
// counts for nothing in what they send, and they can't have the browser send it.
func (s *Server) shareAPI(next echo.HandlerFunc) echo.HandlerFunc {
	if len(s.door.bearer) == 0 {
		return next
	}
	return func(c echo.Context) error {
		r, header := c.Request(), c.Response().Header()
		api := isAPI(r.URL.Path)
		if !s.door.bearerOnly(r) {
			return next(c)
		}
		if !api {
			if unsafe(r.Method) {
				return s.crossSite(r)
			}
			c.Set(cookielessKey, true)
			return next(c)
		}
		c.Set(cookielessKey, true)
		// Nothing of the API is kept by a cache that many share, so that its answers need not say that they vary.
		header.Set(echo.HeaderAccessControlAllowOrigin, r.Header.Get(echo.HeaderOrigin))
		header.Set(echo.HeaderAccessControlExposeHeaders, sharedAnswers)
		if r.Method == http.MethodOptions && r.Header.Get(echo.HeaderAccessControlRequestMethod) != "" {
			header.Set(echo.HeaderAccessControlAllowMethods, sharedMethods)
			header.Set(echo.HeaderAccessControlAllowHeaders, sharedAsks)
			header.Set(echo.HeaderAccessControlMaxAge, "600")
			return c.NoContent(http.StatusNoContent)
		}
		return next(c)
	}
}
