package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gorilla/securecookie"
	"github.com/labstack/echo/v4"

	"confluence/views"
)

// longestNotice is in characters: what a wall screen has room for.
const longestNotice = 280

// registerDesk adds the operator's desk, if there is one: pages for who has signed in, calls for scripts that send the token. What changes
// something is a POST that leads back to the desk, which shows what is so then.
func (s *Server) registerDesk(e *echo.Echo) {
	if s.desk == nil {
		return
	}
	get(e, "/admin", s.atDesk(s.pageDesk))
	get(e, signInAddress, s.pageSignIn)
	e.POST(signInAddress, s.postSignIn)
	e.POST("/admin/sign-out", s.atDesk(s.postSignOut))
	e.POST("/admin/pause", s.atDesk(s.postPaused(true)))
	e.POST("/admin/resume", s.atDesk(s.postPaused(false)))
	e.POST("/admin/notice", s.atDesk(s.postNotice))
	e.POST("/admin/notice/remove", s.atDesk(s.postNoNotice))
	s.registerDeskAPI(e)
}

// pageDesk is GET /admin.
func (s *Server) pageDesk(c echo.Context) error {
	return s.showDesk(c, http.StatusOK, "", nil)
}

// showDesk shows the desk, with a notice that was refused, and why.
func (s *Server) showDesk(c echo.Context, status int, draft string, fault error) error {
	picture, err := s.o.Controller.Picture(c.Request().Context())
	if err != nil {
		return err
	}
	p := s.presenter(c)
	p.here = "/admin"
	return s.render(c, status, views.DeskPage(p.desk(picture, s.hour.sum(), s.now(), draft, fault)))
}

// pageSignIn is GET /admin/sign-in.
func (s *Server) pageSignIn(c echo.Context) error {
	if s.desk.signedIn(c) != "" {
		return see(c, "/admin")
	}
	return s.showSignIn(c, http.StatusOK, "")
}

func (s *Server) showSignIn(c echo.Context, status int, fault string) error {
	p := s.presenter(c)
	p.here = signInAddress
	return s.render(c, status, views.SignInPage(p.signIn(fault)))
}

// postSignIn is POST /admin/sign-in: exchanges the token for a cookie.
func (s *Server) postSignIn(c echo.Context) error {
	fields, _, err := readForm(c, formRest)
	if err != nil {
		return err
	}
	l := s.language(c)
	right, wait := s.desk.admits(networkOf(c), strings.TrimSpace(fields.Get("token")))
	switch {
	case wait > 0:
		s.metrics.refused(errRateLimited)
		c.Response().Header().Set(echo.HeaderRetryAfter, strconv.Itoa(wholeSeconds(wait)))
		return s.showSignIn(c, http.StatusTooManyRequests, l.Say("admin.signIn.often", "time", roundUp(wait)))
	case !right:
		s.metrics.refused(errInvalidToken)
		s.logDesk(c, "a wrong operator's token was refused")
		return s.showSignIn(c, http.StatusForbidden, l.Say("admin.signIn.wrong"))
	}
	value, err := securecookie.EncodeMulti(s.desk.cookie, []byte(newSessionID()), s.desk.codecs...)
	if err != nil {
		return err
	}
	s.setDeskCookie(c, value)
	s.logDesk(c, "the operator has signed in")
	return see(c, "/admin")
}

// postSignOut is POST /admin/sign-out.
func (s *Server) postSignOut(c echo.Context) error {
	s.desk.signOut(s.desk.signedIn(c))
	s.logDesk(c, "the operator has signed out")
	s.setDeskCookie(c, "")
	return see(c, signInAddress)
}

// postPaused is POST /admin/pause and POST /admin/resume.
func (s *Server) postPaused(paused bool) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := s.setPaused(c, paused); err != nil {
			return err
		}
		return see(c, "/admin")
	}
}

// postNotice is POST /admin/notice.
func (s *Server) postNotice(c echo.Context) error {
	fields, whole, err := readForm(c, formRest)
	if err != nil {
		return err
	}
	draft := fields.Get("notice")
	notice, err := noticeOf(draft)
	if !whole {
		err = errNoticeTooLong
	}
	if errors.Is(err, errInvalidNotice) {
		s.metrics.refused(err)
		return s.showDesk(c, http.StatusUnprocessableEntity, draft, err)
	}
	if err := s.setNotice(c, notice); err != nil {
		return err
	}
	return see(c, "/admin")
}

// postNoNotice is POST /admin/notice/remove.
func (s *Server) postNoNotice(c echo.Context) error {
	if err := s.setNotice(c, ""); err != nil {
		return err
	}
	return see(c, "/admin")
}

// setPaused pauses the line or has it go on.
func (s *Server) setPaused(c echo.Context, paused bool) error {
	if err := s.o.Controller.SetPaused(c.Request().Context(), paused); err != nil {
		return err
	}
	s.logDesk(c, map[bool]string{true: "the operator has paused the line", false: "the operator has the line go on"}[paused])
	return nil
}

// setNotice posts a notice, or takes it back if it is empty.
func (s *Server) setNotice(c echo.Context, notice string) error {
	if err := s.o.Controller.SetNotice(c.Request().Context(), notice); err != nil {
		return err
	}
	if notice == "" {
		s.logDesk(c, "the operator has taken the notice back")
	} else {
		s.logDesk(c, "the operator has posted a notice", "notice", notice)
	}
	return nil
}

// noticeOf is a text as a notice: one paragraph, with words in it. It errs with errNoNotice and errNoticeTooLong.
func noticeOf(text string) (string, error) {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Join(strings.Fields(text), " ")
	switch {
	case !strings.ContainsFunc(text, isSeen): // zero-width characters alone are an empty box on the wall
		return "", errNoNotice
	case utf8.RuneCountInString(text) > longestNotice:
		return "", errNoticeTooLong
	}
	return text, nil
}

func isSeen(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }
