package sqlitestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ncruces/go-sqlite3"

	"confluence/queue"
)

// Contents is what a file holds.
type Contents struct {
	File      string    `json:"file"`
	Format    int       `json:"format"`
	SavedAt   time.Time `json:"saved_at"`   // by the wall clock, as all dates here
	UpSeconds float64   `json:"up_seconds"` // how long servers were up with it
	Number    int64     `json:"number"`     // of the last ticket
	Term      uint64    `json:"term"`
	Revision  int64     `json:"revision"`
	Paused    bool      `json:"paused"`
	Notice    string    `json:"notice"`
	Tickets   []Ticket  `json:"tickets"`           // the running, the called, the line, in order of position
	Ended     []Ticket  `json:"ended"`             // remembered, the last first
	Durations []float64 `json:"durations_seconds"` // of the last runs, oldest first
}

// Ticket is a ticket as it is stored.
type Ticket struct {
	Number    int64         `json:"number"`
	ID        string        `json:"ticket_id"`
	Session   string        `json:"session"`
	Status    string        `json:"status"`   // queued, ready, running, or ended
	Position  int           `json:"position"` // 0 of one that runs or has ended
	JoinedAt  time.Time     `json:"joined_at"`
	Since     time.Time     `json:"since"` // it stands so
	RunID     string        `json:"run_id,omitempty"`
	Reason    queue.Reason  `json:"reason,omitempty"`
	Outcome   queue.Outcome `json:"outcome,omitempty"`
	Query     string        `json:"query,omitempty"`
	AutoStart bool          `json:"auto_start,omitempty"`
}

// Inspect reads what the folder's file holds at one instant, whether a server has it open or not, and changes nothing. It errs with ErrNoLine
// if there is none, and as Open does.
func Inspect(ctx context.Context, folder string) (Contents, error) {
	path, err := filepath.Abs(filepath.Join(folder, lineFile))
	if err != nil {
		return Contents{}, err
	}
	return inspect(ctx, path)
}

func inspect(ctx context.Context, path string) (c Contents, err error) {
	err = reading(ctx, path, func(conn *sqlite3.Conn, format int) error {
		s, err := load(conn, true)
		c = contents(path, format, s)
		return err
	})
	return c, err
}

// errMoved: a file that was read as one that nobody writes was written.
var errMoved = errors.New("the file changed while it was read")

// reading lets fn read a file of ours, which stays as it is. fn is called again if the file changed meanwhile.
func reading(ctx context.Context, path string, fn func(conn *sqlite3.Conn, format int) error) error {
	for {
		switch err := readOnce(ctx, path, fn); {
		case errors.Is(err, errMoved) && ctx.Err() == nil:
			continue
		case err != nil && !errors.Is(err, ErrNoLine):
			return fmt.Errorf("%s can't be read: %w", path, err)
		default:
			return err
		}
	}
}

func readOnce(ctx context.Context, path string, fn func(conn *sqlite3.Conn, format int) error) (err error) {
	before, err := stillness(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", filepath.Dir(path), ErrNoLine)
	}
	if err != nil {
		return err
	}
	if err := notEmptied(path); err != nil {
		return err
	}
	conn, err := openReadOnly(ctx, path, before != "")
	if err != nil {
		return err
	}
	defer func() {
		after, statErr := stillness(path)
		if before != "" && (statErr != nil || after != before) {
			err = errMoved // whatever was read, or could not be
		}
		if closed := conn.Close(); err == nil {
			err = closed
		}
	}()
	format, err := formatOf(conn, len(migrations))
	if err != nil {
		return err
	}
	if format == 0 {
		return fmt.Errorf("%s: %w", path, ErrNoLine)
	}
	return fn(conn, format)
}

// stillness tells whether nobody writes: then there is no log beside the file, which can be read without the files that a reader of a log
// makes. It is empty if somebody may be writing, else it changes when somebody does.
func stillness(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if wal, err := os.Stat(path + "-wal"); err == nil && wal.Size() > 0 {
		return "", nil
	}
	return fmt.Sprint(info.ModTime().UnixNano(), info.Size()), nil
}

func openReadOnly(ctx context.Context, path string, still bool) (*sqlite3.Conn, error) {
	query := url.Values{"mode": {"ro"}}
	if still {
		query.Set("immutable", "1")
	}
	uri := url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}
	conn, err := sqlite3.OpenContext(ctx, uri.String())
	if err != nil {
		return nil, unreadable(err)
	}
	conn.SetInterrupt(ctx)
	return conn, errors.Join(conn.BusyTimeout(patience), conn.Exec("PRAGMA trusted_schema = OFF"))
}

func contents(path string, format int, s stored) Contents {
	c := Contents{
		File: path, Format: format, SavedAt: s.saved, UpSeconds: s.clock.Seconds(), Number: s.Totals.Number, Term: s.Totals.Term,
		Revision: s.Totals.Revision, Paused: s.Totals.Paused, Notice: s.Totals.Notice, Tickets: []Ticket{}, Ended: []Ticket{}, Durations: s.Durations,
	}
	if c.Durations == nil {
		c.Durations = []float64{}
	}
	rank := map[queue.Status]int{queue.Running: 0, queue.Ready: 1, queue.Queued: 2}
	slices.SortFunc(s.Records, func(a, b queue.Record) int {
		if a.Status == "" && b.Status == "" {
			return cmp.Or(cmp.Compare(b.EndedAt, a.EndedAt), cmp.Compare(b.Number, a.Number))
		}
		return cmp.Or(cmp.Compare(rank[a.Status], rank[b.Status]), order(a, b), cmp.Compare(a.Number, b.Number))
	})
	position := 0
	for _, r := range s.Records {
		t := Ticket{
			Number: r.Number, ID: r.ID, Session: r.Session, Status: string(r.Status), JoinedAt: s.dates[r.Number].joined, Since: s.dates[r.Number].since,
			RunID: r.RunID, Reason: r.Reason, Outcome: r.Outcome, Query: r.Kept.Query, AutoStart: r.Kept.AutoStart,
		}
		switch r.Status {
		case "":
			t.Status = statusEnded
			c.Ended = append(c.Ended, t)
			continue
		case queue.Ready, queue.Queued:
			position++
			t.Position = position
		}
		c.Tickets = append(c.Tickets, t)
	}
	return c
}

// order is that of two which were called.
func order(a, b queue.Record) int {
	if a.Status == queue.Ready && b.Status == queue.Ready {
		return cmp.Compare(a.CalledAt, b.CalledAt)
	}
	return 0
}
