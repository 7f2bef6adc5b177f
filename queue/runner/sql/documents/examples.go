package documents

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"confluence/queue/runner"
)

// Title is what the form is called.
func (x *Index) Title() string { return "Search the documents in " + filepath.Base(x.options.Folder) }

// Examples are what the form offers; they look for a word that is in the titles.
func (x *Index) Examples() []runner.Example { return x.examples }

func examples(ctx context.Context, o Options) ([]runner.Example, error) {
	word, err := frequentWord(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("read the index of the documents: %w", err)
	}
	return []runner.Example{
		{Title: "Documents about “" + word + "”, the best first", Text: `SELECT title, path, snippet(documents, 2, '»', '«', '…', 16) AS found
FROM documents
WHERE documents MATCH '` + word + `'
ORDER BY rank
LIMIT 20`},
		{Title: "Words near each other, or the beginning of one", Text: `SELECT path, highlight(documents, 1, '»', '«') AS title, snippet(documents, 2, '»', '«', '…', 24) AS found
FROM documents
WHERE documents MATCH 'NEAR(` + word + ` the, 10) OR title : ` + prefix(word) + `*'
ORDER BY rank
LIMIT 20`},
		{Title: "What was changed last", Text: `SELECT modified, title, files.path, bytes
FROM files JOIN documents ON documents.rowid = files.document_id
ORDER BY modified DESC
LIMIT 20`},
		{Title: "Documents and characters in each folder", Text: `SELECT rtrim(path, replace(path, '/', '')) AS folder,
       count(*) AS documents, sum(length(text)) AS characters
FROM documents
GROUP BY folder
ORDER BY folder`},
	}, nil
}

// frequentWord is the word of four letters or more that is in most titles, the first one of them in the alphabet.
func frequentWord(ctx context.Context, o Options) (string, error) {
	at := url.URL{Scheme: "file", Path: o.Database, RawQuery: "mode=ro"}
	conn, err := openDatabase(ctx, at.String())
	if err != nil {
		return "", err
	}
	defer conn.Close()
	stmt, _, err := conn.Prepare(`SELECT title FROM documents LIMIT 2000`)
	if err != nil {
		return "", err
	}
	defer stmt.Close()
	titles := map[string]int{}
	for stmt.Step() {
		words := map[string]bool{}
		for word := range strings.FieldsFuncSeq(strings.ToLower(stmt.ColumnText(0)), func(c rune) bool { return !unicode.IsLetter(c) }) {
			if utf8.RuneCountInString(word) >= 4 {
				words[word] = true
			}
		}
		for word := range words {
			titles[word]++
		}
	}
	best := "help"
	for word, n := range titles {
		if n > titles[best] || n == titles[best] && word < best {
			best = word
		}
	}
	return best, stmt.Err()
}

// prefix is the first four letters of a word.
func prefix(word string) string { return string([]rune(word)[:4]) }
