package openai

import (
	"io"
	"net"
	"net/http"
	"time"
)

const (
	connectTimeout   = 5 * time.Second
	headerBytes      = 64 << 10
	refusalBodyBytes = 64 << 10 // of what a server says when it doesn't answer
)

// newHTTPClient makes the client of all requests. Each request has a connection of its own: one that was left open may be dead, and such a
// request must not be sent twice.
func newHTTPClient() *http.Client {
	dialer := &net.Dialer{Timeout: connectTimeout, Control: control}
	return &http.Client{
		Transport: modest{&http.Transport{
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    connectTimeout,
			DisableKeepAlives:      true,
			DisableCompression:     true, // little bytes that become many
			MaxResponseHeaderBytes: headerBytes,
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// modest cuts the body of a refusal, which is read as a whole.
type modest struct{ http.RoundTripper }

func (m modest) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := m.RoundTripper.RoundTrip(request)
	if err == nil && response.StatusCode >= http.StatusBadRequest {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(response.Body, refusalBodyBytes), response.Body}
	}
	return response, err
}
