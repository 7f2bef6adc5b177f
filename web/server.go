// Package web is Confluence over HTTP: pages, JSON, event streams and websockets over one AdmissionController.
package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

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

// Server serves the waiting room.
type Server struct {
	o    Options
	log  *slog.Logger
	runs *runs
	live *liveRoom
	done chan struct{} // closed by Stop: every stream ends
}

// New makes a Server; it errs on an option that can't be.
func New(o Options) (*Server, error) { panic("soon") }

// Handler is everything that is served on the public address.
func (s *Server) Handler() http.Handler { panic("soon") }

// Stop ends every stream and socket (1012) and the runs' keeping, and waits until ctx ends. It is idempotent.
func (s *Server) Stop(ctx context.Context) error { panic("soon") }
