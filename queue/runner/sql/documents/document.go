package documents

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"unicode/utf8"
)

// document is a file that was read.
type document struct {
	found
	hash  [sha256.Size]byte
	title string
	text  string
}

// leftError says why a file is not indexed.
type leftError struct{ reason string }

func (e *leftError) Error() string { return e.reason }

// read reads a file below the folder. Errors: fs.ErrNotExist when it went away; *leftError.
func read(root *os.Root, name string, most int64) (document, error) {
	// Opening must not wait for a pipe's other end, should one be there now.
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return document{}, err
		}
		return document{}, &leftError{"it can't be read"}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return document{}, &leftError{"it is not a file"}
	}
	content, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return document{}, &leftError{"it can't be read"}
	case int64(len(content)) > most:
		return document{}, &leftError{fmt.Sprintf("it has more than %d bytes", most)}
	}
	d := document{found: found{name, info.Size(), info.ModTime()}, hash: sha256.Sum256(content)}
	content = bytes.TrimPrefix(content, []byte("\uFEFF"))
	switch {
	case bytes.IndexByte(content, 0) >= 0:
		return d, &leftError{"it is binary: it holds NUL bytes"}
	case !utf8.Valid(content):
		return d, &leftError{"it is not UTF-8 text"}
	}
	d.text = string(content)
	d.title = titleOf(name, d.text)
	return d, nil
}

const titleMost = 200 // characters

// titleOf is a document's title: of Markdown the title of its front matter or its first heading, else the name of the file.
func titleOf(name, text string) string {
	ending := path.Ext(name)
	title := ""
	switch strings.ToLower(ending) {
	case ".md", ".markdown", ".mdown", ".mkd":
		title = markdownTitle(text)
	}
	if title == "" {
		title = strings.TrimSuffix(path.Base(name), ending)
	}
	if characters := []rune(title); len(characters) > titleMost {
		title = string(characters[:titleMost])
	}
	return title
}

func markdownTitle(text string) string {
	fence, frontMatter, before := "", false, ""
	number := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		number++
		switch {
		case number == 1 && line == "---":
			frontMatter = true
		case frontMatter && (line == "---" || line == "..."):
			frontMatter = false
		case frontMatter:
			if value, ok := strings.CutPrefix(line, "title:"); ok {
				if title := strings.Trim(strings.TrimSpace(value), `"'`); title != "" {
					return title
				}
			}
		case fence != "":
			if strings.HasPrefix(line, fence) {
				fence = ""
			}
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			fence, before = line[:3], ""
		case heading(line) != "":
			return heading(line)
		case before != "" && line != "" && strings.Trim(line, "=") == "":
			return before
		default:
			before = strings.TrimSpace(line)
		}
	}
	return ""
}

// heading is the text of a line such as "## Text ##", or empty.
func heading(line string) string {
	rest := strings.TrimLeft(line, "#")
	level := len(line) - len(rest)
	if level < 1 || level > 6 || !strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "\t") {
		return ""
	}
	return strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#"))
}

// modifiedForm writes times so that they sort as text, and lose nothing.
const modifiedForm = "2006-01-02 15:04:05.000000000"

func (f found) modifiedText() string { return f.modified.UTC().Format(modifiedForm) }
