package web

import (
	"io"
	"mime"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"confluence/views/i18n"
)

const (
	formField = "query"
	formPage  = "page" // is in the forms of our pages, each of which has set the session's cookie
	// formGrowth is how much longer a text is in a form at most: a line feed is sent as %0D%0A.
	formGrowth = 6
	formRest   = 4 << 10 // bytes of a form beside the text
)

// sentText is the text that a form sent.
type sentText struct {
	text    string
	present bool // the form has the field, be it empty
	page    bool // one of our pages sent it
}

// formText reads the text of a form. It errs with errTooLarge, and then the text is as much of it as can be kept, and with
// errUnsupportedMediaType.
func (s *Server) formText(c echo.Context) (sentText, error) {
	fields, whole, err := readForm(c, s.o.MaxQueryBytes*formGrowth+formRest)
	if err != nil {
		return sentText{}, err
	}
	values, present := fields[formField]
	sent := sentText{present: present, page: fields.Has(formPage)}
	if present {
		// Browsers send the lines of a text with CRLF between them, whatever their author typed.
		sent.text = strings.ReplaceAll(values[0], "\r\n", "\n")
	}
	sent.text = strings.ToValidUTF8(sent.text, "\uFFFD")
	switch {
	case !whole:
		sent.text = sent.text[:wholeRunes(sent.text, int(s.o.MaxQueryBytes))]
		return sent, errTooLarge
	case int64(len(sent.text)) > s.o.MaxQueryBytes:
		return sent, errTooLarge
	}
	return sent, nil
}

// readForm reads the fields of a form of at most limit bytes. whole is false for a longer one, of which the first part is read.
func readForm(c echo.Context, limit int64) (fields url.Values, whole bool, err error) {
	r := c.Request()
	if kind := r.Header.Get(echo.HeaderContentType); kind != "" {
		media, _, err := mime.ParseMediaType(kind)
		if err != nil || media != echo.MIMEApplicationForm {
			return nil, false, errUnsupportedMediaType
		}
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil {
		return nil, false, refuse(errUnsupportedMediaType, i18n.Msg("problem.unsupported_media_type.cut"))
	}
	if whole = int64(len(body)) <= limit; whole {
		bodyArrived(c)
	}
	text := string(body)
	if !whole {
		text = text[:limit]
		if i := strings.LastIndexByte(text[len(text)-2:], '%'); i >= 0 {
			text = text[:len(text)-2+i]
		}
	}
	return formFields(text), whole, nil
}

// formFields reads an urlencoded form as browsers do (https://url.spec.whatwg.org/#urlencoded-parsing): a semicolon is a character, and a percent sign
// that encodes nothing is one, too. net/url would refuse both, and with them the text of a client that doesn't encode like a browser.
func formFields(form string) url.Values {
	fields := url.Values{}
	for field := range strings.SplitSeq(form, "&") {
		if name, value, _ := strings.Cut(field, "="); field != "" {
			fields.Add(unescapeField(name), unescapeField(value))
		}
	}
	return fields
}

func unescapeField(s string) string {
	if text, err := url.QueryUnescape(s); err == nil {
		return text
	}
	var b strings.Builder
	for s != "" {
		part, rest := s[:1], s[1:]
		if s[0] == '%' && len(s) >= 3 {
			part, rest = s[:3], s[3:]
		}
		if text, err := url.QueryUnescape(part); err == nil {
			part = text
		} else {
			part, rest = s[:1], s[1:]
		}
		b.WriteString(part)
		s = rest
	}
	return b.String()
}
