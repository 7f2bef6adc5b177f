package web

import (
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"
)

// ownRun is the run that the address names, if it is the caller's.
func (s *Server) ownRun(c echo.Context) (*run, error) {
	x, ok := s.runs.get(s.session(c), c.Param("id"))
	if !ok {
		return nil, refuse(errNotFound, "There is no such run of yours. A run is there for its owner alone, for one hour after its end.")
	}
	return x, nil
}

// apiRun is GET /api/v1/runs/{id}: the state, and the output once the run has ended.
func (s *Server) apiRun(c echo.Context) error {
	x, err := s.ownRun(c)
	if err != nil {
		return err
	}
	x.touch()
	st := x.state()
	document := runDocument{result: resultOf(st), State: "running", Number: st.Number, Query: st.Query, Started: st.Started.UTC()}
	if !st.Going {
		ended := st.Ended.UTC()
		document.State, document.Ended, document.Outcome = "ended", &ended, &st.Outcome
	}
	return s.sendOutput(c, x, document, st)
}

// apiRunOutput is GET /api/v1/runs/{id}/output. What is not a stream of events waits for the end, or comes as the run brings it.
func (s *Server) apiRunOutput(c echo.Context) error {
	x, err := s.ownRun(c)
	if err != nil {
		return err
	}
	if c.Request().Method == http.MethodHead { // a look, not a reading
		x.touch()
		return c.NoContent(http.StatusOK)
	}
	defer x.watch()()
	c.Response().Header().Add(echo.HeaderVary, echo.HeaderAccept)
	form := negotiate(c.Request().Header.Get(echo.HeaderAccept), typeJSON, typeEvents, typeCSV, typeText)
	switch c.QueryParam("format") {
	case "json":
		form = typeJSON
		download(c, x, "json")
	case "csv":
		form = typeCSV
		download(c, x, csvFormat.extension)
	case "text":
		form = typeText
		download(c, x, textFormat.extension)
	}
	switch form {
	case typeEvents:
		return s.streamRun(c, x, lastEventID(c), false)
	case typeCSV:
		return s.streamTable(c, x, csvFormat)
	case typeText:
		return s.streamTable(c, x, textFormat)
	}
	if !x.wait(c.Request().Context()) {
		return nil
	}
	st := x.state()
	return s.sendOutput(c, x, resultOf(st), st)
}

// download has a browser keep the answer as a file.
func download(c echo.Context, x *run, extension string) {
	c.Response().Header().Set(echo.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="confluence-run-%d.%s"`, x.number, extension))
}

// apiCancel is DELETE /api/v1/runs/{id}.
func (s *Server) apiCancel(c echo.Context) error {
	x, err := s.ownRun(c)
	if err != nil {
		return err
	}
	x.cancel()
	return c.NoContent(http.StatusNoContent)
}
