package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"confluence/queue/runner/postgres/postgrestest"
)

// TestPostgres: a PostgreSQL database is asked, its restart is survived, and its password is told to nobody.
func TestPostgres(t *testing.T) {
	database, err := postgrestest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := database.Stop(); err != nil {
			t.Error(err)
		}
	}()
	err = database.Exec(t.Context(), "postgres", `
		CREATE ROLE reader LOGIN PASSWORD '`+postgrestest.Password+`';
		CREATE TABLE branches (branch text); INSERT INTO branches VALUES ('Harbour'); GRANT SELECT ON branches TO reader`)
	if err != nil {
		t.Fatal(err)
	}
	p := serving(t, "--database="+database.URL("reader", "postgres"), "--health-interval-seconds=0.2")
	visitor := newClient(p.url, nil)
	asked := func() error {
		result, err := visitor.query(t.Context(), "SELECT branch, 1.50 AS price FROM branches")
		if err == nil && fmt.Sprint(result.Rows) != "[[Harbour 1.50]]" {
			t.Errorf("the answer is %v", result.Rows)
		}
		return err
	}
	if err := asked(); err != nil {
		t.Fatal(err)
	}
	resume, err := database.Interrupt()
	if err != nil {
		t.Fatal(err)
	}
	if err := asked(); err == nil || !strings.Contains(err.Error(), "runner_unavailable") {
		t.Errorf("without its database: %v", err)
	}
	if err := resume(); err != nil {
		t.Fatal(err)
	}
	eventually(t, 20*time.Second, "the database is asked again", func() bool { return asked() == nil })
	said := p.out.String() + p.log.String()
	if strings.Contains(said, postgrestest.Password) || strings.Contains(said, "s3cret") {
		t.Errorf("the password is in what is said:\n%s", said)
	}
	if !strings.Contains(said, "the PostgreSQL database postgres on 127.0.0.1 as reader") {
		t.Errorf("nobody is told which database it is:\n%s", said)
	}
}

func TestPostgresThatRefuses(t *testing.T) {
	p := launch(t, "--addr=127.0.0.1:0", "--data-dir="+dataWithDemo(t), "--database=postgres://reader:s3cret@[/x")
	if code := p.exitCode(t, 20*time.Second); code != exitMisused || strings.Contains(p.log.String(), "s3cret") || !strings.Contains(p.log.String(), "--database") {
		t.Errorf("exit code %d, log:\n%s", code, p.log)
	}
}
