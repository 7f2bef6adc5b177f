package postgres

import "testing"

func TestSkipBlank(t *testing.T) {
	for query, want := range map[string]string{
		"": "", " \t\n\f\r\v;;": "", "--": "", "-- a": "", "-- a\n": "", "/*": "", "/* a": "", "/**/": "", "/* /* a */ */x": "x", "/*/ a */ b": "b",
		"SELECT": "SELECT", "-- a\n/* b */ ; x -- c": "x -- c", "- 1": "- 1", "/ 1": "/ 1", "\uFEFFx": "x", "/* a */ /* b": "", "-- a\rx": "x",
	} {
		if got := skipBlank(query); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

func TestFirstWord(t *testing.T) {
	for query, want := range map[string]string{
		"": "", "SELECT": "select", "select*": "select", "With\"a\"": "with", "(SELECT 1)": "(", "/**/Values(1)": "values", "selectä 1": "selectä", "?": "?",
	} {
		if got := firstWord(query); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

func TestLineOf(t *testing.T) {
	for _, c := range []struct {
		query    string
		position int
		want     int
	}{{"a", 0, 0}, {"a", -5, 0}, {"a", 1, 1}, {"a\nb", 2, 1}, {"a\nb", 3, 2}, {"ä\nö\nü", 5, 3}, {"a\nb", 4, 2}, {"", 1, 1}} {
		if got := lineOf(c.query, c.position); got != c.want {
			t.Errorf("%q at %d: %d, want %d", c.query, c.position, got, c.want)
		}
	}
}
