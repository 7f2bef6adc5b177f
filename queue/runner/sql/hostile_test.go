package sql

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"confluence/queue/runner"
	"confluence/queue/runner/runnertest"
)

// refused are statements that Check rejects, with a part of its words.
var refused = map[string]string{
	`ATTACH DATABASE '/tmp/other.db' AS other`: "no other file",
	`ATTACH ':memory:' AS other`:               "no other file",
	`DETACH main`:                              "no other file",

	`PRAGMA journal_mode = WAL`:              "PRAGMA journal_mode can't",
	`PRAGMA writable_schema = ON`:            "PRAGMA writable_schema can't",
	`PRAGMA query_only = OFF`:                "PRAGMA query_only can't",
	`PRAGMA trusted_schema = ON`:             "PRAGMA trusted_schema can't",
	`PRAGMA hard_heap_limit = 0`:             "PRAGMA hard_heap_limit can't",
	`PRAGMA temp_store_directory = '/tmp'`:   "PRAGMA temp_store_directory can't",
	`PRAGMA user_version = 7`:                "PRAGMA user_version can't",
	`PRAGMA main.wal_checkpoint`:             "PRAGMA wal_checkpoint can't",
	`PRAGMA optimize`:                        "PRAGMA optimize can't",
	`PRAGMA incremental_vacuum`:              "PRAGMA incremental_vacuum can't",
	`PRAGMA database_list`:                   "PRAGMA database_list can't",
	`PRAGMA mmap_size = 1000000000`:          "PRAGMA mmap_size can't",
	`PRAGMA temp_store = FILE`:               "PRAGMA temp_store can't",
	`PRAGMA function_list`:                   "PRAGMA function_list can't",
	`SELECT file FROM pragma_database_list`:  "table pragma_database_list can't",
	`SELECT * FROM pragma_compile_options`:   "table pragma_compile_options can't",
	`SELECT * FROM pragma_integrity_check`:   "table pragma_integrity_check can't",
	`SELECT * FROM sqlite_stat1`:             "table sqlite_stat1 can't",
	`SELECT data FROM sqlite_dbpage`:         "no such table: sqlite_dbpage",
	`SELECT * FROM dbstat`:                   "no such table: dbstat",
	`SELECT load_extension('/tmp/x.so')`:     "no such function",
	`SELECT readfile('/etc/passwd')`:         "no such function",
	`SELECT writefile('/tmp/x', 'y')`:        "no such function",
	`SELECT name FROM fsdir('/')`:            "no such table: fsdir",
	`SELECT * FROM zipfile('/tmp/x.zip')`:    "no such table: zipfile",
	`SELECT * FROM csv('/etc/passwd')`:       "no such table: csv",
	`SELECT * FROM sqlite_stmt`:              "no such table: sqlite_stmt",
	`SELECT * FROM bytecode('SELECT 1')`:     "no such table: bytecode",
	`SELECT edit('x')`:                       "no such function",
	`SELECT fts3_tokenizer('simple', x'00')`: "no such function",
	`SELECT sqlite_compileoption_get(1)`:     "function sqlite_compileoption_get can't",
	`SELECT sqlite_log(1, 'x')`:              "function sqlite_log can't",
	`SELECT last_insert_rowid()`:             "function last_insert_rowid can't",

	`VACUUM`:                              onlyReading,
	`VACUUM INTO '/tmp/stolen.db'`:        onlyReading,
	`ANALYZE`:                             onlyReading,
	`REINDEX`:                             onlyReading,
	`INSERT INTO branches DEFAULT VALUES`: onlyReading,
	`INSERT INTO branches VALUES (99, 'x', 'y', 1) RETURNING *`:          onlyReading,
	`REPLACE INTO branches VALUES (1, 'x', 'y', 1)`:                      onlyReading,
	`UPDATE loans SET days_out = 0`:                                      onlyReading,
	`DELETE FROM loans`:                                                  onlyReading,
	`WITH t AS (SELECT 1) DELETE FROM loans`:                             onlyReading,
	`EXPLAIN DELETE FROM loans`:                                          onlyReading,
	`DELETE FROM sqlite_schema`:                                          "sqlite_master may not be modified",
	`CREATE TABLE t (a)`:                                                 onlyReading,
	`CREATE TABLE t AS SELECT * FROM loans`:                              onlyReading,
	`CREATE TEMP TABLE t (a)`:                                            onlyReading,
	`CREATE TEMP VIEW v AS SELECT 1`:                                     onlyReading,
	`CREATE VIEW v AS SELECT 1`:                                          onlyReading,
	`CREATE INDEX i ON loans (days_out)`:                                 onlyReading,
	`CREATE TRIGGER r AFTER INSERT ON loans BEGIN SELECT 1; END`:         onlyReading,
	`CREATE VIRTUAL TABLE t USING fts5(a)`:                               onlyReading,
	`CREATE VIRTUAL TABLE temp.t USING fts5vocab(main, notes_text, row)`: onlyReading,
	`DROP TABLE loans`:                                                   onlyReading,
	`ALTER TABLE loans RENAME TO x`:                                      onlyReading,
	`INSERT INTO notes_text (notes_text) VALUES ('delete-all')`:          onlyReading,
	`BEGIN IMMEDIATE`:                                                    "Transactions",
	`COMMIT`:                                                             "Transactions",
	`SAVEPOINT s`:                                                        "Transactions",

	`SELECT 1; DELETE FROM loans`:             "Only one statement",
	"SELECT 1;\n/* */; ATTACH 'x' AS y":       "Only one statement",
	"SELECT 1\x00; DELETE FROM loans":         "NUL",
	`SELECT * FROM loans WHERE loan_id = ?99`: "parameter",

	"SELECT " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000):                          "Recursion limit",
	"SELECT 1" + strings.Repeat(" + 1", 5000):                                                        "Expression tree is too large",
	"SELECT " + strings.Repeat("abs(", 2000) + "1" + strings.Repeat(")", 2000):                       "Recursion limit",
	"SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 1000):                                         "too many terms in compound SELECT",
	"SELECT 1" + strings.Repeat(", 1", 5000):                                                         "too many columns",
	"SELECT max(1" + strings.Repeat(", 1", 1000) + ")":                                               "too many arguments",
	"SELECT 1 FROM branches" + strings.Repeat(", branches", 80):                                      "at most 64 tables in a join",
	"SELECT * FROM " + strings.Repeat("(SELECT * FROM ", 2000) + "loans" + strings.Repeat(")", 2000): "Recursion limit",
	"SELECT '" + strings.Repeat("x", 1<<20) + "'":                                                    "longer than 1 MiB",
}

