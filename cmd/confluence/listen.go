package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"
)

// listen opens the address of that setting. A peer that vanished without a word is noticed soon after the heartbeat: the system probes a silent connection.
func listen(ctx context.Context, flag, address string, heartbeat time.Duration) (net.Listener, error) {
	probe := max(heartbeat/4, time.Second) // the first, and then three without an answer
	config := net.ListenConfig{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: probe, Interval: probe, Count: 3},
	}
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, listenTrouble(flag, address, err)
	}
	return listener, nil
}

func listenTrouble(flag, address string, err error) error {
	another := fmt.Sprintf("choose another with --%s (%s)", flag, envName(flag))
	var dns *net.DNSError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("the address %s is in use: stop what listens there, or %s", address, another)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("the address %s is not allowed for this user (ports below 1024 seldom are): %s", address, another)
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.As(err, &dns):
		return fmt.Errorf("the address %s is not one of this machine: %s", address, another)
	}
	return fmt.Errorf("the address %s can't be opened: %w", address, err)
}
