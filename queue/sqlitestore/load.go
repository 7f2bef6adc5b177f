package sqlitestore

import (
	"time"

	"github.com/ncruces/go-sqlite3"

	"confluence/queue"
)

// stored is all that a file holds.
type stored struct {
	queue.State
	clock time.Duration // when it was saved, by the line's clock
	saved time.Time     // and by the wall's

	dates map[int64]dates // by ticket number; nil: not asked for
}

// dates are for people to read.
type dates struct {
	joined time.Time
	since  time.Time // how it stands now
}

// load reads the file as it stands at one instant.
func load(conn *sqlite3.Conn, withDates bool) (s stored, err error) {
	if withDates {
		s.dates = make(map[int64]dates)
	}
	if err := conn.Exec("BEGIN"); err != nil {
		return s, unreadable(err)
	}
	defer func() { err = endReading(conn, err) }()
	err = each(conn, "SELECT number, term, revision, paused, notice, clock, saved FROM line", func(row *sqlite3.Stmt) {
		s.Totals = queue.Totals{
			Number: row.ColumnInt64(0), Term: uint64(row.ColumnInt64(1)), Revision: row.ColumnInt64(2), Paused: row.ColumnBool(3), Notice: row.ColumnText(4),
		}
		s.clock, s.saved = time.Duration(row.ColumnInt64(5)), time.Unix(row.ColumnInt64(6), 0).UTC()
	})
	if err != nil {
		return s, unreadable(err)
	}
	err = each(conn, "SELECT seconds FROM durations ORDER BY place", func(row *sqlite3.Stmt) { s.Durations = append(s.Durations, row.ColumnFloat(0)) })
	if err != nil {
		return s, unreadable(err)
	}
	err = each(conn, `SELECT number, session, id, status, joined_at, autostart, called, run, reason, outcome, ended, refuse, joined, since,
		(SELECT query FROM texts WHERE texts.number = tickets.number) FROM tickets ORDER BY number`, func(row *sqlite3.Stmt) {
		r := queue.Record{
			Number: row.ColumnInt64(0), Session: row.ColumnText(1), ID: row.ColumnText(2), Status: queue.Status(row.ColumnText(3)), JoinedAt: row.ColumnInt(4),
			Kept:      queue.Kept{Query: row.ColumnText(14), AutoStart: row.ColumnBool(5)},
			WasCalled: row.ColumnType(6) != sqlite3.NULL, CalledAt: time.Duration(row.ColumnInt64(6)), RunID: row.ColumnText(7),
			Reason: queue.Reason(row.ColumnText(8)), Outcome: queue.Outcome(row.ColumnText(9)), EndedAt: time.Duration(row.ColumnInt64(10)), Refuse: row.ColumnBool(11),
		}
		if r.Status == statusEnded {
			r.Status = ""
		}
		if withDates {
			s.dates[r.Number] = dates{time.Unix(row.ColumnInt64(12), 0).UTC(), time.Unix(row.ColumnInt64(13), 0).UTC()}
		}
		s.Records = append(s.Records, r)
	})
	if err != nil {
		return s, unreadable(err)
	}
	return s, nil
}

func endReading(conn *sqlite3.Conn, err error) error {
	if ended := conn.Exec("COMMIT"); err == nil {
		return ended
	}
	return err
}
