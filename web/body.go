package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"confluence/views/i18n"
)

// bodyTimeout is how long a body may take to arrive. It is a deadline of the reading alone: one of the whole request would end long runs.
const bodyTimeout = 30 * time.Second

// readQuery reads {"query": "…"}, a body that may also be absent; given tells whether there is a text. The body is read to its end whatever
// is in it, because only then the server notices that its sender has gone.
func (s *Server) readQuery(c echo.Context) (text string, given bool, err error) {
	var document struct {
		Query *string `json:"query"`
	}
	if there, err := s.readJSON(c, &document); err != nil || !there || document.Query == nil {
		return "", false, err
	}
	if int64(len(*document.Query)) > s.o.MaxQueryBytes {
		return "", false, s.tooLarge()
	}
	if strings.TrimSpace(*document.Query) == "" {
		return "", false, errInvalidQuery
	}
	return *document.Query, true, nil
}

// readJSON reads an object in JSON; there is false without a body.
func (s *Server) readJSON(c echo.Context, document any) (there bool, err error) {
	body, err := s.readBody(c)
	if err != nil || len(body) == 0 {
		return false, err
	}
	if coding := c.Request().Header.Get(echo.HeaderContentEncoding); coding != "" && !strings.EqualFold(coding, "identity") {
		return false, refuse(errUnsupportedMediaType, i18n.Msg("problem.unsupported_media_type.encoded"))
	}
	media, _, err := mime.ParseMediaType(c.Request().Header.Get(echo.HeaderContentType))
	if err != nil || media != echo.MIMEApplicationJSON && !strings.HasSuffix(media, "+json") {
		return false, errUnsupportedMediaType
	}
	if !utf8.Valid(body) {
		return false, errInvalidJSON
	}
	if err := json.Unmarshal(body, document); err != nil {
		return false, refuse(errInvalidJSON, jsonDetail(err))
	}
	if bytes.Equal(bytes.TrimSpace(body), []byte("null")) { // which the decoder takes for any type
		return false, refuse(errInvalidJSON, i18n.Msg("problem.invalid_json.null"))
	}
	return true, nil
}

func (s *Server) readBody(c echo.Context) ([]byte, error) {
	r := c.Request()
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	// JSON may need six bytes for one of the text.
	limit := 6*s.o.MaxQueryBytes + 1024
	body, err := io.ReadAll(http.MaxBytesReader(c.Response().Writer, r.Body, limit))
	if err == nil {
		bodyArrived(c)
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, s.tooLarge()
	case err != nil:
		return nil, refuse(errInvalidJSON, i18n.Msg("problem.invalid_json.cut"))
	}
	return body, nil
}

// bodyArrived takes the body's deadline (boundBody) away. One that didn't arrive whole keeps it: net/http reads on after the answer.
func bodyArrived(c echo.Context) {
	_ = http.NewResponseController(c.Response()).SetReadDeadline(time.Time{}) // what can't have one is no network connection
}

func (s *Server) tooLarge() error {
	return refuse(errTooLarge, i18n.Msg("problem.too_large.most", "most", i18n.Bytes(s.o.MaxQueryBytes)))
}

// jsonDetail says where a body stops being what it should be.
func jsonDetail(err error) i18n.Message {
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return i18n.Msg("problem.invalid_json.byte", "byte", strconv.FormatInt(syntax.Offset, 10))
	case errors.As(err, &mistyped) && mistyped.Field == "query":
		return i18n.Msg("problem.invalid_json.string")
	case errors.As(err, &mistyped) && mistyped.Field == "notice":
		return i18n.Msg("problem.invalid_json.notice")
	default:
		return i18n.Msg("problem.invalid_json.object")
	}
}
