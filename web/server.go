// Package web is Confluence over HTTP: pages, JSON, event streams and websockets over one AdmissionController.
package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"confluence/queue"
	"confluence/queue/runner"
	"confluence/views"
)

// Options are the parts and limits of a Server.
type Options struct {
	Controller     *queue.AdmissionController
	Runner         runner.Runner
	SessionKeys    [][]byte      // the first signs, all verify; at least one of 32 bytes or more
	RunTimeout     time.Duration // a run's time limit; above 0
	RunUnwatched   time.Duration // a page's run that nobody watches for so long ends as disconnected; 0: the heartbeat
	MaxQueryBytes  int64         // above 0, 1 GiB at most
	MaxResultBytes int64         // above 0, 1 TiB at most
	ResultTTL      time.Duration // how long a run is kept after its end; 0: an hour
	ResultFolder   string        // where long answers lie, and runs outlive a restart; made at need; empty: all are kept in memory
	Lasting        bool          // the line outlives a restart: pages may promise a place over one
	StopGrace      time.Duration // a run that hasn't stopped so long after it was told to makes its slot unhealthy; 0: 10 s
	HealthEvery    time.Duration // between two checks of the runner, and the time limit of each; 0: 5 s
	PollBurst      int           // status calls and joins that a session may make at once; 0: 20
	PollRate       int           // and a second, in the long run; 0: 2
	Logger         *slog.Logger  // nil: slog.Default()
	RequestLog     bool          // one line a request
	AdminToken     string        // opens the operator's desk; 16 characters or more; empty: there is none
	Door           Door
	Brand          Brand
}

// Server serves the waiting room. Make one with New and Stop it at the end.
type Server struct {
	o           Options
	log         *slog.Logger
	now         func() time.Time
	progress    progress      // of the line, for readyz
	beat        time.Duration // how often an open stream is a heartbeat
	handler     http.Handler
	chain       echo.HandlerFunc // what is around every handler, and leads to it
	sessions    *sessionStores
	door        *door
	description description
	brand       views.Brand
	joinCode    []byte // of the address where browsers find the form; nil: that is not known
	newcomers   *newcomers
	runs        *runs
	keys        *queryKeys
	pace        *pace
	health      *supervisor
	live        *liveRoom
	metrics     *metrics
	hour        *lastHour
	desk        *deskDoor // nil: the operator has no desk
	streams     *streams
	draining    atomic.Bool
	done        chan struct{} // closed by Stop: every stream ends
	stopOnce    sync.Once
}

const (
	defaultResultTTL   = time.Hour
	defaultStopGrace   = 10 * time.Second
	defaultHealthEvery = 5 * time.Second
)

// New makes a Server, whose health checks begin at once; it errs on an option that can't be.
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
	o.ResultTTL = cmp.Or(o.ResultTTL, defaultResultTTL)
	o.StopGrace = cmp.Or(o.StopGrace, defaultStopGrace)
	o.HealthEvery = cmp.Or(o.HealthEvery, defaultHealthEvery)
	door, err := newDoor(o.Door)
	if err != nil {
		return nil, err
	}
	stores, err := newSessionStores(o.SessionKeys)
	if err != nil {
		return nil, err
	}
	var desk *deskDoor
	if o.AdminToken != "" {
		if desk, err = newDeskDoor(o.AdminToken, o.SessionKeys, door, time.Now); err != nil {
			return nil, err
		}
	}
	var folder *resultFolder
	if o.ResultFolder != "" {
		if folder, err = openResultFolder(o.ResultFolder); err != nil {
			return nil, err
		}
	}
	s := &Server{
		o: o, log: o.Logger, now: time.Now, beat: heartbeat / 3, sessions: stores, health: newSupervisor(o), metrics: newMetrics(), desk: desk,
		door: door, description: door.describe(), streams: newStreams(), done: make(chan struct{}),
	}
	if door.origin != "" {
		if s.joinCode, err = joinCode(door.origin + door.BasePath + "/"); err != nil {
			return nil, err
		}
	}
	s.runs = newRuns(o, folder, s.health, s.metrics, s.now)
	restored, err := s.runs.restore()
	if err != nil {
		return nil, errors.Join(err, s.health.stop(context.Background()))
	}
	s.brand = o.Brand.view()
	s.keys = newQueryKeys(s.now)
	s.keys.restore(restored)
	s.pace = newPace(cmp.Or(o.PollBurst, defaultPollBurst), time.Second/time.Duration(cmp.Or(o.PollRate, defaultPollRate)), s.now)
	s.newcomers = newNewcomers(door, o.Controller, s.now)
	s.live = newLiveRoom(s)
	s.hour = newLastHour(o.Controller.Config().Slots, s.now)
	o.Controller.Observe(func(changes []queue.Change) {
		s.metrics.observe(changes)
		s.hour.observe(changes)
	})

	e := echo.New()
	e.IPExtractor = o.Door.extractor()
	e.HTTPErrorHandler = s.handleError
	s.register(e)
	s.handler = door.below(e)
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
	case o.ResultTTL < 0:
		return fmt.Errorf("result TTL is %v: it must be above 0, or 0 for an hour", o.ResultTTL)
	case o.StopGrace < 0:
		return fmt.Errorf("stop grace is %v: it must be above 0, or 0 for 10 seconds", o.StopGrace)
	case o.HealthEvery < 0:
		return fmt.Errorf("health every is %v: it must be above 0, or 0 for 5 seconds", o.HealthEvery)
	case o.PollBurst < 0 || o.PollRate < 0 || o.PollBurst > 1e9 || o.PollRate > 1e9:
		return fmt.Errorf("polls are %d at once and %d a second: neither may be below 0, or above a billion", o.PollBurst, o.PollRate)
	case o.MaxQueryBytes <= 0 || o.MaxQueryBytes > 1<<30:
		return fmt.Errorf("max query bytes is %d: it must be above 0, and 1 GiB at most", o.MaxQueryBytes)
	case o.MaxResultBytes <= 0 || o.MaxResultBytes > 1<<40:
		return fmt.Errorf("max result bytes is %d: it must be above 0, and 1 TiB at most", o.MaxResultBytes)
	}
	return nil
}

// Handler is everything that is served on the public address. Its http.Server must have neither a ReadTimeout nor a WriteTimeout, which
// would end long runs and streams; reading a body and each write are bounded here.
func (s *Server) Handler() http.Handler { return s.handler }

// Drain begins a stop, without waiting: the server says that it isn't ready, lets no socket in any more and tells every open one to come back
// (1012). Joins and claims are refused as soon as the controller drains. All else is answered until Stop, and the runs go on for their readers.
func (s *Server) Drain() {
	s.draining.Store(true)
	s.runs.drain()
	s.live.dismiss()
}

// Stop ends every run (queue.ErrRunInterrupted), stream and socket (1012) and the health checks, and waits for them until ctx ends, whose error it
// then returns. The runs that were kept are there again in the next process, if there is a folder for them. It is idempotent.
func (s *Server) Stop(ctx context.Context) error {
	s.Drain()
	s.stopOnce.Do(func() { close(s.done) })
	sockets, checks := make(chan error, 1), make(chan error, 1)
	go func() { sockets <- s.live.stop(ctx) }() // at once, however long a run takes
	go func() { checks <- s.health.stop(ctx) }()
	err := errors.Join(s.runs.stop(ctx), s.streams.stop(ctx), <-sockets, <-checks)
	s.runs.drop() // after the streams, which may have been reading them
	return err
}