// stoppedSoon are statements that may begin to run, and must fail, be cut, be killed at their time, or end by themselves; in little memory.
var stoppedSoon = []string{
	`SELECT randomblob(1000000000)`,
	`SELECT zeroblob(1000000000)`,
	`SELECT zeroblob(2147483647) || zeroblob(2147483647)`,
	`SELECT hex(zeroblob(16000000))`,
	`SELECT printf('%2000000000s', 'x')`,
	`SELECT printf('%.*c', 2000000000, 'x')`,
	`SELECT replace(hex(zeroblob(4000000)), '0', hex(zeroblob(4000000)))`,
	`SELECT group_concat(hex(zeroblob(1000000))) FROM generate_series(1, 1000000)`,
	`SELECT json_group_array(hex(zeroblob(1000000))) FROM generate_series(1, 1000000)`,
	`SELECT quote(group_concat(randomblob(1000000))) FROM generate_series(1, 1000)`,
	`SELECT zeroblob(15000000)` + strings.Repeat(`, zeroblob(15000000)`, 400),
	`SELECT hex(zeroblob(8000000)) FROM generate_series(1, 1000000)`,
	`SELECT replace(hex(zeroblob(4000000)), '0', char(1)) FROM generate_series(1, 1000000)`,
	`SELECT * FROM (SELECT randomblob(1000) AS b FROM generate_series(1, 1000000000)) ORDER BY b`,
	`SELECT count(DISTINCT randomblob(1000)) FROM generate_series(1, 1000000000)`,
	`SELECT randomblob(16), count(*) FROM generate_series(1, 1000000000) GROUP BY 1`,
	`SELECT sum(value) OVER (ORDER BY randomblob(100)) FROM generate_series(1, 1000000000)`,
	`SELECT * FROM generate_series(1, 1000000000) a JOIN (SELECT randomblob(1000) b FROM generate_series(1, 1000000000)) ON b = a.value`,
	`WITH RECURSIVE n (b) AS (SELECT randomblob(1000) UNION SELECT randomblob(1000) FROM n) SELECT count(*) FROM n`,
	`WITH RECURSIVE n (s) AS (SELECT 'x' UNION ALL SELECT s || s FROM n) SELECT max(length(s)) FROM n`,
	`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n UNION ALL SELECT i + 2 FROM n) SELECT count(*) FROM n`,
	`WITH t AS MATERIALIZED (SELECT randomblob(1000) b FROM generate_series(1, 1000000000)) SELECT count(*) FROM t, t AS u`,
	`SELECT count(*) FROM loans a, loans b, loans c`,
	`SELECT decimal_pow2(20000)`,
	`SELECT decimal_mul(hex(zeroblob(2000000)), hex(zeroblob(2000000)))`,
	`SELECT hex(zeroblob(4000000)) REGEXP '(0*)*(0*)*(0*)*1'`,
	`SELECT hex(zeroblob(4000000)) LIKE '%0%0%0%0%0%0%0%0%0%0%0%0%0%0%0%0%0%0%0%0%1'`,
	`SELECT hex(zeroblob(400)) LIKE '` + strings.Repeat("%0", 200) + `'`,
	`SELECT instr(hex(zeroblob(8000000)), hex(zeroblob(4000000)) || '1')`,
	`SELECT json_extract('` + strings.Repeat("[", 50000) + strings.Repeat("]", 50000) + `', '$')`,
	`SELECT value FROM json_tree('[' || hex(zeroblob(0)) || '` + strings.Repeat("0,", 100000) + `0]')`,
	`SELECT note FROM notes_text WHERE notes_text MATCH '` + strings.Repeat("(", 3000) + "a" + strings.Repeat(")", 3000) + `'`,
	`SELECT note FROM notes_text WHERE notes_text MATCH 'a*' || '` + strings.Repeat(" OR a*", 3000) + `'`,
	`SELECT group_concat(snippet(notes_text, 0, hex(zeroblob(1000000)), '', '', 64)) FROM notes_text WHERE notes_text MATCH 'water'`,
	`EXPLAIN SELECT 1 FROM ` + strings.Repeat(`loans NATURAL JOIN `, 15) + `loans`,
	`SELECT 1 FROM ` + strings.Repeat(`(SELECT 1 UNION ALL SELECT 2), `, 40) + `(SELECT 1)`,
}

