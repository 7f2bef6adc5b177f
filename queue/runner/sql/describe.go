package sql

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"confluence/queue/runner"
)

// fileMark is what each SQLite file begins with.
const fileMark = "SQLite format 3\x00"

// readable says clearly what is wrong with a file before a child tries to open it.
func readable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDatabase, err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrDatabase, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s is not a file", ErrDatabase, path)
	}
	start := make([]byte, len(fileMark))
	if _, err := f.ReadAt(start, 0); err != nil || string(start) != fileMark {
		return fmt.Errorf("%w: %s is not a SQLite file", ErrDatabase, path)
	}
	return nil
}

// describe says what the form tells of a database.
func describe(o Options, s *schema) runner.Description {
	d := runner.Description{
		Title:    "Ask the database " + filepath.Base(o.Database),
		Limits:   "Read-only SQL, one statement.",
		Language: "sql",
		Examples: firstRows(s),
		About:    tablesSentence(s),
	}
	if s.ApplicationID == demoApplicationID {
		d.Title = demoTitle
		d.Examples = demoExamples
	}
	if o.Title != "" {
		d.Title = o.Title
	}
	if len(o.Examples) > 0 {
		d.Examples = o.Examples
	}
	return d
}

// tablesSentence names the tables: "Tables: loans, branches. Views: open_loans."
func tablesSentence(s *schema) string {
	const most = 20
	var sentences []string
	for _, kind := range []struct{ heading, typ string }{
		{"Tables", "table"}, {"Full text", "fulltext"}, {"Virtual tables", "virtual"}, {"Views", "view"},
	} {
		var names []string
		for _, t := range s.Tables {
			if t.Type == kind.typ {
				names = append(names, t.Name)
			}
		}
		if more := len(names) - most; more > 0 {
			names = append(names[:most], fmt.Sprintf("and %d more", more))
		}
		if len(names) > 0 {
			sentences = append(sentences, kind.heading+": "+strings.Join(names, ", ")+".")
		}
	}
	if len(sentences) == 0 {
		return "The database has no tables."
	}
	return strings.Join(sentences, " ")
}

// firstRows are examples for a database that we don't know.
func firstRows(s *schema) []runner.Example {
	const most = 4
	var examples []runner.Example
	for _, t := range s.Tables {
		if (t.Type == "table" || t.Type == "view") && len(examples) < most {
			examples = append(examples, runner.Example{
				Title: "First rows of " + t.Name,
				Text:  "SELECT *\nFROM " + identifier(t.Name) + "\nLIMIT 20",
			})
		}
	}
	return append(examples, runner.Example{
		Title: "What the tables look like",
		Text:  "SELECT name, sql\nFROM sqlite_schema\nWHERE type IN ('table', 'view')\nORDER BY name",
	})
}

// identifier writes a name so that SQL reads it as one.
func identifier(name string) string {
	plain := name != "" && !reserved[strings.ToLower(name)]
	for i, c := range name {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		digit := c >= '0' && c <= '9'
		if !letter && (i == 0 || !digit) {
			plain = false
		}
	}
	if plain {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// reserved are the words that SQLite never takes for a name.
var reserved = set(`
	add all alter and as autoincrement between case check collate commit constraint create default deferrable delete distinct drop else
	escape except exists foreign from group having in index insert intersect into is isnull join limit not nothing notnull null on or
	order primary references returning select set table then to transaction union unique update using values when where`)
