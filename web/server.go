// Package web is Confluence over HTTP: pages, JSON, event streams and websockets over one AdmissionController.
package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"confluence/queue"
	"confluence/queue/runner"
)

// Options are the parts and limits of a Server.
type Options struct {
	Controller     *queue.AdmissionController
	Runner         runner.Runner
	SessionKeys    [][]byte      // the first signs, all verify; at least one of 32 bytes or more
	RunTimeout     time.Duration // a run's time limit; above 0
	RunUnwatched   time.Duration // a page's run that nobody watches for so long ends as disconnected; 0: the heartbeat
	MaxQueryBytes  int64         // above 0
	MaxResultBytes int64         // above 0
	Logger         *slog.Logger  // nil: slog.Default()
	RequestLog     bool          // one line a request
}

// Server serves the waiting room. Make one with New and Stop it at the end.
type Server struct {
	o           Options
	log         *slog.Logger
	now         func() time.Time
	beat        time.Duration // how often an open stream is a heartbeat
	handler     http.Handler
	sessions    *sessionStores
	crossOrigin *http.CrossOriginProtection
	runs        *runs
	live        *liveRoom
	streams     *streams
	done        chan struct{} // closed by Stop: every stream ends
	stopOnce    sync.Once
}

// New makes a Server; it errs on an option that can't be.
func New(o Options) (*Server, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	heartbeat := o.Controller.Config().Heartbeat
	if o.RunUnwatched == 0 {
		o.RunUnwatched = heartbeat
	}
	stores, err := newSessionStores(o.SessionKeys)
	if err != nil {
		return nil, err
	}
	s := &Server{
		o: o, log: o.Logger, now: time.Now, beat: heartbeat / 3, sessions: stores,
		crossOrigin: http.NewCrossOriginProtection(), streams: newStreams(), done: make(chan struct{}),
	}
	s.runs = newRuns(o, s.log, s.now)
	s.live = newLiveRoom(s)

	e := echo.New()
	e.HTTPErrorHandler = s.handleError
	s.register(e)
	s.handler = e
	return s, nil
}

func (o Options) validate() error {
	switch {
	case o.Controller == nil:
		return errors.New("a server needs a controller")
	case o.Runner == nil:
		return errors.New("a server needs a runner")
	case o.RunTimeout <= 0:
		return fmt.Errorf("run timeout is %v: it must be above 0", o.RunTimeout)
	case o.RunUnwatched < 0:
		return fmt.Errorf("run unwatched is %v: it must be above 0, or 0 for the heartbeat", o.RunUnwatched)
	case o.MaxQueryBytes <= 0:
		return fmt.Errorf("max query bytes is %d: it must be above 0", o.MaxQueryBytes)
	case o.MaxResultBytes <= 0:
		return fmt.Errorf("max result bytes is %d: it must be above 0", o.MaxResultBytes)
	}
	return nil
}

// Handler is everything that is served on the public address. Its http.Server must have neither a ReadTimeout nor a WriteTimeout, which
// would end long runs and streams; reading a body and each write are bounded here.
func (s *Server) Handler() http.Handler { return s.handler }

// Stop ends every run (queue.ErrRunInterrupted), stream and socket (1012), and waits for them until ctx ends, whose error it then returns.
// It is idempotent.
func (s *Server) Stop(ctx context.Context) error {
	s.stopOnce.Do(func() { close(s.done) })
	sockets := make(chan error, 1)
	go func() { sockets <- s.live.stop(ctx) }() // at once, however long a run takes
	return errors.Join(s.runs.stop(ctx), s.streams.stop(ctx), <-sockets)
}
