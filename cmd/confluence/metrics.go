package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"
)

// scrapersAtMost is how many connections are open at a time, so that whoever reaches the address can't take the files that visitors need.
const scrapersAtMost = 16

// metricsServer answers /metrics, on a listener that visitors don't reach.
type metricsServer struct {
	listener net.Listener
	server   *http.Server // nil until serve
	served   chan error   // how serving ended
}

// listenForMetrics opens the address; nothing is answered until serve.
func listenForMetrics(ctx context.Context, address string, heartbeat time.Duration) (*metricsServer, error) {
	listener, err := listen(ctx, "metrics-addr", address, heartbeat)
	if err != nil {
		return nil, err
	}
	return &metricsServer{listener: netutil.LimitListener(listener, scrapersAtMost), served: make(chan error, 1)}, nil
}

// serve answers, in a goroutine that ends with stop.
func (m *metricsServer) serve(metrics http.Handler, log *slog.Logger) {
	paths := http.NewServeMux()
	paths.Handle("GET /metrics", metrics)
	m.server = &http.Server{
		Handler: paths, ReadHeaderTimeout: readHeaderTimeout, IdleTimeout: idleTimeout, WriteTimeout: time.Minute, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	go func() { m.served <- m.server.Serve(m.listener) }()
}

// stop closes the address and waits until nobody is answered any more; when ctx ends first, who is left is cut off.
func (m *metricsServer) stop(ctx context.Context) error {
	if m == nil {
		return nil
	}
	if m.server == nil {
		return m.listener.Close()
	}
	if m.server.Shutdown(ctx) != nil {
		_ = m.server.Close() // cut off
	}
	if err := <-m.served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ended tells how serving ended by itself; it never does if there are no metrics.
func (m *metricsServer) ended() <-chan error {
	if m == nil {
		return nil
	}
	return m.served
}
