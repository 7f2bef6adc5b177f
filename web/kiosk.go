package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"confluence/queue"
	"confluence/static"
	"confluence/views"
)

// kioskSilence is the longest time between two messages to a kiosk. A screen that hears nothing for longer knows that its numbers are old.
const kioskSilence = 15 * time.Second

// pageKiosk is GET /kiosk: the screen on the wall. It needs no session and makes none.
func (s *Server) pageKiosk(c echo.Context) error {
	picture, err := s.o.Controller.Picture(c.Request().Context())
	if err != nil {
		return err
	}
	page := s.presenter(c).kiosk(picture, s.door.shown(c.Request()), s.now())
	if s.joinCode != nil {
		page.Code = joinCodePath
	}
	page.Theme = themeOf(c.QueryParam("theme"))
	page.Chime = c.QueryParam("chime") == "1"
	return s.render(c, http.StatusOK, views.KioskPage(page))
}

// themeOf is the colour scheme that an address asks for; empty: what the screen prefers.
func themeOf(asked string) string {
	if asked == "light" || asked == "dark" {
		return asked
	}
	return ""
}

// liveKiosk is GET /live/kiosk: the public picture, then each change of it, and again after a silence.
func (s *Server) liveKiosk(c echo.Context) error {
	k, err := s.live.accept(c)
	if k == nil {
		return err
	}
	k.guest = guest{kiosk: true, address: networkOf(c)}
	s.live.enter(k, func() { s.serveKiosk(k) })
	return nil
}

func (s *Server) serveKiosk(k *socket) {
	feed := &kioskFeed{server: s, socket: k}
	k.feed = feed
	k.repeat = s.live.repeats.add(k)
	feed.stop = s.o.Controller.WatchPicture(feed.show)
	k.wake()
	k.pulse = s.live.pings.add(k)
}

// kioskFeed is what one screen on a wall is shown.
type kioskFeed struct {
	server *Server
	socket *socket
	stop   func() // the controller's telling

	mu     sync.Mutex
	newest *queue.Picture // not sent yet; nil: there is none, and the picture is read
}

func (f *kioskFeed) show(p queue.Picture) {
	f.mu.Lock()
	f.newest = &p
	f.mu.Unlock()
	f.socket.wake()
}

func (f *kioskFeed) alive(context.Context) {}

func (f *kioskFeed) end() { f.stop() }

// message is the picture as it is, with the build that shows it, so that a screen can load a newer one.
func (f *kioskFeed) message(ctx context.Context, b []byte) []byte {
	f.mu.Lock()
	p := f.newest
	f.newest = nil
	f.mu.Unlock()
	if p == nil {
		read, err := f.server.o.Controller.Picture(ctx)
		if err != nil {
			if ctx.Err() == nil {
				f.server.log.Error("a kiosk could not read the line", "err", err)
			}
			return b // it will know by the silence
		}
		p = &read
	}
	return appendPictureMessage(b, *p, static.Build())
}
