package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"confluence/queue"
	"confluence/queue/sqlitestore"
	"confluence/web"
)

const (
	stopWithin        = 15 * time.Second // bounds a graceful stop
	readWithin        = 10 * time.Second // of that: for those who read, so that time is left for saving
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute // of a kept-alive connection between two requests
	maxHeaderBytes    = 64 << 10
)

// app is one Confluence: the parts, put together. Start, then Wait, then Stop.
type app struct {
	settings settings
	log      *slog.Logger
	out      io.Writer // what a person at a terminal is told

	temporary  *temporaryFolder   // for what runs leave, and in place of a data folder; nil: none of it is needed
	stored     *sqlitestore.Store // the line in the data folder; nil: it is in memory
	runner     *openedRunner
	controller *queue.AdmissionController
	web        *web.Server
	server     *http.Server
	listener   net.Listener
	served     chan error     // how serving ended
	metrics    *metricsServer // nil: nobody asks for metrics

	stop    sync.Once
	stopErr error
}

func newApp(s settings, log *slog.Logger, out io.Writer) *app {
	return &app{settings: s, log: log, out: out}
}

// Start opens the address first, so that one in use is found before anything is made, and answers on it once everything is ready.
// After an error Stop takes back what was started. The context bounds the start alone.
func (a *app) Start(ctx context.Context) error {
	certificate, err := a.settings.certificate()
	if err != nil {
		return err
	}
	if a.settings.DataDir == "" || a.settings.Runner == runnerCommand {
		if a.temporary, err = makeTemporary(); err != nil {
			return err
		}
	}
	folder, err := a.openFolder()
	if err != nil {
		return err
	}
	listener, err := listen(ctx, "addr", a.settings.Addr, a.settings.Heartbeat)
	if err != nil {
		return err
	}
	a.listener = newRoomyListener(listener, connectionsAtMost(), a.log)
	if a.settings.MetricsAddr != "" {
		if a.metrics, err = listenForMetrics(ctx, a.settings.MetricsAddr, a.settings.Heartbeat); err != nil {
			return err
		}
	}
	if a.runner, err = a.openRunner(ctx, folder); err != nil {
		return err
	}
	if err := a.openLine(ctx, folder); err != nil {
		return err
	}
	folder.sweep() // the folder is ours alone from here on
	keys := a.settings.SessionKeys
	if len(keys) == 0 {
		key, err := folder.sessionKey()
		if err != nil {
			return err
		}
		keys = [][]byte{key}
	}
	brand, err := a.settings.brand()
	if err != nil {
		return err
	}
	a.web, err = web.New(web.Options{
		Controller:     a.controller,
		Runner:         a.runner.Runner,
		SessionKeys:    keys,
		RunTimeout:     a.settings.RunTimeout,
		RunUnwatched:   a.settings.RunUnwatched,
		MaxQueryBytes:  int64(a.settings.MaxQueryBytes),
		MaxResultBytes: int64(a.settings.MaxResultBytes),
		PollBurst:      a.settings.PollBurst,
		PollRate:       a.settings.PollRate,
		Logger:         a.log,
		ResultTTL:      a.settings.ResultTTL,
		ResultFolder:   folder.results(),
		Lasting:        a.stored != nil,
		StopGrace:      a.settings.StopGrace,
		HealthEvery:    a.settings.Health,
		RequestLog:     a.settings.RequestLog,
		AdminToken:     a.settings.AdminToken,
		Door:           a.settings.door(),
		Brand:          brand,
	})
	if err != nil {
		return fmt.Errorf("the web server: %w", err)
	}
	a.settings.warn(a.log, a.settings.Addr)
	a.serve(certificate)
	if a.metrics != nil {
		a.metrics.serve(a.web.Metrics(versionName()), a.log)
	}
	a.welcome(folder, a.runner.words)
	return nil
}

// serve answers requests, in a goroutine that ends with Stop, over TLS if there is a certificate. There is no time limit for writing: event
// streams stay open.
func (a *app) serve(certificate *tls.Config) {
	a.server = &http.Server{
		Handler:           a.web.Handler(),
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		ConnContext:       web.ConnContext,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
		TLSConfig:         certificate,
	}
	a.served = make(chan error, 1)
	go func() {
		if certificate != nil {
			a.served <- a.server.ServeTLS(a.listener, "", "") // HTTP/2, too
			return
		}
		a.served <- a.server.Serve(a.listener)
	}()
}

// Wait returns when ctx ends, or with an error when serving does.
func (a *app) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-a.served:
		a.served <- err
		return fmt.Errorf("serving ended: %w", err)
	case err := <-a.metrics.ended():
		a.metrics.served <- err
		return fmt.Errorf("serving metrics ended: %w", err)
	}
}

// Stop ends what Start began, and returns when it has ended: first a drain (see drain), and then, within 15 seconds or when ctx ends, no new
// connections, the streams, the runs that are left, and what requests are left. It is idempotent.
func (a *app) Stop(ctx context.Context) error {
	a.stop.Do(func() {
		a.drain(ctx)
		ctx, cancel := context.WithTimeout(ctx, stopWithin)
		defer cancel()
		a.stopErr = a.stopParts(ctx)
	})
	return a.stopErr
}

// drain has nobody called any more and the sockets' clients told to come back, and waits for the runs that go, for the time that the operator gives
// them or until ctx ends. Until then the address is open: for who follows a run, and for the load balancer that asks whether we are ready.
func (a *app) drain(ctx context.Context) {
	if a.web == nil {
		return
	}
	a.web.Drain()
	ctx, cancel := context.WithTimeout(ctx, a.settings.Drain)
	defer cancel()
	if err := a.controller.Drain(ctx); err != nil {
		a.log.Warn("stopping without waiting any longer", "drain", a.settings.Drain, "err", err)
	}
}

// cutOff says that clients who didn't read or write to the end were cut off, which is no failure of the stop.
func (a *app) cutOff(what string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		a.log.Warn("stopping cut off who had not ended", "what", what)
		return nil
	}
	return err
}

func (a *app) stopParts(ctx context.Context) error {
	var errs []error
	readers, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	requests := make(chan error, 1)
	if a.server != nil {
		go func() { requests <- a.server.Shutdown(readers) }() // closes the listener at once, then waits for requests
	} else {
		requests <- nil
		if a.listener != nil {
			errs = append(errs, a.listener.Close())
		}
	}
	if a.web != nil {
		errs = append(errs, a.cutOff("streams", a.web.Stop(readers)))
	}
	if a.controller != nil {
		errs = append(errs, a.controller.Stop(ctx))
	}
	if err := <-requests; err != nil {
		errs = append(errs, a.cutOff("requests", err), a.server.Close())
	}
	errs = append(errs, a.metrics.stop(readers)) // so late, since how a drain goes is worth watching
	if a.stored != nil {
		errs = append(errs, a.stored.Close(ctx)) // last, since requests and runs end in it
	}
	if a.served != nil {
		if err := <-a.served; !errors.Is(err, http.ErrServerClosed) {
			errs = append(errs, err)
		}
	}
	if a.runner != nil {
		errs = append(errs, a.runner.stop())
	}
	errs = append(errs, a.temporary.remove())
	return errors.Join(errs...)
}
