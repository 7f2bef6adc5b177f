package main

import (
	"context"
	"fmt"
	"os"
)

// measureRequests compares status calls with a bare handler of net/http, in turns, since the machine's speed changes. The best of each counts.
func measureRequests(ctx context.Context, p plan, t *table) error {
	kinds := []string{"http", "ours", "ours-log"}
	clients, servers := map[string]*child{}, map[string]*child{}
	for _, kind := range kinds {
		server, err := startChild(ctx, "serve", kind)
		if err != nil {
			return err
		}
		defer server.stop()
		crowd, err := startChild(ctx, "crowd", server.hello)
		if err != nil {
			return err
		}
		defer crowd.stop()
		if kind != "http" {
			if _, err := crowd.ask("join 1000"); err != nil {
				return err
			}
		}
		clients[kind], servers[kind] = crowd, server
	}
	best := map[string]float64{}
	for range 4 {
		for _, kind := range kinds {
			profileOf(servers[kind], kind, "status")
			calls, err := clients[kind].number("load 2 32")
			if err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
			profileOf(servers[kind], kind, "status")
			fmt.Fprintf(os.Stderr, "  %s: %.0f calls a second\n", kind, calls)
			best[kind] = max(best[kind], calls)
		}
	}
	t.add(row{What: "status calls, request log off", Ours: best["ours"], Unit: "/s", Against: "bare net/http handler", Floor: best["http"], Goal: 0.8, More: true})
	t.add(row{What: "status calls, request log on", Ours: best["ours-log"], Unit: "/s", Against: "bare net/http handler", Floor: best["http"], More: true})
	return nil
}
