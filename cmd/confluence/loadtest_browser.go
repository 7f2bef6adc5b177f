package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"time"

	"github.com/coder/websocket"
)

const (
	// As the pages do: the first try to come back is spread over some seconds, and the pauses grow to the longest.
	backSpread  = 5 * time.Second
	backLongest = 15 * time.Second
	// socketConnect is when a socket that doesn't open is given up. A page is more patient with its server than with a test's crowd.
	socketConnect  = 30 * time.Second
	socketLongest  = 64 << 10 // bytes of one message
	doubleClickers = 0.1      // of the browsers, share
)

// browser plays a page with scripts: it loads pages, sends forms, holds a websocket while it waits, and starts its run by itself.
type browser struct {
	*player
	home *http.Client
	away time.Duration // since when its socket is broken; 0: it isn't
}

func (b *browser) visit(ctx context.Context, name, where string, form url.Values) (visited, time.Duration, time.Duration, error) {
	asked := b.test.now()
	got, err := b.test.target.visit(ctx, b.home, b.server.cookie, where, form)
	told := b.test.now()
	if err != nil {
		return got, asked, told, err
	}
	if got.cookie != "" {
		b.server.cookie = got.cookie
	}
	switch got.status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout: // for now, as it says
		if name != "join" {
			return got, asked, told, fmt.Errorf("%w: %s answers %d", errAskCut, where, got.status)
		}
	default:
		b.test.times.add(name, told-asked)
	}
	return got, asked, told, nil
}

func (b *browser) join(ctx context.Context) error {
	if b.server.cookie == "" {
		if _, _, _, err := b.visit(ctx, "page", "", nil); err != nil {
			return err
		}
	}
	got, asked, told, err := b.visit(ctx, "join", "query", url.Values{"query": {b.test.asked.Query}})
	switch {
	case err != nil:
		return err
	case got.status == http.StatusServiceUnavailable:
		return b.turnedAway(ctx)
	case got.status == http.StatusTooManyRequests:
		return fmt.Errorf("%w: the form is answered with %d", errAskCut, got.status)
	case got.status != http.StatusSeeOther:
		return fmt.Errorf("the form is answered with %d", got.status)
	case b.started(got, asked, told):
		return nil
	}
	if _, _, _, err = b.visit(ctx, "page", "wait", nil); err != nil {
		return err
	}
	b.view = askView{Status: "queued", TicketID: "?"} // the socket tells
	return nil
}

// turnedAway tells a line that is full from a server that is about to stop: both pages are answered with 503.
func (b *browser) turnedAway(ctx context.Context) error {
	var now publicPicture
	if err := b.server.call(ctx, http.MethodGet, "queue", nil, &now); err != nil {
		return err
	}
	if now.Full {
		return errFull
	}
	return fmt.Errorf("%w: the form is answered with 503", errAskCut)
}

// started knows of a run that a form has started.
func (b *browser) started(got visited, asked, told time.Duration) bool {
	id := runOf(got)
	if id == "" {
		return false
	}
	b.accepted(id, asked, told)
	return true
}

