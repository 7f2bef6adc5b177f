package web

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"confluence/queue"
	"confluence/views/i18n"
)

// registerDeskAPI adds what scripts do for the operator.
func (s *Server) registerDeskAPI(e *echo.Echo) {
	get(e, adminAPI, s.withToken(s.apiDesk))
	e.POST(adminAPI+"/pause", s.withToken(s.apiPaused(true)))
	e.DELETE(adminAPI+"/pause", s.withToken(s.apiPaused(false)))
	e.PUT(adminAPI+"/notice", s.withToken(s.apiNotice))
	e.DELETE(adminAPI+"/notice", s.withToken(s.apiNoNotice))
}

// apiDesk is GET /api/v1/admin: what the desk shows.
func (s *Server) apiDesk(c echo.Context) error {
	picture, err := s.o.Controller.Picture(c.Request().Context())
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, typeJSON, append(appendDesk(nil, picture, s.hour.sum()), '\n'))
}

// appendDesk appends the JSON of the operator's desk.
func appendDesk(b []byte, p queue.Picture, hour hourSum) []byte {
	b = appendPicture(append(b, `{"queue":`...), p)
	b = append(b, `,"slots":[`...)
	for i, slot := range p.Taken {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"number":`...), slot.Number, 10)
		b = appendString(append(b, `,"state":`...), string(slot.State))
		b = appendDuration(append(b, `,"for_seconds":`...), slot.For)
		b = append(b, '}')
	}
	b = strconv.AppendFloat(append(b, `],"last_hour":{"slot_use":`...), hour.use, 'f', 3, 64)
	b = strconv.AppendInt(append(b, `,"called":`...), int64(hour.called), 10)
	b = strconv.AppendInt(append(b, `,"lapsed":`...), int64(hour.lapsed), 10)
	return append(b, '}', '}')
}

// apiPaused is POST and DELETE /api/v1/admin/pause.
func (s *Server) apiPaused(paused bool) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := s.setPaused(c, paused); err != nil {
			return err
		}
		return c.NoContent(http.StatusNoContent)
	}
}

// apiNotice is PUT /api/v1/admin/notice.
func (s *Server) apiNotice(c echo.Context) error {
	var document struct {
		Notice *string `json:"notice"`
	}
	if _, err := s.readJSON(c, &document); err != nil {
		return err
	}
	if document.Notice == nil {
		return refuse(errInvalidJSON, i18n.Msg("problem.invalid_json.notice"))
	}
	notice, err := noticeOf(*document.Notice)
	if err != nil {
		return err
	}
	if err := s.setNotice(c, notice); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// apiNoNotice is DELETE /api/v1/admin/notice.
func (s *Server) apiNoNotice(c echo.Context) error {
	if err := s.setNotice(c, ""); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
