package main

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"confluence/queue/runner/postgres"
	"confluence/web"
)

// settingError is a value that can't be: which setting, what it is, what it may be.
type settingError struct {
	flag    string
	value   string // as to be shown: quoted, or a description where the value is a secret
	allowed string
}

func (e *settingError) Error() string {
	return fmt.Sprintf("--%s (%s) is %s: it must be %s", e.flag, envName(e.flag), e.value, e.allowed)
}

// notAllowed is what a parser of settings returns for a value that can't be.
type notAllowed struct {
	shown   string // instead of the value; empty: the value itself
	allowed string
}

func (e notAllowed) Error() string { return "must be " + e.allowed }

// setting makes a mapper of kong from a function that reads one text.
func setting[T any](parse func(text string, tag *kong.Tag) (T, error)) kong.Mapper {
	return kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		token, err := ctx.Scan.PopValue(ctx.Value.Name)
		if err != nil {
			return err
		}
		if token.IsEOL() {
			return fmt.Errorf("--%s wants a value", ctx.Value.Name)
		}
		text := fmt.Sprint(token.Value)
		value, err := parse(text, ctx.Value.Tag)
		if err != nil {
			return notSet(ctx.Value.Name, text, err)
		}
		target.Set(reflect.ValueOf(value).Convert(target.Type()))
		return nil
	})
}

func notSet(flag, text string, err error) error {
	wrong, ok := errors.AsType[notAllowed](err)
	if !ok {
		return err
	}
	if wrong.shown == "" {
		wrong.shown = strconv.Quote(text)
	}
	return &settingError{flag: flag, value: wrong.shown, allowed: wrong.allowed}
}

// refusal is the one line that a wrong command line gets.
func refusal(err error) error {
	if wrong, ok := errors.AsType[*settingError](err); ok {
		return wrong
	}
	return fmt.Errorf("%w (confluence --help lists what there is)", err)
}

func parseText(text string, _ *kong.Tag) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", notAllowed{allowed: "a name"}
	}
	return text, nil
}

// parseFolder reads a path, or nothing, which is a value too.
func parseFolder(text string, tag *kong.Tag) (string, error) {
	if text == "" {
		return "", nil
	}
	return parseText(text, tag)
}

// parseDatabase reads the name of a file, or a URL, which may hold a password and is never shown.
func parseDatabase(text string, tag *kong.Tag) (string, error) {
	if postgres.IsURL(text) && postgres.CheckURL(text) != nil {
		return "", notAllowed{
			shown:   "a URL that can't be read",
			allowed: "postgres://role:password@host:port/database, with characters that have a meaning in URLs written as %40 and the like",
		}
	}
	return parseText(text, tag)
}

func parseAddress(text string, _ *kong.Tag) (string, error) {
	_, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return "", notAllowed{allowed: "host:port with a port from 0 (any free one) to 65535, such as 127.0.0.1:8080, or :8080 for every interface"}
	}
	return text, nil
}

const (
	shortest = time.Millisecond     // a time that a setting may have, unless its min says otherwise
	longest  = 365 * 24 * time.Hour // a year
	most     = 1_000_000_000        // of what is counted, unless the setting's max says otherwise
)

// parseSeconds reads a time that is at least the tag's min; one of 0 allows 0, and what is shortest.
func parseSeconds(text string, tag *kong.Tag) (time.Duration, error) {
	least := shortest.Seconds()
	if text := tag.Get("min"); text != "" && text != "0" {
		var err error
		if least, err = strconv.ParseFloat(text, 64); err != nil {
			return 0, fmt.Errorf("the tag min: %w", err)
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err == nil && n == 0 && tag.Get("min") == "0":
		return 0, nil
	case err != nil || math.IsNaN(n) || n > longest.Seconds() || n < least:
		return 0, notAllowed{allowed: fmt.Sprintf("a number of seconds from %v to %.0f, such as 60 or 7.5", least, longest.Seconds())}
	}
	return time.Duration(math.Round(n * float64(time.Second))), nil
}

// parseCount reads a whole number from the tag's min to its max.
func parseCount(text string, tag *kong.Tag) (int, error) {
	least, err := strconv.Atoi(tag.Get("min"))
	if err != nil {
		return 0, fmt.Errorf("the tag min: %w", err)
	}
	limit := most
	if text := tag.Get("max"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil {
			return 0, fmt.Errorf("the tag max: %w", err)
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > limit {
		return 0, notAllowed{allowed: fmt.Sprintf("a whole number, %d or more, and %d at most", least, limit)}
	}
	return n, nil
}

func parseShare(text string, _ *kong.Tag) (float64, error) {
	share, err := strconv.ParseFloat(text, 64)
	if err != nil || !(share >= 0 && share <= 1) {
		return 0, notAllowed{allowed: "a share from 0 to 1, such as 0.5"}
	}
	return share, nil
}

// shortestKey is how many characters a session key must have.
const shortestKey = 32

// parseKeys reads keys between commas. A key is used as it is written, so the text of one that was printed as base64 or hex is the key.
func parseKeys(text string, _ *kong.Tag) ([][]byte, error) {
	var keys [][]byte
	for i, key := range strings.Split(text, ",") {
		key = strings.TrimSpace(key)
		if len(key) < shortestKey {
			return nil, notAllowed{
				shown:   fmt.Sprintf("not usable, as key %d has %d characters", i+1, len(key)),
				allowed: fmt.Sprintf("one key or several between commas, each of %d characters or more, such as `openssl rand -base64 32` prints", shortestKey),
			}
		}
		keys = append(keys, []byte(key))
	}
	return keys, nil
}

// parseAdminToken reads a token that a header can carry.
func parseAdminToken(text string, _ *kong.Tag) (string, error) {
	text = strings.TrimSpace(text)
	unfit := ""
	switch {
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		unfit = "has a character that is no letter, digit or sign of ASCII"
	case len(text) < web.LeastAdminToken:
		unfit = fmt.Sprintf("has %d characters", len(text))
	default:
		return text, nil
	}
	return "", notAllowed{
		shown:   "not usable, as it " + unfit,
		allowed: fmt.Sprintf("%d characters or more, without spaces, such as `openssl rand -base64 32` prints", web.LeastAdminToken),
	}
}

func parseLevel(text string, _ *kong.Tag) (slog.Level, error) {
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
		if strings.EqualFold(text, level.String()) {
			return level, nil
		}
	}
	return 0, notAllowed{allowed: "debug, info, warn or error"}
}

// logFormat is how log lines look.
type logFormat string

const (
	formatAuto logFormat = "auto" // text on a terminal, else JSON
	formatText logFormat = "text"
	formatJSON logFormat = "json"
)

func parseFormat(text string, _ *kong.Tag) (logFormat, error) {
	switch format := logFormat(strings.ToLower(text)); format {
	case formatAuto, formatText, formatJSON:
		return format, nil
	}
	return "", notAllowed{allowed: "auto, text or json"}
}

// switchMapper reads a switch: the flag alone turns it on.
type switchMapper struct{}

// IsBool tells kong that the flag needs no value.
func (switchMapper) IsBool() bool { return true }

func (switchMapper) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		target.SetBool(true)
		return nil
	}
	text := fmt.Sprint(ctx.Scan.Pop().Value)
	switch strings.ToLower(text) {
	case "true", "1", "yes", "on":
		target.SetBool(true)
	case "false", "0", "no", "off":
		target.SetBool(false)
	default:
		return notSet(ctx.Value.Name, text, notAllowed{allowed: "true or false"})
	}
	return nil
}
