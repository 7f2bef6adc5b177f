package openai

import (
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// Options are what New needs. URL and Model are required.
type Options struct {
	// URL is the base URL of the protocol, mostly with /v1 at its end: "http://127.0.0.1:11434/v1".
	URL string
	// Model is the name of the model.
	Model string
	// Key is sent as bearer token. Empty: none is sent.
	Key string
	// SystemPrompt comes before each query. Empty: none is sent.
	SystemPrompt string
	// MaxBytes is how long an answer gets at most, in bytes of text; the request is cancelled there. 0: 16 MiB.
	MaxBytes int64
	// MaxSilence is how long the server may say nothing, before its answer and within. 0: 5 minutes.
	MaxSilence time.Duration
	// MaxTime is how long an answer may take, if ctx doesn't end it before. 0: 1 hour.
	MaxTime time.Duration
}

const (
	defaultMaxBytes   = 16 << 20
	defaultMaxSilence = 5 * time.Minute
	defaultMaxTime    = time.Hour
	endpoint          = "chat/completions"
)

// complete validates the options and fills in what was left out.
func (o Options) complete() (Options, error) {
	if o.URL == "" {
		return o, fmt.Errorf("%w: no URL is given", ErrOptions)
	}
	u, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return o, fmt.Errorf("%w: the URL can't be read", ErrOptions) // its error would tell what may be a secret
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return o, fmt.Errorf("%w: the URL must begin with http:// or https:// and a host", ErrOptions)
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return o, fmt.Errorf("%w: the URL can't have a user, a query or a fragment; a key has its own setting", ErrOptions)
	case strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/"+endpoint):
		return o, fmt.Errorf("%w: the URL is the base, without /%s", ErrOptions, endpoint)
	case o.Model == "":
		return o, fmt.Errorf("%w: no model is named", ErrOptions)
	case strings.ContainsFunc(o.Key, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsPrint(r) }):
		return o, fmt.Errorf("%w: the key has characters that can't be sent", ErrOptions)
	case o.MaxBytes < 0:
		return o, fmt.Errorf("%w: MaxBytes is %d, it can't be negative", ErrOptions, o.MaxBytes)
	case o.MaxSilence < 0:
		return o, fmt.Errorf("%w: MaxSilence is %v, it can't be negative", ErrOptions, o.MaxSilence)
	case o.MaxTime < 0:
		return o, fmt.Errorf("%w: MaxTime is %v, it can't be negative", ErrOptions, o.MaxTime)
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.MaxSilence == 0 {
		o.MaxSilence = defaultMaxSilence
	}
	if o.MaxTime == 0 {
		o.MaxTime = defaultMaxTime
	}
	return o, nil
}
