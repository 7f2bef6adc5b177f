package i18n_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"confluence/views/i18n"
)

func TestAcceptedLanguage(t *testing.T) {
	for header, want := range map[string]string{
		"": "en", "*": "en", "en-GB": "en", "zh": "en", "junk;;;q=x": "en", "klingon-!!": "en",
		strings.Repeat("zh,", 100) + "de": "en", // what is far behind isn't read
	} {
		if got := i18n.Accepted(header).Code; got != want {
			t.Errorf("%.60q: %s, want %s", header, got, want)
		}
	}
}

func TestSizes(t *testing.T) {
	for n, want := range map[int64]string{1: "1 byte", 12: "12 bytes", 1024: "1 KiB", 1536: "1.5 KiB", 16 << 20: "16 MiB", 3 << 19: "1.5 MiB"} {
		if got := i18n.English.Size(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// TestMessagesAreWrittenDown: a run's message is said in its reader's language after a restart too.
func TestMessagesAreWrittenDown(t *testing.T) {
	for _, m := range []i18n.Message{
		{}, i18n.Verbatim(`no such table: "x"`), i18n.Msg("answer.noRoom"), i18n.Msg("answer.tooLong", "most", i18n.Bytes(1536)),
		i18n.Msg("problem.run_timed_out.limit", "time", 5*time.Minute),
	} {
		content, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var read i18n.Message
		if err := json.Unmarshal(content, &read); err != nil {
			t.Fatal(err)
		}
		if got, want := i18n.English.Tell(read), i18n.English.Tell(m); got != want {
			t.Errorf("%s: %q, want %q", content, got, want)
		}
	}
}
