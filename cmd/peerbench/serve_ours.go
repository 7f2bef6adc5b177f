package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"confluence/queue"
	"confluence/queue/memory"
	"confluence/queue/runner"
	"confluence/web"
)

// ours is the real server: sessions, tickets, watches, all middleware.
type ours struct {
	line   *queue.AdmissionController
	server *web.Server
}

// endless runs until its context ends: the head of the line stays where it is.
type endless struct{}

func (endless) Describe() runner.Description { return runner.Description{Title: "the bench"} }

func (endless) Check(context.Context, runner.Query) error { return nil }

func (endless) Run(ctx context.Context, _ runner.Query, _ runner.Sink) error {
	<-ctx.Done()
	return ctx.Err()
}

func newOurs(log bool) (*ours, error) {
	store, err := memory.New(memory.Options{Config: queue.Config{Slots: 1, MaxLength: 1_000_000, Reservation: time.Hour, Heartbeat: 30 * time.Second}})
	if err != nil {
		return nil, err
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	line, err := queue.NewAdmissionController(queue.Options{Store: store, Logger: quiet})
	if err != nil {
		return nil, err
	}
	if err := line.Start(context.Background()); err != nil {
		return nil, err
	}
	server, err := web.New(web.Options{
		Controller: line, Runner: endless{}, SessionKeys: [][]byte{[]byte(strings.Repeat("k", 32))}, RunTimeout: time.Hour,
		MaxQueryBytes: 1 << 20, MaxResultBytes: 1 << 20, PollBurst: 1_000_000, PollRate: 1_000_000, Logger: quiet, RequestLog: log,
	})
	return &ours{line: line, server: server}, err
}

func (s *ours) serve(l net.Listener) error {
	// As cmd/confluence serves.
	server := &http.Server{
		Handler: s.server.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, ConnContext: web.ConnContext,
		MaxHeaderBytes: 64 << 10,
	}
	return server.Serve(l)
}

func (s *ours) tell(round int) error { return s.line.SetNotice(context.Background(), mark(round)) }
