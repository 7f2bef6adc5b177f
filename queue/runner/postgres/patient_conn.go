package postgres

import (
	"io"
	"net"
	"sync"
	"time"
)

// patientConn is a connection whose Close waits until the server has closed it, too. A server's process does so at its very end, so that
// after Close nothing is left of it.
type patientConn struct {
	net.Conn
	once sync.Once
	err  error
}

// closePatience bounds the wait. What has been cancelled ends within milliseconds; the bound is for a network that is gone.
const closePatience = 5 * time.Second

// Close is idempotent.
func (c *patientConn) Close() error {
	c.once.Do(func() {
		if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil &&
			c.Conn.SetReadDeadline(time.Now().Add(closePatience)) == nil {
			_, _ = io.Copy(io.Discard, c.Conn) // ends at the server's close, or gives up
		}
		c.err = c.Conn.Close()
	})
	return c.err
}

// lose closes a connection to a server that can't be reached, without any wait.
func lose(conn net.Conn) {
	if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secure.NetConn()
	}
	if patient, ok := conn.(*patientConn); ok {
		patient.once.Do(func() { patient.err = patient.Conn.Close() })
		return
	}
	_ = conn.Close()
}
