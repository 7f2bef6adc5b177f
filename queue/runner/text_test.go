package runner_test

import (
	"errors"
	"strings"
	"testing"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

// writeAll writes the parts and returns the sink and the first error.
func writeAll(limit int64, parts ...string) (*runnertest.Recorder, error) {
	sink := new(runnertest.Recorder)
	w := runner.NewTextWriter(sink, limit)
	for _, part := range parts {
		if _, err := w.Write([]byte(part)); err != nil {
			return sink, err
		}
	}
	return sink, w.Close()
}

func TestTextWriter(t *testing.T) {
	for name, c := range map[string]struct {
		parts []string
		want  string
	}{
		"nothing":           {nil, ""},
		"empty writes":      {[]string{"", "a", "", "b"}, "ab"},
		"split of two":      {[]string{"caf\xc3", "\xa9!"}, "café!"},
		"split of three":    {[]string{"\xe2", "\x82", "\xac"}, "€"},
		"split of four":     {[]string{"\xf0", "\x9f\x98", "\x80", "."}, "😀."},
		"broken off":        {[]string{"caf\xc3", "e"}, "caf\uFFFDe"},
		"ends in between":   {[]string{"a\xe2\x82"}, "a\uFFFD"},
		"stray":             {[]string{"a\xffb\x80c"}, "a\uFFFDb\uFFFDc"},
		"surrogate":         {[]string{"\xed\xa0\x80"}, "\uFFFD"},
		"as it comes":       {[]string{"a\r\n\r\nevent: end\rdata: x\n\n\x00"}, "a\r\n\r\nevent: end\rdata: x\n\n\x00"},
		"byte by byte":      {strings.Split("naïve “😀”", ""), "naïve “😀”"},
		"one long line":     {[]string{strings.Repeat("é", 1<<20)}, strings.Repeat("é", 1<<20)},
		"five of one start": {[]string{"\xf8\x80\x80\x80", "\x80a"}, "\uFFFDa"},
	} {
		t.Run(name, func(t *testing.T) {
			sink, err := writeAll(1<<30, c.parts...)
			// How many marks stand for a longer piece of rubbish depends on how it comes.
			got := sink.Output()
			for strings.Contains(got, "\uFFFD\uFFFD") {
				got = strings.ReplaceAll(got, "\uFFFD\uFFFD", "\uFFFD")
			}
			if err != nil || got != c.want || sink.Cut() != "" {
				t.Errorf("%q, %v, cut %q", got, err, sink.Cut())
			}
			for _, breach := range sink.Breaches() {
				t.Error(breach)
			}
		})
	}
}

func TestTextWriterCutsBetweenCharacters(t *testing.T) {
	for limit, want := range map[int64]string{0: "", 1: "a", 2: "a", 3: "aé", 4: "aé", 5: "aé", 6: "aé€"} {
		sink, err := writeAll(limit, "a", "é€", "x")
		if !errors.Is(err, runner.ErrTextFull) || sink.Output() != want || sink.Cut() == "" {
			t.Errorf("limit %d: %q, %v, cut %q", limit, sink.Output(), err, sink.Cut())
		}
	}
	if sink, err := writeAll(7, "a", "é€", "x"); err != nil || sink.Cut() != "" {
		t.Errorf("an answer as long as the limit was cut: %v, %q", err, sink.Cut())
	}
}

func TestTextWriterStopsAtAnError(t *testing.T) {
	refused := errors.New("no more")
	sink := &runnertest.Recorder{Refuse: refused}
	w := runner.NewTextWriter(sink, 100)
	for range 2 {
		if _, err := w.Write([]byte("a")); !errors.Is(err, refused) {
			t.Error(err)
		}
	}
	if err := w.Close(); !errors.Is(err, refused) || sink.Output() != "a" || len(sink.Breaches()) > 0 {
		t.Errorf("%v, %q, %v", err, sink.Output(), sink.Breaches())
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1 << 10: "1 KiB", 1<<20 - 1: "1023 KiB", 16 << 20: "16 MiB", 4 << 30: "4 GiB"} {
		if got := runner.Size(bytes); got != want {
			t.Errorf("%d: %s", bytes, got)
		}
	}
}

func TestUnavailableError(t *testing.T) {
	var err error = &runner.UnavailableError{Log: "status 429"}
	if !errors.Is(err, runner.ErrUnavailable) || !strings.Contains(err.Error(), "status 429") {
		t.Error(err)
	}
}
