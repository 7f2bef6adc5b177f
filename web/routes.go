package web

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"confluence/static"
)

// forAnybody are the addresses that answer everybody alike, whoever asks; "" is one that there isn't.
var forAnybody = map[string]bool{
	"": true, "/healthz": true, "/readyz": true, static.Prefix + "*": true, "/api/v1/openapi.yaml": true, "/api/v1/queue": true,
	"/problems/:code": true, "/kiosk": true, joinCodePath: true, brandLogoPath: true, brandStylePath: true, "/live/kiosk": true,
}

// register is every address that is served.
func (s *Server) register(e *echo.Echo) {
	s.chain = s.newChain()
	e.Use(s.around)

	e.POST("/api/v1/session", s.apiSession)
	e.POST("/api/v1/queue/join", s.apiJoin)
	e.DELETE("/api/v1/queue/ticket", s.apiLeave)
	e.POST("/api/v1/query", s.apiQuery)
	e.DELETE("/api/v1/runs/:id", s.apiCancel)
	get(e, "/api/v1/queue", s.apiPicture)
	get(e, "/api/v1/queue/status", s.apiStatus)
	get(e, "/api/v1/runs/:id", s.apiRun)
	get(e, "/api/v1/runs/:id/output", s.apiRunOutput)
	get(e, "/api/v1/openapi.yaml", s.apiDescription)
	get(e, "/healthz", s.healthz)
	get(e, "/readyz", s.readyz)
	get(e, static.Prefix+"*", echo.WrapHandler(static.Handler()))
	s.registerPages(e)
	s.registerBrand(e)
	s.registerDesk(e)
}

// around is all that is around every handler. It is put together once: echo calls it for each request, and would have each of its parts make a
// function anew.
func (s *Server) around(echo.HandlerFunc) echo.HandlerFunc { return s.chain }

// newChain puts together what around gives. What it leads to is the handler that echo has found for the request.
func (s *Server) newChain() echo.HandlerFunc {
	parts := []echo.MiddlewareFunc{s.recoverPanic, s.secure, s.boundURL, s.boundBody, s.refuseCrossSite, s.shareAPI, s.identify}
	if s.o.RequestLog {
		parts = append([]echo.MiddlewareFunc{s.logRequest}, parts...)
	}
	chain := func(c echo.Context) error { return c.Handler()(c) }
	for _, part := range slices.Backward(append([]echo.MiddlewareFunc{s.nameRequest}, parts...)) {
		chain = part(chain)
	}
	return chain
}

// get serves an address for GET and HEAD.
func get(e *echo.Echo, path string, handler echo.HandlerFunc) {
	e.Match([]string{http.MethodGet, http.MethodHead}, path, handler)
}

// sendJSON answers with a small document.
func sendJSON(c echo.Context, status int, document any) error {
	c.Response().Header().Set(echo.HeaderContentType, typeJSON)
	c.Response().WriteHeader(status)
	return writeJSON(c.Response(), document)
}

// writeJSON leaves < and & as they are: what we send is never put into a page.
func writeJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(document)
}
