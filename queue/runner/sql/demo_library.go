package sql

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// demoSize is how many rows the demo has. Loans is about; they depend on the days.
type demoSize struct {
	titles, copies, members, loans, notes int
}

var fullDemo = demoSize{titles: 9000, copies: 24_000, members: 14_000, loans: 330_000, notes: 6000}

// neverBorrowed: one title in so many waits for its first reader.
const neverBorrowed = 61

// The demo's days: its present is fixed, so that its reports never run dry.
var (
	demoFirstDay = time.Date(2023, 1, 2, 0, 0, 0, 0, time.UTC)
	demoToday    = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
)

// demoBranches are the branches with their share of the loans and how many days a book is out there.
var demoBranches = []struct {
	name   string
	opened string
	seats  int
	share  float64
	days   float64
}{
	{"Harbour", "1968-05-04", 140, 18.2, 12.4},
	{"Old Town", "1911-10-02", 90, 15.9, 14.1},
	{"University", "1974-09-30", 320, 15.0, 21.7},
	{"Northgate", "1986-03-15", 75, 11.3, 13.0},
	{"Mill Lane", "1959-06-20", 48, 9.8, 12.9},
	{"Riverside", "2004-04-24", 110, 9.1, 15.3},
	{"St Anne’s", "1933-01-16", 36, 7.4, 11.8},
	{"Hill Road", "1962-11-10", 42, 6.9, 13.6},
	{"Market Square", "1997-08-30", 60, 6.4, 10.9},
	{"West Quay", "2021-02-27", 150, 5.2, 16.2},
	{"Brickfields", "1979-12-01", 30, 4.9, 12.2},
	{"Mobile library", "1951-04-07", 0, 2.2, 20.5},
}

// library makes up the demo's rows, the same ones each time.
type library struct {
	size   demoSize
	random *rand.Rand
	branch []float64 // the share of the loans up to each branch, of 1
	home   [][]int   // the copies of each branch that are ever borrowed
	days   []string  // each day of the demo, as 2026-01-31
}

func newLibrary(size demoSize) *library {
	l := &library{size: size, random: rand.New(rand.NewPCG(1911, 10))} //nolint:gosec // not for secrets: the same rows each time
	sum, total := 0.0, 0.0
	for _, b := range demoBranches {
		total += b.share
	}
	for _, b := range demoBranches {
		sum += b.share
		l.branch = append(l.branch, sum/total)
	}
	l.home = make([][]int, len(demoBranches))
	for day := demoFirstDay; !day.After(demoToday); day = day.AddDate(0, 0, 1) {
		l.days = append(l.days, day.Format(time.DateOnly))
	}
	return l
}

func (l *library) fill(conn *sqlite3.Conn) error {
	for _, fill := range []func(*sqlite3.Conn) error{l.branches, l.titles, l.copies, l.members, l.loans, l.notes} {
		if err := fill(conn); err != nil {
			return err
		}
	}
	return nil
}