// await holds a socket, and comes back when it breaks, until the ticket is called or gone.
func (b *browser) await(ctx context.Context) error {
	b.following = "socket"
	trouble := time.Now()
	for failed := 0; ; failed++ {
		heard, err := b.watch(ctx)
		if err == nil || ctx.Err() != nil || !errors.Is(err, errAskCut) {
			return err
		}
		if heard {
			failed, b.away, trouble = 0, b.test.now(), time.Now()
		}
		if time.Since(trouble) > askPatience {
			return fmt.Errorf("%w: %v", errGaveUp, err)
		}
		span := min(backSpread<<min(failed, 8), backLongest)
		pause := time.Duration(b.rand.Float64() * float64(span))
		if failed > 0 {
			pause = span/2 + pause/2
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// watch reads one socket: nil when the ticket is called. heard tells whether there was a message.
func (b *browser) watch(ctx context.Context) (heard bool, err error) {
	asked := b.test.now()
	opening := asked
	dialing, cancel := context.WithTimeout(ctx, socketConnect)
	defer cancel()
	conn, _, err := websocket.Dial(dialing, b.test.target.origin()+b.test.target.root.Path+"live", &websocket.DialOptions{
		HTTPClient:   b.home,
		HTTPHeader:   http.Header{"Cookie": {b.server.cookie}, "Origin": {b.test.target.origin()}},
		Subprotocols: []string{"confluence.v1"},
		OnPingReceived: func(context.Context, []byte) bool {
			b.answered.Store(int64(b.test.now()))
			return true
		},
	})
	if err != nil {
		return false, fmt.Errorf("%w: %w", errAskCut, err)
	}
	defer conn.CloseNow()
	b.test.sockets.Add(1)
	defer b.test.sockets.Add(-1)
	b.answered.Store(-1)
	conn.SetReadLimit(socketLongest)
	for {
		_, text, err := conn.Read(ctx)
		if err != nil {
			if code := websocket.CloseStatus(err); code >= 1000 {
				err = fmt.Errorf("closed with %d", code)
			}
			return heard, fmt.Errorf("%w: %w", errAskCut, err)
		}
		told := b.test.now()
		var message struct {
			Type   string `json:"type"`
			Reason string `json:"reason"`
			askView
		}
		if err := json.Unmarshal(text, &message); err != nil {
			return heard, fmt.Errorf("the socket says %q: %w", text, err)
		}
		if message.Type != "standing" {
			return true, &ticketGone{reason: message.Reason, run: message.RunID}
		}
		if !heard {
			b.opened(opening, told)
		}
		heard = true
		b.saw(asked, told, message.askView)
		asked = told // what is told on a socket is told in order
		if b.view.Status != "queued" {
			return true, nil
		}
	}
}

// opened has heard the first message of a socket.
func (b *browser) opened(asked, told time.Duration) {
	b.seen = asked
	b.test.times.add("socket", told-asked)
	if b.away > 0 {
		b.test.times.add("back", told-b.away)
		b.away = 0
	}
}

// claim starts the turn; some click twice.
func (b *browser) claim(ctx context.Context) error {
	other := make(chan string, 1)
	double := b.rand.Float64() < doubleClickers
	if double {
		go func() {
			again, err := b.test.target.visit(ctx, b.home, b.server.cookie, "claim", url.Values{})
			if err != nil {
				again = visited{} // the first one tells
			}
			other <- runOf(again)
		}()
	}
	got, asked, told, err := b.visit(ctx, "claim", "claim", url.Values{})
	if double {
		if first, second := runOf(got), <-other; first != "" && second != "" && first != second {
			b.test.check.twice(b.view.Number, first, second)
		} else if first == "" && second != "" && err == nil {
			got, told = visited{status: http.StatusSeeOther, where: "/runs/" + second}, b.test.now()
		}
	}
	switch {
	case err != nil:
		return err
	case b.started(got, asked, told):
		return nil
	}
	err = b.status(ctx)
	if gone, ok := errors.AsType[*ticketGone](err); ok && gone.reason == "finished" && gone.run != "" {
		b.accepted(gone.run, asked, b.test.now())
		return nil
	}
	return err
}

// runOf is the run that a page leads to, if it does.
func runOf(got visited) string {
	if got.status != http.StatusSeeOther || path.Base(path.Dir(got.where)) != "runs" {
		return ""
	}
	return path.Base(got.where)
}

func (b *browser) leave(ctx context.Context) error {
	if b.server.cookie == "" {
		return nil
	}
	asked := b.test.now()
	got, err := b.test.target.visit(ctx, b.home, b.server.cookie, "leave", url.Values{})
	switch {
	case err != nil:
		return err
	case got.status != http.StatusSeeOther:
		return fmt.Errorf("%w: leaving is answered with %d", errAskCut, got.status)
	}
	b.test.times.add("leave", b.test.now()-asked)
	return nil
}
