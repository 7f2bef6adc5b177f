package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"confluence/queue/runner"
	"confluence/queue/runner/postgres"
	"confluence/queue/runner/sql"
	"confluence/queue/runner/sql/documents"
)

// openedRunner is what executes the queries.
type openedRunner struct {
	runner.Runner
	words string       // what it is, for a person
	stop  func() error // ends what goes on beside the runs; idempotent
}

func nothingToStop() error { return nil }

// openRunner makes what executes the queries. For sql, without a database or documents of the operator's it is the demo, which is made at the first start.
func (a *app) openRunner(ctx context.Context, folder dataFolder) (*openedRunner, error) {
	s, log, out := a.settings, a.log, a.out
	switch {
	case s.Runner == runnerCommand:
		return openCommand(s, a.temporary.path)
	case s.Runner == runnerOpenAI:
		return openModel(s)
	case s.Documents != "":
		return openDocuments(ctx, s, folder, log, out)
	case postgres.IsURL(s.Database):
		return openPostgres(s, log)
	case s.Database != "":
		return openSQLite(s, s.Database, "read-only SQL over")
	}
	database := folder.demoDatabase()
	if _, err := os.Stat(database); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(out, "Making the demo database, a few seconds…")
	}
	if err := sql.EnsureDemo(database); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return openSQLite(s, database, "read-only SQL over the demo database")
}

func openSQLite(s settings, database, words string) (*openedRunner, error) {
	asks, err := sql.New(sql.Options{Database: database, MaxBytes: int64(s.MaxResultBytes)})
	switch {
	case errors.Is(err, sql.ErrDatabase) && s.Database != "":
		return nil, fmt.Errorf("%w: name a SQLite file that this user can read with --database (%s)", err, envName("database"))
	case err != nil:
		return nil, err
	}
	if absolute, err := filepath.Abs(database); err == nil {
		database = absolute
	}
	return &openedRunner{asks, words + " " + database, nothingToStop}, nil
}

func openPostgres(s settings, log *slog.Logger) (*openedRunner, error) {
	asks, err := postgres.New(postgres.Options{URL: s.Database, MaxBytes: int64(s.MaxResultBytes), Logger: log})
	switch {
	case errors.Is(err, postgres.ErrDatabase):
		return nil, fmt.Errorf("%w: name a role, its password and a database that the server knows with --database (%s)", err, envName("database"))
	case err != nil:
		return nil, err
	}
	return &openedRunner{asks, "read-only SQL over " + asks.String(), nothingToStop}, nil
}

func openDocuments(ctx context.Context, s settings, folder dataFolder, log *slog.Logger, out io.Writer) (*openedRunner, error) {
	database := folder.documentsDatabase()
	if _, err := os.Stat(database); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(out, "Indexing the documents…")
	}
	index, err := documents.Open(ctx, documents.Options{Folder: s.Documents, Database: database, Logger: log})
	switch {
	case errors.Is(err, documents.ErrFolder):
		return nil, fmt.Errorf("%w: name a folder that this user can read with --documents (%s)", err, envName("documents"))
	case err != nil:
		return nil, err
	}
	asks, err := sql.New(sql.Options{
		Database: database, MaxBytes: int64(s.MaxResultBytes), Title: index.Title(), Examples: index.Examples(),
	})
	if err != nil {
		return nil, errors.Join(err, index.Stop())
	}
	absolute, err := filepath.Abs(s.Documents)
	if err != nil {
		absolute = s.Documents
	}
	return &openedRunner{asks, "full-text search, in SQL, over " + absolute, index.Stop}, nil
}
