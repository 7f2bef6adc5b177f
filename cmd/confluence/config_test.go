package main

import (
	"bytes"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// asked parses a command line that must be fine.
func asked(t *testing.T, environ []string, args ...string) invocation {
	t.Helper()
	var out, errs bytes.Buffer
	got, err := parse(args, environ, &out, &errs)
	if err != nil {
		t.Fatalf("%q with %q: %v", args, environ, err)
	}
	return got
}

func TestSettingsDefaults(t *testing.T) {
	got := asked(t, nil)
	want := settings{
		Addr: "127.0.0.1:8080", DataDir: "./data",
		doorSettings:   doorSettings{MaxSockets: 18_000, MaxKeptBytes: 64 << 20},
		runnerSettings: runnerSettings{Runner: "sql", CommandMemory: 4 << 30},
		Reservation:    time.Minute, Heartbeat: 30 * time.Second, MaxLength: 1000, Slots: 1, PollBurst: 20, PollRate: 2,
		RunTimeout: 5 * time.Minute, StopGrace: 10 * time.Second, Health: 5 * time.Second,
		MaxQueryBytes: 1 << 20, MaxResultBytes: 16 << 20, ResultTTL: time.Hour, Drain: 30 * time.Second,
		LogLevel: slog.LevelInfo, LogFormat: formatAuto,
	}
	if got.command != "serve" {
		t.Errorf("confluence alone is %q, want serve", got.command)
	}
	if !reflect.DeepEqual(got.Serve, want) {
		t.Errorf("the defaults are %+v\nwant %+v", got.Serve, want)
	}
}

func TestSettingsFromEnvironmentAndFlags(t *testing.T) {
	environ := []string{
		"CONFLUENCE_WEB_QUEUE_SLOTS=3", "CONFLUENCE_WEB_QUEUE_HEARTBEAT_SECONDS=2.5", "CONFLUENCE_WEB_QUEUE_MAX_LENGTH=0",
		"CONFLUENCE_WEB_REQUEST_LOG=true", "CONFLUENCE_WEB_ADDR=", "HOME=/", "CONFLUENCE_WEB_LOG_LEVEL=Debug",
		"CONFLUENCE_WEB_SESSION_KEYS=" + strings.Repeat("a", 32) + ", " + strings.Repeat("b", 40),
	}
	got := asked(t, environ, "serve", "--queue-slots=2", "--run-unwatched-seconds", "7", "--database", "x.sqlite").Serve
	if got.Slots != 2 {
		t.Errorf("slots are %d: the flag must win over the environment", got.Slots)
	}
	if got.Heartbeat != 2500*time.Millisecond || got.MaxLength != 0 || !got.RequestLog || got.LogLevel != slog.LevelDebug {
		t.Errorf("the environment was not read: %+v", got)
	}
	if got.Addr != "127.0.0.1:8080" {
		t.Errorf("an empty value gave the address %q, want the default", got.Addr)
	}
	if got.RunUnwatched != 7*time.Second || got.Database != "x.sqlite" {
		t.Errorf("the flags were not read: %+v", got)
	}
	if len(got.SessionKeys) != 2 || len(got.SessionKeys[0]) != 32 || len(got.SessionKeys[1]) != 40 {
		t.Errorf("the session keys are %q", got.SessionKeys)
	}
}

func TestSettingsWrong(t *testing.T) {
	cases := []struct {
		flag, value string
		want        []string // in the message, beside the names
	}{
		{"queue-slots", "0", []string{`"0"`, "1 or more"}},
		{"queue-slots", "-1", []string{`"-1"`, "1 or more"}},
		{"queue-slots", "two", []string{`"two"`, "whole number"}},
		{"queue-slots", "1.5", []string{`"1.5"`, "whole number"}},
		{"queue-max-length", "-1", []string{`"-1"`, "0 or more"}},
		{"queue-reservation-seconds", "0", []string{`"0"`, "from 0.001 to"}},
		{"poll-burst", "0", []string{`"0"`, "1 or more"}},
		{"polls-per-second", "1000000001", []string{"1000000000 at most"}},
		{"queue-reservation-seconds", "1m", []string{`"1m"`, "number of seconds"}},
		{"queue-heartbeat-seconds", "-3", []string{`"-3"`, "number of seconds"}},
		{"queue-heartbeat-seconds", "NaN", []string{`"NaN"`, "number of seconds"}},
		{"queue-heartbeat-seconds", "Inf", []string{`"Inf"`, "31536000"}},
		{"run-timeout-seconds", "1e300", []string{`"1e300"`, "31536000"}},
		{"run-unwatched-seconds", "0", []string{`"0"`, "0.001"}},
		{"max-query-bytes", "4611686018427387904", []string{"1073741824 at most"}},
		{"max-result-bytes", "9223372036854775807", []string{"1099511627776 at most"}},
		{"max-kept-bytes", "9223372036854775807", []string{"1099511627776 at most"}},
		{"max-sockets", "9223372036854775807", []string{"1000000000 at most"}},
		{"queue-slots", "9223372036854775807", []string{"1000000000 at most"}},
		{"poll-burst", "9223372036854775807", []string{"1000000000 at most"}},
		{"max-query-bytes", "0", []string{`"0"`, "1 or more"}},
		{"max-result-bytes", "16MiB", []string{`"16MiB"`, "whole number"}},
		{"addr", "8080", []string{`"8080"`, "host:port"}},
		{"addr", "localhost:http", []string{`"localhost:http"`, "65535"}},
		{"addr", "localhost:65536", []string{`"localhost:65536"`, "65535"}},
		{"data-dir", " ", []string{`" "`, "a name"}},
		{"admin-token", "fifteen-letters", []string{"it has 15 characters", "16 characters or more"}},
		{"admin-token", "a token with spaces", []string{"no letter, digit or sign", "without spaces"}},
		{"metrics-addr", "9090", []string{`"9090"`, "host:port"}},
		{"log-level", "loud", []string{`"loud"`, "debug, info, warn or error"}},
		{"log-format", "xml", []string{`"xml"`, "auto, text or json"}},
		{"request-log", "perhaps", []string{`"perhaps"`, "true or false"}},
	}
	for _, c := range cases {
		t.Run(c.flag+"="+c.value, func(t *testing.T) {
			var out, errs bytes.Buffer
			sources := map[string]func() int{
				"flag": func() int { return run([]string{"--" + c.flag + "=" + c.value}, nil, nil, &out, &errs) },
				"environment": func() int {
					return run(nil, []string{envName(c.flag) + "=" + c.value}, nil, &out, &errs)
				},
			}
			for source, start := range sources {
				out.Reset()
				errs.Reset()
				if code := start(); code != exitMisused {
					t.Errorf("by %s: exit code %d, want %d", source, code, exitMisused)
				}
				said := errs.String()
				if strings.Count(said, "\n") != 1 || out.Len() > 0 {
					t.Errorf("by %s: not one line: %q and %q", source, said, out.String())
				}
				for _, part := range append(c.want, "--"+c.flag, envName(c.flag)) {
					if !strings.Contains(said, part) {
						t.Errorf("by %s: %q is not in %q", source, part, said)
					}
				}
			}
		})
	}
}

// Times and rates that harm who polls as they are told are doubted, and taken nevertheless.
func TestDoubtfulPolls(t *testing.T) {
	for line, doubts := range map[string]int{
		"":                               0,
		"--polls-per-second=1":           0,
		"--queue-heartbeat-seconds=1":    1,
		"--queue-reservation-seconds=.5": 1,
		"--queue-heartbeat-seconds=5":    0,
		"--queue-heartbeat-seconds=5 --polls-per-second=1":               1,
		"--queue-reservation-seconds=3 --poll-burst=1":                   1,
		"--queue-heartbeat-seconds=1 --polls-per-second=1":               2,
		"--queue-heartbeat-seconds=6 --queue-reservation-seconds=4":      0,
		"--queue-heartbeat-seconds=2 --queue-reservation-seconds=2":      0,
		"--queue-heartbeat-seconds=0.001 --queue-reservation-seconds=60": 1,
	} {
		var out bytes.Buffer
		asked, err := parse(append([]string{"serve"}, strings.Fields(line)...), nil, &out, &out)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got := asked.Serve.doubts(); len(got) != doubts {
			t.Errorf("%s: %q", line, got)
		}
	}
}

func TestSessionKeysAreNotPrinted(t *testing.T) {
	var out, errs bytes.Buffer
	code := run(nil, []string{"CONFLUENCE_WEB_SESSION_KEYS=" + strings.Repeat("a", 32) + ",hunter2"}, nil, &out, &errs)
	if said := errs.String(); code != exitMisused || strings.Contains(said, "hunter2") || !strings.Contains(said, "key 2 has 7 characters") {
		t.Errorf("exit code %d, %q", code, said)
	}
}

func TestDatabaseURLIsNotPrinted(t *testing.T) {
	var out, errs bytes.Buffer
	code := run(nil, []string{"CONFLUENCE_WEB_DATABASE=postgres://reader:hunter2%zz@127.0.0.1/library"}, nil, &out, &errs)
	if said := errs.String(); code != exitMisused || strings.Contains(said, "hunter2") || !strings.Contains(said, "a URL that can't be read") {
		t.Errorf("exit code %d, %q", code, said)
	}
}

func TestUnknownSettingsAreFound(t *testing.T) {
	got := asked(t, []string{"CONFLUENCE_WEB_QUEUE_SLOT=2", "CONFLUENCE_WEB_ADDR=:0", "CONFLUENCE_WEB_HELP=1", "CONFLUENCE_OTHER=1"})
	if want := []string{"CONFLUENCE_WEB_HELP", "CONFLUENCE_WEB_QUEUE_SLOT"}; !slices.Equal(got.unknown, want) {
		t.Errorf("unknown are %q, want %q", got.unknown, want)
	}
}

func TestCommandLine(t *testing.T) {
	cases := []struct {
		args []string
		code int
		out  string // in the output
		errs string // in the errors
	}{
		{[]string{"--help"}, exitDone, "replay", ""},
		{[]string{"serve", "--help"}, exitDone, "CONFLUENCE_WEB_QUEUE_RESERVATION_SECONDS", ""},
		{[]string{"help"}, exitDone, "replay", ""},
		{[]string{"version"}, exitDone, "confluence ", ""},
		{[]string{"--version"}, exitDone, "confluence ", ""},
		{[]string{"--nonsense"}, exitMisused, "", "unknown flag --nonsense"},
		{[]string{"srve"}, exitMisused, "", "unexpected argument srve"},
		{[]string{"--database=x.sqlite", "--documents=x"}, exitMisused, "", "are both set"},
		{[]string{"--queue-slots"}, exitMisused, "", "--queue-slots wants a value"},
		{[]string{"replay"}, exitMisused, "", "<file>"},
		{[]string{"replay", "no/such/file"}, replayUnreadable, "", "no/such/file"},
	}
	for _, c := range cases {
		var out, errs bytes.Buffer
		code := run(c.args, nil, strings.NewReader(""), &out, &errs)
		if code != c.code || !strings.Contains(out.String(), c.out) || !strings.Contains(errs.String(), c.errs) {
			t.Errorf("%q: exit code %d, %q and %q", c.args, code, out.String(), errs.String())
		}
	}
}

// TestRevisionStartsAtTheWallClock: so it never falls over a restart.
func TestRevisionStartsAtTheWallClock(t *testing.T) {
	first, second := time.Unix(1_800_000_000, 0), time.Unix(1_800_000_001, 0)
	s := asked(t, nil).Serve
	if a, b := s.line(first).Revision, s.line(second).Revision; a != 1_800_000_000_000 || b-a != 1000 {
		t.Errorf("the first revisions are %d and %d", a, b)
	}
}
