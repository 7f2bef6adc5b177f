// Package postgres is the runner that answers read-only SQL over a PostgreSQL database.
//
// # What holds a query
//
// The wall is the role that the operator chooses: whatever it may read or call, a visitor may, too. PostgreSQL has functions that read
// files, end other sessions or reach other servers, and a list of forbidden words would not stop them. A good role can log in and select,
// and nothing else:
//
//	CREATE ROLE confluence LOGIN PASSWORD '…' CONNECTION LIMIT 10;
//	GRANT CONNECT ON DATABASE reports TO confluence;
//	GRANT USAGE ON SCHEMA public TO confluence;
//	GRANT SELECT ON ALL TABLES IN SCHEMA public TO confluence;
//	ALTER ROLE confluence SET temp_file_limit = '1GB';
//
// New logs a warning about a superuser, or a role that may use the server's files and programs. Inside that wall:
//
//   - the session: default_transaction_read_only, and a transaction that is READ ONLY; statement_timeout a second after the run's own limit,
//     for the case that this program can't cancel any more
//   - the statement: exactly one, and PostgreSQL must accept it as a cursor's: SELECT, VALUES, TABLE, or WITH that doesn't change data
//   - the answer: caps on rows and bytes, stated when they are hit; a row larger than the answer may be is not taken into memory
//   - the time: the context's
//
// # Connections
//
// Each run, check and health check has a connection of its own, so that nothing that a query leaves in its session (settings, locks, temporary
// tables) meets the next one. There are at most as many as runs, and three more. A statement begins to run when it is declared as a cursor; its
// rows are fetched one by one while they come slowly, in hundreds while they come fast. (A cursor's plan is never parallel; in return the
// first row is seen when it is found.)
//
// When the context ends, the server is asked to cancel, and asked again until it has; after three seconds its process is terminated. Run returns
// when the server has closed the connection, which its process does at its very end: only then nothing is left of the run. (A few functions
// work for some seconds before they look for a cancel.) If the server can't be reached any more it returns after ten seconds; then the
// statement_timeout ends what may be left. No transaction is ever committed.
//
// # Values
//
// smallint, integer, bigint and oid are int64; real and double precision float64, NaN and the infinities included; boolean is bool; bytea is
// bytes. Everything else is the text that PostgreSQL writes: numeric with all its digits, dates and times as in ISO 8601, intervals, uuid,
// JSON, arrays, ranges, enumerations.
package postgres
