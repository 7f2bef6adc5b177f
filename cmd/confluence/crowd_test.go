package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

// crowdEnv holds the address of the server that this process is to crowd; crowdUsersEnv says how many users it simulates.
const (
	crowdEnv      = "CONFLUENCE_TEST_CROWD"
	crowdUsersEnv = "CONFLUENCE_TEST_CROWD_USERS"
	crowdLimit    = 2 * time.Minute // for one user, from join to answer
)

// crowdQuery tells, in the runner's own clock, when its run began and when it ended: "now" is one instant for each row, and between the
// two rows lies all the work.
const crowdQuery = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
SELECT i, unixepoch('now', (i * 0) || ' seconds', 'subsec') AS instant FROM n WHERE i IN (1, 2000)`

// served is what one user of a crowd went through.
type served struct {
	Number   int64   // of the ticket
	Joined   int     // the position at the join
	Rose     string  // a rise of the position, if there was one
	RunID    string  //
	Began    float64 // in seconds of the runner's clock
	Ended    float64
	Trouble  string // why it was not served; empty: it was
	FollowBy string // how it watched the line: poll, stream, hold
}

// crowdMain simulates users until each is served, and prints what they went through, a line each. It begins at the first byte on in, and
// is over when in ends.
func crowdMain(in io.Reader, out, errs io.Writer) int {
	users, err := strconv.Atoi(os.Getenv(crowdUsersEnv))
	if err != nil {
		fmt.Fprintln(errs, err)
		return exitMisused
	}
	orders := bufio.NewReader(in)
	if _, err := orders.ReadByte(); err != nil {
		return exitFailed
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // ends with the process
		io.Copy(io.Discard, orders)
		cancel()
	}()
	transport := &http.Transport{MaxIdleConnsPerHost: users, MaxConnsPerHost: 0}
	answers := make(chan served)
	var all sync.WaitGroup
	for i := range users {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, crowdLimit)
			defer cancel()
			answers <- crowdUser(ctx, newClient(os.Getenv(crowdEnv), transport), []string{"poll", "poll", "stream", "hold"}[i%4])
		})
	}
	go func() {
		all.Wait()
		close(answers)
	}()
	lines := json.NewEncoder(out)
	for answer := range answers {
		if err := lines.Encode(answer); err != nil {
			fmt.Fprintln(errs, err)
			return exitFailed
		}
	}
	return exitDone
}

// crowdUser joins, waits for the turn in one of three ways, claims it, and reads the answer.
func crowdUser(ctx context.Context, c *client, by string) served {
	went := served{FollowBy: by}
	trouble := func(doing string, err error) served {
		went.Trouble = fmt.Sprintf("%s: %v", doing, err)
		return went
	}
	at, err := c.join(ctx, "")
	if err != nil {
		return trouble("join", err)
	}
	went.Number, went.Joined = at.Number, at.Position
	last := at
	see := func(now standing) bool {
		if now.Position > last.Position && went.Rose == "" {
			went.Rose = fmt.Sprintf("from %d to %d", last.Position, now.Position)
		}
		last = now
		return now.Status == "ready"
	}
	if !see(at) {
		if err := awaitTurn(ctx, c, by, see, &last); err != nil {
			return trouble("wait by "+by, err)
		}
	}
	answer, err := c.query(ctx, crowdQuery)
	if err != nil {
		return trouble("query", err)
	}
	went.RunID = answer.RunID
	if went.Began, went.Ended, err = instants(answer); err != nil {
		return trouble("answer", err)
	}
	return went
}

func awaitTurn(ctx context.Context, c *client, by string, see func(standing) bool, last *standing) error {
	switch by {
	case "stream":
		return c.follow(ctx, see)
	case "hold":
		tag := ""
		for {
			now, newTag, err := c.hold(ctx, tag)
			if err != nil {
				return err
			}
			if newTag != tag && see(now) {
				return nil
			}
			tag = newTag
		}
	}
	for {
		pause := 500 * time.Millisecond
		if last.Ahead < 4 {
			pause = 20 * time.Millisecond
		}
		select {
		case <-time.After(pause): // a person's pace; the nearer the turn the oftener one looks
		case <-ctx.Done():
			return ctx.Err()
		}
		now, err := c.status(ctx)
		if err != nil {
			return err
		}
		if see(now) {
			return nil
		}
	}
}

// instants are when a run of crowdQuery began and ended.
func instants(r result) (began, ended float64, err error) {
	if r.Outcome != "succeeded" || len(r.Rows) != 2 || len(r.Rows[0]) != 2 || len(r.Rows[1]) != 2 {
		return 0, 0, fmt.Errorf("not the two rows that were asked for: %+v", r)
	}
	began, first := r.Rows[0][1].(float64)
	ended, second := r.Rows[1][1].(float64)
	if !first || !second {
		return 0, 0, errors.New("the instants are not numbers")
	}
	return began, ended, nil
}
