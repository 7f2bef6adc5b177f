package web

import "github.com/labstack/echo/v4"

// session is the session that the request belongs to, "" if it names none. It never makes one.
func (s *Server) session(c echo.Context) string { panic("soon") }

// ensureSession is session, and makes one where there is none. It sets the cookie, so it comes before the answer's first byte.
func (s *Server) ensureSession(c echo.Context) (string, error) { panic("soon") }
