package static_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"confluence/static"
	"confluence/views/i18n"
)

// TestScripts runs what can be tested of the scripts without a page: how a socket comes back, what is spoken, how a wait runs down.
func TestScripts(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("this test needs node 20 or newer: install nodejs")
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, static.FS()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "package.json"), []byte(`{"type":"module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	messages, err := json.Marshal(i18n.English.Extract(i18n.English.Keys()))
	if err != nil {
		t.Fatal(err)
	}
	spoken := filepath.Join(folder, "messages.json")
	if err := os.WriteFile(spoken, messages, 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), node, "--no-warnings", "--test", "testdata/scripts.mjs")
	run.Env = append(os.Environ(), "SCRIPTS="+folder, "MESSAGES="+spoken)
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
