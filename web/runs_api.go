package web

import (
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"confluence/views/i18n"
)

// ownRun is the run that the address names, if it is the caller's.
func (s *Server) ownRun(c echo.Context) (*run, error) {
	x, ok := s.runs.get(s.session(c), c.Param("id"))
	if !ok {
		return nil, refuse(errNotFound, i18n.Msg("problem.not_found.run", "time", s.runs.ttl))
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
	document := runDocument{result: resultOf(st, s.language(c)), State: "running", Number: st.Number, Query: st.Query, Started: st.Started.UTC()}
	if !st.Going {
		ended := st.Ended.UTC()
		document.State, document.Ended, document.Outcome = "ended", &ended, &st.Outcome
	}
	if st.Stopping {
		document.State = "stopping" // its slot is still taken
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
		return s.downloadTable(c, x, csvFormat)
	case "text":
		return s.downloadTable(c, x, textFormat)
	}
	switch form {
	case typeEvents:
		return s.streamRun(c, x, int(lastEventID(c)), false)
	case typeCSV:
		return s.streamTable(c, x, csvFormat, false)
	case typeText:
		return s.streamTable(c, x, textFormat, false)
	}
	if !x.wait(c.Request().Context()) {
		return nil
	}
	st := x.state()
	return s.sendOutput(c, x, resultOf(st, s.language(c)), st)
}

// downloadTable is the file of an answer. Of a run that ended badly it is what there is, and its name says so.
func (s *Server) downloadTable(c echo.Context, x *run, format tableFormat) error {
	st := x.state()
	download(c, x, format.extension)
	if !st.Going {
		c.Response().Header().Set("Confluence-Outcome", string(st.Outcome))
	}
	return s.streamTable(c, x, format, !st.Going)
}

// download has a browser keep the answer as a file, whose name tells of one that is not whole.
func download(c echo.Context, x *run, extension string) {
	name := fmt.Sprintf("confluence-run-%d", x.number)
	if st := x.state(); !st.Going && st.incomplete() {
		name += "-incomplete"
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="%s.%s"`, name, extension))
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
