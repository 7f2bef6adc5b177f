package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "confluence"
	root   = "../.." // of the repository, from this package
)

// mayImport says which of the project's packages each of its packages may import, outside tests. Imports point down:
// cmd, then web, then the line, the runner's interface, the views and the static files, which know nothing of each other.
var mayImport = []struct {
	from *regexp.Regexp
	to   *regexp.Regexp
}{
	{regexp.MustCompile(`^cmd/`), regexp.MustCompile(`.`)},
	{regexp.MustCompile(`^web$`), regexp.MustCompile(`^(queue|queue/runner|views|views/i18n|static)$`)},
	{regexp.MustCompile(`^queue$`), regexp.MustCompile(`^queue/wait$`)},
	{regexp.MustCompile(`^queue/wait$`), regexp.MustCompile(`^$`)},
	{regexp.MustCompile(`^queue/runner$`), regexp.MustCompile(`^$`)},
	{regexp.MustCompile(`^queue/runner/`), regexp.MustCompile(`^queue/runner($|/)`)},
	{regexp.MustCompile(`^queue/(memory|sqlitestore|redisstore)$`), regexp.MustCompile(`^queue$`)},
	{regexp.MustCompile(`^queue/trace$`), regexp.MustCompile(`^queue$`)},
	{regexp.MustCompile(`^queue/(queuetest|simulation)$`), regexp.MustCompile(`^queue$`)},
	{regexp.MustCompile(`^views($|/)`), regexp.MustCompile(`^(views($|/)|static$)`)},
	{regexp.MustCompile(`^static$`), regexp.MustCompile(`^$`)},
}

// pureStandardLibrary are the packages that import nothing from outside the standard library and the project.
var pureStandardLibrary = regexp.MustCompile(`^queue(/memory|/trace|/runner|/simulation|/wait)?$`)

func TestLayoutImportsPointDown(t *testing.T) {
	for file, imports := range sources(t) {
		from := path.Dir(file)
		rule := slices.IndexFunc(mayImport, func(r struct{ from, to *regexp.Regexp }) bool { return r.from.MatchString(from) })
		if rule < 0 {
			t.Errorf("%s: the layout has no package %s", file, from)
			continue
		}
		for _, imported := range imports {
			if to, own := strings.CutPrefix(imported, module+"/"); own {
				if !mayImport[rule].to.MatchString(to) {
					t.Errorf("%s: %s must not import %s", file, from, to)
				}
			} else if pureStandardLibrary.MatchString(from) && strings.Contains(strings.SplitN(imported, "/", 2)[0], ".") {
				t.Errorf("%s: %s must import the standard library only, not %s", file, from, imported)
			}
		}
	}
}

func TestLayoutTopLevel(t *testing.T) {
	allowed := regexp.MustCompile(`^(cmd|views|web|queue|static|go\.mod|go\.sum|Makefile|README\.md|LICENSE|CHANGELOG\.md|\..*)$`)
	for _, file := range tracked(t) {
		if top, _, _ := strings.Cut(file, "/"); !allowed.MatchString(top) {
			t.Errorf("%s: the layout has no %s at the top level", file, top)
		}
	}
}

func TestLayoutNamesAreOfTheDomain(t *testing.T) {
	vague := regexp.MustCompile(`(?i)(^|[_/-])(utils?|commons?|helpers?|managers?|misc)([_./-]|$)`)
	for _, file := range tracked(t) {
		if vague.MatchString(file) {
			t.Errorf("%s: a file is named after the thing in it", file)
		}
	}
}

// TestLayoutFilesAreSmall: a file has one subject, and one person can hold it in the head.
func TestLayoutFilesAreSmall(t *testing.T) {
	const most = 600
	for _, file := range tracked(t) {
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_templ.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			continue // deleted, and not committed yet
		}
		if lines := strings.Count(string(text), "\n"); lines > most {
			t.Errorf("%s has %d lines, more than %d: does it still have one subject?", file, lines, most)
		}
	}
}

// sources are the Go files of the repository outside tests, and what each imports.
func sources(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, top := range []string{"cmd", "queue", "static", "views", "web"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules") {
				return fs.SkipDir
			}
			if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			relative, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			relative = filepath.ToSlash(relative)
			found[relative] = nil
			for _, spec := range file.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					return err
				}
				found[relative] = append(found[relative], imported)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// tracked are the files under version control, and those that could be.
func tracked(t *testing.T) []string {
	t.Helper()
	list := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	text, err := list.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	return strings.Fields(string(text))
}
