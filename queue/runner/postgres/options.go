package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Options are what New needs. Only URL is required.
type Options struct {
	// URL is postgres://role:password@host:port/database?sslmode=…, as libpq has it. What it leaves out comes from libpq's variables
	// (PGPASSWORD, PGSSLROOTCERT, …) and files (~/.pgpass). It is never written to a log or an error.
	URL string
	// MaxRows is how many rows an answer has at most. 0: 100,000.
	MaxRows int
	// MaxBytes is how large an answer gets at most, in bytes of its values as text. 0: 16 MiB.
	MaxBytes int64
	// ConnectTimeout is how long opening a connection may take. 0: 5 seconds.
	ConnectTimeout time.Duration
	// CheckTimeout is how long a check may take. 0: 2 seconds.
	CheckTimeout time.Duration
	// Logger is told when the role may do too much, or the server is not there at the start. nil: slog.Default().
	Logger *slog.Logger
}

const (
	defaultMaxRows        = 100_000
	defaultMaxBytes       = 16 << 20
	defaultConnectTimeout = 5 * time.Second
	defaultCheckTimeout   = 2 * time.Second
)

// IsURL says whether the text names a PostgreSQL database.
func IsURL(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// CheckURL says whether a URL can be read, without a connection. Errors: ErrOptions (wrapped).
func CheckURL(text string) error {
	o, err := Options{URL: text}.complete()
	if err == nil {
		_, err = o.connectConfig()
	}
	return err
}

// complete validates the options and fills in what was left out.
func (o Options) complete() (Options, error) {
	switch {
	case !IsURL(o.URL):
		return o, fmt.Errorf("%w: the URL must begin with postgres://", ErrOptions)
	case o.MaxRows < 0:
		return o, fmt.Errorf("%w: MaxRows is %d, it can't be negative", ErrOptions, o.MaxRows)
	case o.MaxBytes < 0:
		return o, fmt.Errorf("%w: MaxBytes is %d, it can't be negative", ErrOptions, o.MaxBytes)
	case o.ConnectTimeout < 0:
		return o, fmt.Errorf("%w: ConnectTimeout is %v, it can't be negative", ErrOptions, o.ConnectTimeout)
	case o.CheckTimeout < 0:
		return o, fmt.Errorf("%w: CheckTimeout is %v, it can't be negative", ErrOptions, o.CheckTimeout)
	}
	if o.MaxRows == 0 {
		o.MaxRows = defaultMaxRows
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = defaultConnectTimeout
	}
	if o.CheckTimeout == 0 {
		o.CheckTimeout = defaultCheckTimeout
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o, nil
}

// sessionSettings make values come as texts that don't depend on the server's configuration, and a plan for all rows, not the first ones.
var sessionSettings = map[string]string{
	"application_name":              "confluence",
	"client_encoding":               "UTF8",
	"default_transaction_read_only": "on",
	"DateStyle":                     "ISO",
	"IntervalStyle":                 "postgres",
	"bytea_output":                  "hex",
	"extra_float_digits":            "1",
	"cursor_tuple_fraction":         "1",
}

// oneRow is what the message of a row may have beyond the values, and what an error may have at all, in bytes.
const oneRow = 1 << 20

// connectConfig is how connections are opened. Its error says nothing of the URL, which may hold a password in the wrong place.
func (o Options) connectConfig() (*pgconn.Config, error) {
	config, err := pgconn.ParseConfig(o.URL)
	if err != nil {
		return nil, fmt.Errorf("%w: the URL can't be read: it is postgres://role:password@host:port/database, with characters that have "+
			"a meaning in URLs written as %%40 and the like, and an sslmode that libpq knows", ErrOptions)
	}
	for name, value := range sessionSettings {
		config.RuntimeParams[name] = value
	}
	// The bytes of a bytea come in twice as many digits.
	config.MaxProtocolMessageBodyLen = int(2*o.MaxBytes) + oneRow
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &patientConn{Conn: conn}, nil
	}
	return config, nil
}
