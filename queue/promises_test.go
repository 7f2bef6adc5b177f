package queue_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPromisesNameTestsThatExist: each row of the README's tables of promises names its tests, and each test that is named is there. A name that
// ends in … stands for all that begin so.
func TestPromisesNameTestsThatExist(t *testing.T) {
	guide := read(t, "README.md")
	sources := ""
	for _, folder := range []string{".", "memory", "queuetest", "simulation", "sqlitestore", "wait", "../web", "../cmd/confluence"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%d files in %s, %v", len(files), folder, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || folder == "queuetest" {
				sources += read(t, file)
			}
		}
	}
	rows := 0
	for _, table := range strings.Split(guide, "| promise | held by |\n|---|---|\n")[1:] {
		table, _, _ = strings.Cut(table, "\n\n")
		for _, row := range strings.Split(strings.TrimSpace(table), "\n") {
			rows++
			cells := strings.Split(strings.Trim(row, "| "), " | ")
			names := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[len(cells)-1], -1)
			if len(cells) != 2 || len(names) == 0 {
				t.Errorf("a promise that no test holds, or a row that isn't one: %s", row)
			}
			for _, name := range names {
				if !isTest(name[1], sources) {
					t.Errorf("there is no test %s", name[1])
				}
			}
		}
	}
	if rows < 40 {
		t.Errorf("only %d promises were found", rows)
	}
}

// isTest tells whether a name is that of a test or benchmark, or of a part of the stores' suite.
func isTest(name, sources string) bool {
	if area, ok := strings.CutPrefix(name, "Exercise/"); ok {
		area, rule, _ := strings.Cut(strings.NewReplacer("_", " ", "…", "").Replace(area), "/")
		inTable := strings.Contains(sources, `{"`+area+`", `) || strings.Contains(sources, `t.Run("`+area+`", `)
		return inTable && strings.Contains(sources, `{name: "`+rule)
	}
	declared := "func " + name + "("
	if begins, ok := strings.CutSuffix(name, "…"); ok {
		declared = "func " + begins
	}
	return strings.Contains(sources, declared)
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