func (l *library) branches(conn *sqlite3.Conn) error {
	return insert(conn, `INSERT INTO branches VALUES (?, ?, ?, ?)`, func(row func(...any) error) error {
		for i, b := range demoBranches {
			if err := row(i+1, b.name, b.opened, b.seats); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *library) titles(conn *sqlite3.Conn) error {
	return insert(conn, `INSERT INTO titles VALUES (?, ?, ?, ?, ?)`, func(row func(...any) error) error {
		authors := make([]string, l.size.titles/4)
		for i := range authors {
			authors[i] = l.name()
		}
		for i := range l.size.titles {
			subject := demoSubjects[l.random.IntN(len(demoSubjects))]
			published := 2026 - int(math.Abs(l.random.NormFloat64())*18)
			if err := row(i+1, l.title(subject), authors[l.random.IntN(len(authors))], subject.name, published); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *library) copies(conn *sqlite3.Conn) error {
	return insert(conn, `INSERT INTO copies VALUES (?, ?, ?, ?, ?)`, func(row func(...any) error) error {
		for i := range l.size.copies {
			title := i + 1 // each title has a copy, and some have many
			if i >= l.size.titles {
				title = 1 + l.skewed(l.size.titles)
			}
			branch := l.anyBranch()
			if i < len(demoBranches) {
				branch = i // and no branch is empty
			}
			if title%neverBorrowed != 0 {
				l.home[branch] = append(l.home[branch], i+1)
			}
			acquired := demoToday.AddDate(0, 0, -1500-l.random.IntN(4000)).Format(time.DateOnly)
			price := float64(490+10*l.random.IntN(400)) / 100
			if err := row(i+1, title, branch+1, acquired, price); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *library) members(conn *sqlite3.Conn) error {
	kinds := []string{"adult", "adult", "adult", "student", "student", "child"}
	return insert(conn, `INSERT INTO members VALUES (?, ?, ?, ?, ?)`, func(row func(...any) error) error {
		for i := range l.size.members {
			joined := demoToday.AddDate(0, 0, -l.random.IntN(4500)).Format(time.DateOnly)
			if err := row(i+1, l.name(), l.anyBranch()+1, joined, kinds[l.random.IntN(len(kinds))]); err != nil {
				return err
			}
		}
		return nil
	})
}

// loans go through the days, with fewer on Sundays and in summer, and more from year to year.
func (l *library) loans(conn *sqlite3.Conn) error {
	return insert(conn, `INSERT INTO loans VALUES (?, ?, ?, ?, ?, ?, ?)`, func(row func(...any) error) error {
		perDay := float64(l.size.loans) / float64(len(l.days))
		loan := 0
		for day, borrowed := range l.days {
			date := demoFirstDay.AddDate(0, 0, day)
			busy := 0.9 + 0.2*float64(day)/float64(len(l.days))
			switch date.Weekday() {
			case time.Sunday:
				busy *= 0.15
			case time.Saturday:
				busy *= 1.7
			}
			if date.Month() == time.August {
				busy *= 0.7
			}
			for range int(perDay * busy * (0.85 + 0.3*l.random.Float64())) {
				loan++
				branch := l.anyBranch()
				copyID := l.home[branch][l.skewed(len(l.home[branch]))]
				out := 1 + int(math.Round(math.Max(0, demoBranches[branch].days-1+l.random.NormFloat64()*demoBranches[branch].days/3)))
				var returned, daysOut any
				if back := day + out; back < len(l.days) {
					returned, daysOut = l.days[back], out
				}
				if err := row(loan, copyID, 1+l.skewed(l.size.members), branch+1, borrowed, returned, daysOut); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (l *library) notes(conn *sqlite3.Conn) error {
	return insert(conn, `INSERT INTO notes VALUES (?, ?, ?, ?)`, func(row func(...any) error) error {
		for i := range l.size.notes {
			if err := row(i+1, 1+l.random.IntN(l.size.copies), l.days[l.random.IntN(len(l.days))], l.note()); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *library) anyBranch() int {
	r := l.random.Float64()
	for i, upTo := range l.branch {
		if r < upTo {
			return i
		}
	}
	return len(l.branch) - 1
}

// skewed is a number below n, small ones more often, as some books are read more than others.
func (l *library) skewed(n int) int {
	r := l.random.Float64()
	return int(r * r * float64(n))
}

// insert runs a prepared statement for each row that rows makes.
func insert(conn *sqlite3.Conn, sql string, rows func(row func(...any) error) error) error {
	stmt, _, err := conn.Prepare(sql)
	if err != nil {
		return err
	}
	defer stmt.Close()
	return rows(func(values ...any) error {
		for i, value := range values {
			if err := bind(stmt, i+1, value); err != nil {
				return err
			}
		}
		return stmt.Exec()
	})
}

func bind(stmt *sqlite3.Stmt, parameter int, value any) error {
	switch v := value.(type) {
	case nil:
		return stmt.BindNull(parameter)
	case int:
		return stmt.BindInt(parameter, v)
	case float64:
		return stmt.BindFloat(parameter, v)
	case string:
		return stmt.BindText(parameter, v)
	}
	return fmt.Errorf("a value of type %T can't be bound", value)
}

func (l *library) name() string {
	return l.pick(demoGivenNames) + " " + l.pick(demoFamilyNames)
}

func (l *library) title(subject demoSubject) string {
	title := fmt.Sprintf(l.pick(subject.patterns), l.pick(subject.things))
	title = strings.ReplaceAll(title, "The the ", "The ") // a thing may bring its own article
	title = strings.ToUpper(title[:1]) + title[1:]
	if subject.name != "Novel" && l.random.IntN(3) == 0 {
		title += fmt.Sprintf(", %s edition", [...]string{"second", "third", "revised", "large print", "illustrated"}[l.random.IntN(5)])
	}
	return title
}

func (l *library) note() string {
	return l.pick(demoNotePlaces) + ": " + l.pick(demoNoteMatters) + ". " + l.pick(demoNoteDeeds)
}

func (l *library) pick(words []string) string { return words[l.random.IntN(len(words))] }
