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
		"": "en", "*": "en", "en-GB": "en", "zh": "en", "de-AT": "de", "en-GB;q=0.5,ja": "ja", "ar-EG,en": "ar", "pt-BR,es;q=0.5": "es", "junk;;;q=x": "en", "klingon-!!": "en",
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

func TestNumbersAndLengths(t *testing.T) {
	for _, test := range []struct{ code, count, lengths, people string }{
		{"en", "12,345", "1.5 seconds|1 minute 18 seconds|2 hours", "1 person|2 people|5 people|21 people"},
		{"de", "12.345", "1,5 Sekunden|1 Minute 18 Sekunden|2 Stunden", "1 Person|2 Personen|5 Personen|21 Personen"},
		{"fr", "12\u202f345", "1,5 seconde|1 minute 18 secondes|2 heures", "1 personne|2 personnes|5 personnes|21 personnes"},
		{"es", "12.345", "1,5 segundos|1 minuto 18 segundos|2 horas", "1 persona|2 personas|5 personas|21 personas"},
		{"ru", "12\u00a0345", "1,5 секунды|1 минуту 18 секунд|2 часа", "1 человек|2 человека|5 человек|21 человек"},
		{"ar", "١٢٬٣٤٥", "١٫٥ ثانية|دقيقة واحدة و١٨ ثانية|ساعتين", "شخص واحد|شخصان|٥ أشخاص|٢١ شخصًا"},
		{"ja", "12,345", "1.5 秒|1 分 18 秒|2 時間", "1 人|2 人|5 人|21 人"},
	} {
		l := i18n.ByCode(test.code)
		lengths := strings.Join([]string{l.Duration(1500 * time.Millisecond), l.Duration(78 * time.Second), l.Duration(2 * time.Hour)}, "|")
		var people []string
		for _, n := range []int{1, 2, 5, 21} {
			people = append(people, l.Say("people", "n", n))
		}
		if got := l.Count(12_345); got != test.count || lengths != test.lengths || strings.Join(people, "|") != test.people {
			t.Errorf("%s: %q, %q, %q", test.code, got, lengths, people)
		}
	}
}
