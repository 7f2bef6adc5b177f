package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestReadmeCurlSession runs the commands of the README's curl session as they stand there, against a server of its own: join, ask for the
// place, claim; send the same again with its key; run without joining; follow the place, and leave.
func TestReadmeCurlSession(t *testing.T) {
	server := serving(t)
	section, _, _ := strings.Cut(strings.SplitN(readme(t), "\n## With curl\n", 2)[1], "\n## ")
	var blocks []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section, -1) {
		blocks = append(blocks, strings.ReplaceAll(block[1], "http://127.0.0.1:8080/", server.url))
	}
	if len(blocks) != 3 {
		t.Fatalf("the README's curl session has %d parts", len(blocks))
	}
	folder := t.TempDir()
	says := func(commands string, parts ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		shell := exec.CommandContext(ctx, "bash", "-euc", commands)
		shell.Dir, shell.WaitDelay = folder, time.Second
		output, err := shell.CombinedOutput()
		said := string(output)
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, commands, said)
		}
		for _, part := range parts {
			if !strings.Contains(said, part) {
				t.Errorf("%s is not in what it prints:\n%s\n%s", part, commands, said)
			}
		}
		return said
	}
	says(blocks[0], `"ticket_id":"q_`, `"status":"ready"`, `"outcome":"succeeded"`, `"columns":["branches"]`)
	claim := blocks[0][strings.LastIndex(strings.TrimSpace(blocks[0]), "\n")+1:]
	if first, again := says(claim, `"run_id"`), says(claim, `"columns":["branches"]`); first != again {
		t.Errorf("with the same key it prints\n%s\nand then\n%s", first, again)
	}
	says(blocks[1], "event: accepted\n", "event: end\n", `"outcome":"succeeded"`, "n\n42\n")

	follow, leave, _ := strings.Cut(blocks[2], "\n")
	says(strings.Split(blocks[0], "\n")[0], `"status":"ready"`)
	says("{ "+follow+"\n} > seen & until grep -qs standing seen; do sleep 0.05; done\n"+leave+"\nwait; cat seen", "event: standing\n", "event: left\n")
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

// TestReadmeSimulation: what the guide shows is what simulate prints; its trace can be replayed, and its file of arrivals be read.
func TestReadmeSimulation(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```$").FindAllStringSubmatch(string(text), -1)
	block := func(start string) string {
		for _, b := range blocks {
			if strings.HasPrefix(b[1], start) {
				return b[1]
			}
		}
		t.Fatalf("no block begins with %s", start)
		return ""
	}
	if out, errs, _ := simulatedBy(t, "", "--arrivals-per-hour=54", "--runs=lognormal"); out != block("arrivals ") {
		t.Errorf("the guide shows\n%s\nand it prints\n%s%s", block("arrivals "), out, errs)
	}
	if _, errs, code := simulatedBy(t, block("arrival_seconds,")); code != exitDone {
		t.Errorf("the file of arrivals: %s", errs)
	}
	var out, errs strings.Builder
	if code := replay(strings.NewReader(block(`{"config":`)), "the guide's trace", &out, &errs); code != replayMet {
		t.Errorf("%s%s", out.String(), errs.String())
	}
}
