package runner

import "testing"

func TestCutInWords(t *testing.T) {
	for got, want := range map[string]string{
		CutAtRows(1200, 1200):       "Only the first 1,200 rows are here: an answer has at most 1,200.",
		CutAtRows(1, 1):             "Only the first row is here: an answer has at most 1.",
		CutAtBytes(123_456, 16<<20): "Only the first 123,456 rows are here: an answer has at most 16 MiB.",
		CutAtBytes(0, 2048):         "No row is here: an answer has at most 2 KiB.",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
