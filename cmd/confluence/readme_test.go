package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeCurlSession runs the commands of the README's curl session as they stand there, against a server of its own.
func TestReadmeCurlSession(t *testing.T) {
	server := serving(t)
	session := regexp.MustCompile("(?s)\n## With curl\n.*?```sh\n(.*?)```").FindStringSubmatch(readme(t))
	if session == nil {
		t.Fatal("the README has no curl session")
	}
	shell := exec.Command("bash", "-euxc", strings.ReplaceAll(session[1], "http://127.0.0.1:8080/", server.url))
	shell.Dir = t.TempDir()
	said, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, part := range []string{`"ticket_id":"q_`, `"status":"ready"`, `"outcome":"succeeded"`, `"columns":["branches"]`} {
		if !strings.Contains(string(said), part) {
			t.Errorf("%s is not in what it prints:\n%s", part, said)
		}
	}
}

// TestReadmesNameEverySetting: with its default.
func TestReadmesNameEverySetting(t *testing.T) {
	guide, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	front := readme(t)
	for _, field := range reflect.VisibleFields(reflect.TypeFor[settings]()) {
		if field.Anonymous {
			continue
		}
		flag := field.Tag.Get("name")
		if flag == "" { // as kong does
			flag = strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(field.Name, "$1-$2"))
		}
		name := envName(flag)
		row := "| `" + name + "` | "
		if standard := field.Tag.Get("default"); standard != "" {
			row += "`" + standard + "` | "
		}
		if !strings.Contains(string(guide), row) {
			t.Errorf("cmd/confluence/README.md has no row %q", row)
		}
		if short := strings.TrimPrefix(name, "CONFLUENCE_WEB"); !strings.Contains(front, name) && !strings.Contains(front, "`"+short+"`") {
			t.Errorf("README.md doesn't name %s", name)
		}
	}
}

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
