package web

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"
	"rsc.io/qr"
)

// joinCodePath is the picture that leads a phone from the wall screen to the form.
const joinCodePath = "/kiosk/join.svg"

// quietZone is the white border that readers of QR codes need, in modules.
const quietZone = 4

// joinCode is a QR code of an address, as SVG. It stays black on white, whatever the colours of the page, or readers wouldn't find it.
func joinCode(address string) ([]byte, error) {
	code, err := qr.Encode(address, qr.M)
	if err != nil {
		return nil, fmt.Errorf("a QR code of %q: %w", address, err)
	}
	var b bytes.Buffer
	side := code.Size + 2*quietZone
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" shape-rendering="crispEdges"><rect width="%d" height="%d" fill="#fff"/><path d="`, side, side, side, side)
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			from := x
			for x < code.Size && code.Black(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&b, "M%d %dh%dv1h-%dz", from+quietZone, y+quietZone, x-from, x-from)
			}
		}
	}
	b.WriteString(`"/></svg>`)
	return b.Bytes(), nil
}

// serveJoinCode is GET /kiosk/join.svg. Without a public URL there is none: a code of the wrong address is worse than no code.
func (s *Server) serveJoinCode(c echo.Context) error {
	if s.joinCode == nil {
		return errNotFound
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
	return c.Blob(http.StatusOK, "image/svg+xml", s.joinCode)
}
