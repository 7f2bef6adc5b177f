package web

import "github.com/labstack/echo/v4"

// problem answers with the Problem Details of err.
func (s *Server) problem(c echo.Context, err error) error { panic("soon") }
