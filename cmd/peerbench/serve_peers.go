package main

import (
	"net"
	"net/http"
	"sync"

	"github.com/gorilla/websocket"
	"github.com/lxzan/gws"
)

// gwsHost is gws with small buffers, as lean as it gets: the handler returns and one goroutine reads.
type gwsHost struct {
	gws.BuiltinEventHandler
	upgrader *gws.Upgrader

	mu    sync.Mutex
	conns []*gws.Conn
}

func newGWS() *gwsHost {
	h := &gwsHost{}
	h.upgrader = gws.NewUpgrader(h, &gws.ServerOption{ReadBufferSize: 256, WriteBufferSize: 256, ReadMaxPayloadSize: 1024})
	return h
}

func (h *gwsHost) OnPing(c *gws.Conn, payload []byte) { _ = c.WritePong(payload) }

func (h *gwsHost) serve(l net.Listener) error {
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := h.upgrader.Upgrade(w, r)
		if err != nil {
			return
		}
		h.mu.Lock()
		h.conns = append(h.conns, c)
		h.mu.Unlock()
		_ = c.WriteMessage(gws.OpcodeText, message(0, messageSize))
		go c.ReadLoop()
	}))
}

func (h *gwsHost) tell(round int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := gws.NewBroadcaster(gws.OpcodeText, message(round, messageSize))
	defer b.Close()
	for _, c := range h.conns {
		if err := b.Broadcast(c); err != nil {
			return err
		}
	}
	return nil
}

// gorillaHost is gorilla/websocket with small buffers and a pool for writing.
type gorillaHost struct {
	upgrader websocket.Upgrader

	mu    sync.Mutex
	conns []*websocket.Conn
}

func newGorilla() *gorillaHost {
	return &gorillaHost{upgrader: websocket.Upgrader{ReadBufferSize: 256, WriteBufferSize: 256, WriteBufferPool: &sync.Pool{}}}
}

func (h *gorillaHost) serve(l net.Listener) error {
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := h.upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		h.mu.Lock()
		h.conns = append(h.conns, c)
		h.mu.Unlock()
		_ = c.WriteMessage(websocket.TextMessage, message(0, messageSize))
		go func() {
			for {
				if _, _, err := c.NextReader(); err != nil {
					return
				}
			}
		}()
	}))
}

func (h *gorillaHost) tell(round int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	m, err := websocket.NewPreparedMessage(websocket.TextMessage, message(round, messageSize))
	if err != nil {
		return err
	}
	for _, c := range h.conns {
		if err := c.WritePreparedMessage(m); err != nil {
			return err
		}
	}
	return nil
}
