package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDocuments: a folder is searched, and a change in it is found soon.
func TestDocuments(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("hours.md", "# Opening hours\nOpen on Sundays.")
	write("broken.md", "\xff")
	p := serving(t, "--documents="+folder)
	if !strings.Contains(p.out.String(), folder) || !strings.Contains(p.log.String(), "broken.md") {
		t.Errorf("out: %s\nlog: %s", p.out, p.log)
	}
	const found = `SELECT title, snippet(documents, 2, '[', ']', '…', 4) FROM documents WHERE documents MATCH 'sundays' ORDER BY rank`
	visitor := newClient(p.url, nil)
	answer := func() string {
		t.Helper()
		result, err := visitor.query(t.Context(), found)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(result.Rows)
	}
	if got := answer(); !strings.Contains(got, "[Opening hours ") || !strings.Contains(got, "[Sundays]") {
		t.Errorf("the answer is %s", got)
	}
	write("rules.md", "# Loan rules\nSundays count, too.")
	eventually(t, 20*time.Second, "the new document is found", func() bool { return strings.Contains(answer(), "Loan rules") })
}

func TestDocumentsThatAreNone(t *testing.T) {
	p := launch(t, "--addr=127.0.0.1:0", "--data-dir="+dataWithDemo(t), "--documents=/no/such/folder")
	wantFailedStart(t, p, "/no/such/folder", "--documents")
}
