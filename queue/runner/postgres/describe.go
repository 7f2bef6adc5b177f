package postgres

import (
	"context"
	"fmt"
	"strings"

	"confluence/queue/runner"
)

// roleQuery tells who we are, and what the role may do that no visitor should.
const roleQuery = `
	SELECT current_user, current_database(), current_setting('server_version'),
		CASE WHEN (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN 'is a superuser'
		ELSE (SELECT 'is a member of ' || string_agg(rolname, ', ') FROM pg_roles
			WHERE rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program') AND pg_has_role(oid, 'member'))
		END`

// tablesQuery lists what the role may read, as it is written in a query.
const tablesQuery = `
	SELECT CASE WHEN pg_table_is_visible(c.oid) THEN quote_ident(c.relname) ELSE quote_ident(n.nspname) || '.' || quote_ident(c.relname) END,
		CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND NOT c.relispartition AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
		AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
	ORDER BY NOT pg_table_is_visible(c.oid), n.nspname, c.relname
	LIMIT 1000`

const (
	limits        = "Read-only SQL, one statement."
	namesMost     = 20
	examplesMost  = 4
	columnsSample = "SELECT table_name, column_name, data_type\nFROM information_schema.columns\n" +
		"WHERE table_schema NOT IN ('pg_catalog', 'information_schema')\nORDER BY table_name, ordinal_position"
)

// unknown is the description of a database that was not seen yet.
func (r *Runner) unknown() *runner.Description {
	return &runner.Description{
		Title:    "Ask the database " + r.config.Database,
		Limits:   limits,
		Language: "sql",
		Examples: []runner.Example{{Title: "What the tables look like", Text: columnsSample}},
		About:    "PostgreSQL.",
	}
}

// describe asks what the database holds, and warns of a role that may do too much.
func (r *Runner) describe(s *session) (*runner.Description, error) {
	who, err := s.ask(roleQuery)
	if err != nil {
		return nil, err
	}
	tables, err := s.ask(tablesQuery)
	if err != nil {
		return nil, err
	}
	role, version, power := who[0][0], who[0][2], who[0][3]
	if power != "" {
		r.options.Logger.Warn("visitors can do what this role may: use one that can only select", "role", role, "because", "it "+power)
	}
	d := r.unknown()
	number, _, _ := strings.Cut(version, " ")
	d.Title = "Ask the database " + who[0][1]
	d.About = about(number, tables)
	var examples []runner.Example
	for _, table := range tables[:min(examplesMost, len(tables))] {
		examples = append(examples, runner.Example{
			Title: "First rows of " + table[0],
			Text:  "SELECT *\nFROM " + table[0] + "\nLIMIT 20",
		})
	}
	d.Examples = append(examples, d.Examples...)
	return d, nil
}

// about names the tables: "PostgreSQL 15.4. Tables: loans, branches. Views: open_loans."
func about(version string, tables [][]string) string {
	sentences := []string{"PostgreSQL " + version + "."}
	for _, kind := range []struct{ heading, typ string }{{"Tables", "table"}, {"Views", "view"}} {
		var names []string
		for _, table := range tables {
			if table[1] == kind.typ {
				names = append(names, table[0])
			}
		}
		if more := len(names) - namesMost; more > 0 {
			names = append(names[:namesMost], fmt.Sprintf("and %d more", more))
		}
		if len(names) > 0 {
			sentences = append(sentences, kind.heading+": "+strings.Join(names, ", ")+".")
		}
	}
	if len(sentences) == 1 {
		sentences = append(sentences, "There is no table that may be read.")
	}
	return strings.Join(sentences, " ")
}

// ask asks a question of our own; NULL is an empty text.
func (s *session) ask(query string) ([][]string, error) {
	result := s.conn.ExecParams(context.Background(), query, nil, nil, nil, nil).Read()
	if result.Err != nil {
		return nil, result.Err
	}
	rows := make([][]string, len(result.Rows))
	for i, values := range result.Rows {
		for _, value := range values {
			rows[i] = append(rows[i], text(value))
		}
	}
	return rows, nil
}
