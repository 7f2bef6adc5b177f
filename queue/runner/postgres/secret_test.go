package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"confluence/queue/runner"
	"confluence/queue/runner/postgres/postgrestest"
	"confluence/queue/runner/runnertest"
)

// A password is in no error, log or description, however wrong its URL is.
func TestPasswordIsSecret(t *testing.T) {
	const secret = "hunter2-hunter2"
	right := server.URL("reader", "library")
	swap := func(part, by string) string { return strings.Replace(right, part, by, 1) }
	escaped := url.UserPassword("reader", postgrestest.Password).String()
	for name, c := range map[string]struct {
		url  string
		is   error
		says string
	}{
		"wrong password":    {swap(escaped, "reader:"+secret), ErrDatabase, "28P01"},
		"unknown role":      {swap(escaped, "nobody:"+secret), ErrDatabase, "28P01"},
		"unknown database":  {swap("/library", "/none"), ErrDatabase, "3D000"},
		"no number":         {swap(fmt.Sprint(server.Port), secret), ErrOptions, "can't be read"},
		"bad escape":        {"postgres://reader:" + secret + "%zz@127.0.0.1/library", ErrOptions, "can't be read"},
		"at sign":           {"postgres://reader:" + secret + "@" + secret + "@127.0.0.1:x/library", ErrOptions, "can't be read"},
		"unknown sslmode":   {right + "?sslmode=" + secret, ErrOptions, "can't be read"},
		"password at query": {"postgres://reader@127.0.0.1/library?port=x&password=" + secret, ErrOptions, "can't be read"},
		"no URL":            {secret, ErrOptions, "must begin with postgres://"},
		"rows":              {"postgres://reader:" + secret + "@127.0.0.1/", ErrOptions, "MaxRows"},
	} {
		var log bytes.Buffer
		options := Options{URL: c.url, Logger: slog.New(slog.NewTextHandler(&log, nil))}
		if name == "rows" {
			options.MaxRows = -1
		}
		if err := CheckURL(c.url); errors.Is(c.is, ErrOptions) && name != "rows" && !errors.Is(err, ErrOptions) || c.is == ErrDatabase && err != nil {
			t.Errorf("%s: the URL alone: %v", name, err)
		}
		_, err := New(options)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v with %q", name, err, c.is, c.says)
		}
		said := fmt.Sprintf("%v %+v %#v %s", err, err, err, &log)
		for _, password := range []string{secret, postgrestest.Password, url.QueryEscape(postgrestest.Password)} {
			if strings.Contains(said, password) {
				t.Errorf("%s: the password is in %s", name, said)
			}
		}
	}
}

func TestUnreachableSaysWhere(t *testing.T) {
	var log bytes.Buffer
	r := newRunner(t, Options{URL: "postgres://reader:hunter2@127.0.0.1:1/library", Logger: slog.New(slog.NewTextHandler(&log, nil))})
	err := r.Run(context.Background(), runner.Query{Text: "SELECT 1"}, new(runnertest.Recorder))
	if !errors.Is(err, runner.ErrUnavailable) || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Error(err)
	}
	said := fmt.Sprint(err, r, r.Describe(), &log)
	if strings.Contains(said, "hunter2") || !strings.Contains(said, "not available yet") {
		t.Error(said)
	}
}

// An operator is warned of a role that may do too much.
func TestWarnsOfPower(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	newRunner(t, Options{Logger: logger})
	if log.Len() > 0 {
		t.Errorf("about the reader: %s", &log)
	}
	newRunner(t, Options{URL: server.SocketURL("library"), Logger: logger})
	if !strings.Contains(log.String(), "is a superuser") {
		t.Errorf("about the superuser: %s", &log)
	}
	log.Reset()
	if err := server.Exec(t.Context(), "library", "CREATE ROLE nosy LOGIN PASSWORD '"+postgrestest.Password+"' IN ROLE pg_read_server_files"); err != nil {
		t.Fatal(err)
	}
	newRunner(t, Options{URL: server.URL("nosy", "library"), Logger: logger})
	if !strings.Contains(log.String(), "is a member of pg_read_server_files") {
		t.Errorf("about a member: %s", &log)
	}
}
