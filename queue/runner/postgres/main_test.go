package postgres

import (
	"context"
	"fmt"
	"os"
	"testing"

	"confluence/queue/runner/postgres/postgrestest"
)

// server is a real PostgreSQL with the database "library" and the role "reader", which may read its tables.
var server *postgrestest.Server

const library = `
	CREATE ROLE reader LOGIN PASSWORD '` + postgrestest.Password + `';
	CREATE TABLE branches (branch_id int PRIMARY KEY, branch text NOT NULL);
	INSERT INTO branches SELECT i, 'Branch ' || i FROM generate_series(1, 40) i;
	CREATE TABLE loans (loan_id bigint PRIMARY KEY, branch_id int NOT NULL REFERENCES branches, borrowed date NOT NULL);
	INSERT INTO loans SELECT i, 1 + i % 40, DATE '2026-01-01' + (i % 300)::int FROM generate_series(1, 10000) i;
	CREATE VIEW busy AS SELECT branch_id, count(*) AS loans FROM loans GROUP BY branch_id;
	CREATE TABLE secrets (secret text);
	CREATE SCHEMA "Annex";
	CREATE TABLE "Annex"."Old loans" (a int);
	CREATE FUNCTION add_branch() RETURNS int LANGUAGE sql AS $$ INSERT INTO branches VALUES (99, 'x') RETURNING 1 $$;
	CREATE FUNCTION deaf() RETURNS int LANGUAGE plpgsql AS $$
		BEGIN
			LOOP
				BEGIN PERFORM pg_sleep(3600); EXCEPTION WHEN query_canceled THEN NULL; END;
			END LOOP;
		END $$;
	GRANT SELECT ON branches, loans, busy TO reader;
	GRANT USAGE ON SCHEMA "Annex" TO reader;
	GRANT SELECT ON "Annex"."Old loans" TO reader;
	ANALYZE;`

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	var err error
	if server, err = postgrestest.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := server.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	for _, step := range []struct{ database, statements string }{{"postgres", "CREATE DATABASE library"}, {"library", library}} {
		if err := server.Exec(context.Background(), step.database, step.statements); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}
