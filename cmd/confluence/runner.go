package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"confluence/queue/runner"
	"confluence/queue/runner/sql"
)

// openRunner makes what executes the queries, and says in a few words what it is. Without a database of the operator's it is the demo,
// which is made at the first start.
func openRunner(ctx context.Context, s settings, folder dataFolder, out io.Writer) (runner.Runner, string, error) {
	database, words := s.Database, "read-only SQL over"
	if database == "" {
		database, words = folder.demoDatabase(), "read-only SQL over the demo database"
		if _, err := os.Stat(database); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintln(out, "Making the demo database, a few seconds…")
		}
		if err := sql.EnsureDemo(database); err != nil {
			return nil, "", err
		}
		if err := ctx.Err(); err != nil {
			return nil, "", err
		}
	}
	asks, err := sql.New(sql.Options{Database: database, MaxBytes: int64(s.MaxResultBytes)})
	switch {
	case errors.Is(err, sql.ErrDatabase) && s.Database != "":
		return nil, "", fmt.Errorf("%w: name a SQLite file that this user can read with --database (%s)", err, envName("database"))
	case err != nil:
		return nil, "", err
	}
	if absolute, err := filepath.Abs(database); err == nil {
		database = absolute
	}
	return asks, words + " " + database, nil
}
