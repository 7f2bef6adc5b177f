package main

import (
	"context"
	"fmt"
	"os"
)

// socketFigures are what one kind of server costs, a socket.
type socketFigures struct {
	ticket  float64 // bytes held for a session with a ticket, before its socket is open
	socket  float64 // bytes held for the socket
	accept  float64 // nanoseconds of CPU to open it, the first message included
	tell    float64 // nanoseconds until the last has a message to all, the best round
	size    int     // bytes of a message
	opening float64 // seconds until all were open
}

func (f socketFigures) browser() float64 { return f.ticket + f.socket }

// measureSockets opens all sockets of each kind of server in turn.
func measureSockets(ctx context.Context, p plan, t *table) error {
	figures := map[string]socketFigures{}
	size := 0
	for _, run := range []struct{ name, kind, how string }{
		{"ours", "ours", "plain"}, {"compress", "ours", "compress"}, {"gws", "gws", "plain"}, {"gorilla", "gorilla", "plain"}, {"tcp", "tcp", "raw"},
	} {
		f, err := socketsOf(ctx, p, run.kind, run.how, size)
		if err != nil {
			return fmt.Errorf("%s: %w", run.name, err)
		}
		if size == 0 {
			size = f.size
		}
		fmt.Fprintf(os.Stderr, "  %s: %+v\n", run.name, f)
		figures[run.name] = f
	}
	f, compress, gws, gorilla, tcp := figures["ours"], figures["compress"], figures["gws"], figures["gorilla"], figures["tcp"]
	lean := min(gws.socket, gorilla.socket)
	what := fmt.Sprintf("%d open", p.sockets)
	t.add(row{What: "memory of a waiting browser, " + what, Ours: f.browser() / 1024, Unit: "KiB", Against: "12 KiB", Floor: 12, Goal: 1})
	t.add(row{What: "the same, compression offered", Ours: compress.browser() / 1024, Unit: "KiB", Against: "without", Floor: f.browser() / 1024, Goal: 1.05})
	t.add(row{What: "its socket alone (transport)", Ours: f.socket / 1024, Unit: "KiB", Against: "the leanest of gws, gorilla", Floor: lean / 1024, Goal: 1.8})
	t.add(row{What: "opening a socket, CPU", Ours: f.accept / 1e3, Unit: "µs", Against: "gws", Floor: gws.accept / 1e3, Goal: 1.35})
	t.add(row{What: "a notice to all, until the last has it, " + what, Ours: f.tell / 1e6, Unit: "ms", Against: "raw TCP writes", Floor: tcp.tell / 1e6, Goal: 1.15})
	t.add(row{What: "the same, of gws", Ours: gws.tell / 1e6, Unit: "ms", Against: "raw TCP writes", Floor: tcp.tell / 1e6})
	return nil
}

func socketsOf(ctx context.Context, p plan, kind, how string, size int) (f socketFigures, err error) {
	server, err := startChild(ctx, "serve", kind)
	if err != nil {
		return f, err
	}
	defer server.stop()
	clients, err := startChild(ctx, "crowd", server.hello)
	if err != nil {
		return f, err
	}
	defer clients.stop()
	ask := func(of *child, format string, args ...any) (n float64) {
		if err == nil {
			n, err = of.number(format, args...)
		}
		return n
	}
	if size > 0 {
		ask(server, "size %d", size)
	}
	n := float64(p.sockets)
	ask(clients, "open 0 %s", how)
	empty := ask(server, "held")
	if kind == "ours" {
		ask(clients, "join %d", p.sockets)
	}
	joined := ask(server, "held")
	used := ask(server, "cpu")
	profileOf(server, kind, "accept")
	f.opening = ask(clients, "open %d %s", p.sockets, how)
	profileOf(server, kind, "accept")
	f.accept = (ask(server, "cpu") - used) / n
	f.size = int(ask(clients, "size 0"))
	open := ask(server, "held")
	if os.Getenv("PEERBENCH_PROFILE") != "" {
		_, _ = server.ask("profile heap %s/%s-heap.pprof", os.Getenv("PEERBENCH_PROFILE"), kind)
	}
	f.ticket, f.socket = (joined-empty)/n, (open-joined)/n
	profileOf(server, kind, "tell")
	for round := 1; round <= p.rounds; round++ {
		begin := ask(server, "tell %d", round)
		took := ask(clients, "await %d", round) - begin
		if round == 1 || took < f.tell {
			f.tell = took
		}
	}
	profileOf(server, kind, "tell")
	if lost := ask(clients, "lost 0"); err == nil && lost > 0 {
		err = fmt.Errorf("%v sockets were lost", lost)
	}
	return f, err
}

// profileOf begins or ends a profile of a server, for who wants to know where its time goes: PEERBENCH_PROFILE names the folder.
func profileOf(server *child, kind, part string) {
	if folder := os.Getenv("PEERBENCH_PROFILE"); folder != "" {
		_, _ = server.ask("profile cpu %s/%s-%s.pprof", folder, kind, part)
	}
}