// memoryMost is how much memory a child may have, in KiB.
const memoryMost = 256 << 10

func TestHostile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demo.db")
	if err := copyFile(path, demoFile); err != nil {
		t.Fatal(err)
	}
	before := fingerprint(t, path)
	r := newRunner(t, Options{Database: path})
	for query, says := range refused {
		t.Run(short(query), func(t *testing.T) {
			for what, err := range map[string]error{
				"check": r.Check(t.Context(), runner.Query{Text: query}),
				"run":   r.Run(t.Context(), runner.Query{Text: query}, new(runnertest.Recorder)),
			} {
				var rejected *runner.RejectedError
				if !errors.As(err, &rejected) || !strings.Contains(rejected.Detail, says) {
					t.Errorf("%s: %v, want a rejection with %q", what, err, says)
				}
			}
		})
	}
	peak := peakMemory()
	t.Run("stopped", func(t *testing.T) {
		for _, query := range stoppedSoon {
			t.Run(short(query), func(t *testing.T) {
				t.Parallel()
				stopsSoon(t, r, query)
			})
		}
	})
	const enough = 32 << 10 // KiB
	switch took := peak(); {
	case took > memoryMost:
		t.Errorf("a child took %d KiB of memory, at most %d are allowed", took, memoryMost)
	case took < enough:
		t.Errorf("no child took more than %d KiB: were they watched?", took)
	default:
		t.Logf("no child took more than %d MiB", took>>10)
	}
	if left := children(); len(left) > 0 {
		t.Errorf("processes %v remain", left)
	}
	if after := fingerprint(t, path); after != before {
		t.Errorf("the folder of the database was %s, is %s", before, after)
	}
}

// stopsSoon runs a query that must fail, be cut, end by itself, or be killed at its time.
func stopsSoon(t *testing.T, r *Runner, query string) {
	const limit, slack = 2 * time.Second, 5 * time.Second // the machine may be busy with other tests
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	start := time.Now()
	err := r.Run(ctx, runner.Query{Text: query}, new(runnertest.Recorder))
	if took := time.Since(start); took > limit+slack {
		t.Errorf("took %v", took)
	}
	isKnown(t, "run", err)
	t.Log(err)
}

// peakMemory watches the children of this process until the function that it returns is called, which tells the most that one of them
// had in memory, in KiB. (What the kernel counts for a process that ended begins with what its parent had when it forked.)
func peakMemory() func() int64 {
	var peak int64
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			lists, _ := filepath.Glob("/proc/self/task/*/children")
			for _, list := range lists {
				pids, _ := os.ReadFile(list)
				for pid := range strings.FieldsSeq(string(pids)) {
					peak = max(peak, highWater(pid))
				}
			}
		}
	}()
	return func() int64 {
		close(stop)
		<-done
		return peak
	}
}

// highWater is the most that a running process had in memory, in KiB.
func highWater(pid string) int64 {
	status, _ := os.ReadFile("/proc/" + pid + "/status")
	// Before it has executed its own program a child still shows its parent's memory.
	if name, _, _ := strings.Cut(string(status), "\n"); !strings.Contains(name, filepath.Base(childExe)) {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " kB")
	n, _ := strconv.ParseInt(kilobytes, 10, 64)
	return n
}

func short(query string) string {
	if len(query) > 60 {
		return query[:60]
	}
	return query
}

func copyFile(to, from string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o600)
}

// fingerprint names the files in a file's folder, and what they hold.
func fingerprint(t testing.TB, path string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	var prints []string
	for _, entry := range entries {
		f, err := os.Open(filepath.Join(filepath.Dir(path), entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		hash := sha256.New()
		if _, err := io.Copy(hash, f); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		prints = append(prints, fmt.Sprintf("%s %x", entry.Name(), hash.Sum(nil)))
	}
	return strings.Join(prints, ", ")
}
