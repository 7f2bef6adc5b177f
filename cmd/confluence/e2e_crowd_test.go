package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"
)

// crowdProcesses is how many processes make a crowd.
const crowdProcesses = 2

// endlessQuery runs until somebody stops it.
const endlessQuery = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n`

// TestCrowdIsServedOneByOneInOrderOfJoining: two processes of 200 users each against one server. All join while a run is going, so that
// the line holds all of them at once; then runs never overlap, everyone is served in order of joining, and nobody is lost.
func TestCrowdIsServedOneByOneInOrderOfJoining(t *testing.T) {
	serveCrowd(t, serving(t, "--queue-reservation-seconds=20", "--queue-heartbeat-seconds=10", "--polls-per-second=1000"), 200)
}

// TestCrowdWithoutRaces: a smaller crowd against a server that has the race detector, and is slower for it.
func TestCrowdWithoutRaces(t *testing.T) {
	serveCrowd(t, servingWithRaces(t, "--queue-reservation-seconds=20", "--queue-heartbeat-seconds=10", "--polls-per-second=1000"), 15)
}

// serveCrowd lets so many users of each process be served.
func serveCrowd(t *testing.T, server *process, users int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()

	openCurtain := holdTheSlot(ctx, t, server)
	crowd := startCrowds(ctx, t, server.url, users)
	onlooker := newClient(server.url, nil)
	eventually(t, time.Minute, "everybody to have joined", func() bool {
		p, err := onlooker.picture(ctx)
		return err == nil && p.Length == crowdProcesses*users
	})
	began := time.Now()
	openCurtain()
	all := crowd(func() { atMostOneInTheSlot(ctx, t, onlooker) })
	t.Logf("%d users were served in %v", len(all), time.Since(began).Round(time.Millisecond))

	nobodyLost(t, all, crowdProcesses*users)
	servedInOrder(t, all)
	eventually(t, soonEnough, "the line to be empty and the runner idle", func() bool {
		p, err := onlooker.picture(ctx)
		return err == nil && p.Length == 0 && p.Runner == "idle"
	})
}

// holdTheSlot starts a run that doesn't end by itself; the function that it returns makes its client go away, which ends it.
func holdTheSlot(ctx context.Context, t *testing.T, server *process) (release func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	holder := newClient(server.url, nil)
	go func() {
		_, err := holder.query(ctx, endlessQuery)
		ended <- err
	}()
	onlooker := newClient(server.url, nil)
	eventually(t, soonEnough, "the slot to be taken", func() bool {
		p, err := onlooker.picture(ctx)
		return err == nil && p.Runner == "running"
	})
	return func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the run that held the slot ended with %v", err)
		}
	}
}

// startCrowds starts the processes. The function that it returns waits until all users have been through, and keeps doing meanwhile
// what it is given.
func startCrowds(ctx context.Context, t *testing.T, url string, users int) func(meanwhile func()) []served {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	answers := make(chan served, crowdProcesses*users)
	var running sync.WaitGroup
	for range crowdProcesses {
		crowd := exec.CommandContext(ctx, self)
		crowd.Env = append(os.Environ(), crowdEnv+"="+url, fmt.Sprintf("%s=%d", crowdUsersEnv, users))
		crowd.Stderr = os.Stderr
		orders, err := crowd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		lines, err := crowd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := crowd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(orders, "go\n"); err != nil {
			t.Fatal(err)
		}
		running.Go(func() {
			scanner := bufio.NewScanner(lines)
			for scanner.Scan() {
				var one served
				if err := json.Unmarshal(scanner.Bytes(), &one); err != nil {
					t.Errorf("a crowd said %q: %v", scanner.Text(), err)
					continue
				}
				answers <- one
			}
			if err := crowd.Wait(); err != nil {
				t.Errorf("a crowd ended with %v", err)
			}
		})
	}
	return func(meanwhile func()) []served {
		over := make(chan struct{})
		go func() {
			running.Wait()
			close(over)
		}()
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-over:
				close(answers)
				var users []served
				for one := range answers {
					users = append(users, one)
				}
				return users
			case <-tick.C:
				meanwhile()
			}
		}
	}
}

// atMostOneInTheSlot looks at the public picture: one slot serves one, or is kept for one.
func atMostOneInTheSlot(ctx context.Context, t *testing.T, onlooker *client) {
	p, err := onlooker.picture(ctx)
	if err != nil {
		t.Errorf("the picture: %v", err)
		return
	}
	if len(p.Serving)+len(p.Called) > 1 {
		t.Errorf("one slot, and %v is served, %v is called", p.Serving, p.Called)
	}
}

func nobodyLost(t *testing.T, users []served, all int) {
	t.Helper()
	runs, numbers, places := map[string]bool{}, map[int64]bool{}, map[int]bool{}
	for _, u := range users {
		switch {
		case u.Trouble != "":
			t.Errorf("ticket %d was not served: %s", u.Number, u.Trouble)
		case u.Rose != "":
			t.Errorf("the position of ticket %d rose %s", u.Number, u.Rose)
		}
		runs[u.RunID], numbers[u.Number], places[u.Joined] = true, true, true
	}
	if len(users) != all || len(runs) != all || len(numbers) != all {
		t.Errorf("%d users of %d, with %d runs and %d numbers", len(users), all, len(runs), len(numbers))
	}
	for place := 1; place <= all; place++ {
		if !places[place] {
			t.Errorf("nobody joined at place %d", place)
		}
	}
}

// servedInOrder: sorted by number, which grows in order of joining, each run began when the one before had ended. The instants are the
// runner's own, of one clock, to the millisecond.
func servedInOrder(t *testing.T, users []served) {
	t.Helper()
	slices.SortFunc(users, func(a, b served) int { return cmp.Compare(a.Number, b.Number) })
	for i, u := range users {
		if u.Ended < u.Began {
			t.Errorf("the run of ticket %d ended before it began", u.Number)
		}
		if i > 0 && u.Began < users[i-1].Ended {
			t.Errorf("the run of ticket %d began %.3f s before that of ticket %d had ended", u.Number, users[i-1].Ended-u.Began, users[i-1].Number)
		}
		if i > 0 && u.Joined <= users[i-1].Joined {
			t.Errorf("ticket %d joined at place %d, ticket %d at place %d", u.Number, u.Joined, users[i-1].Number, users[i-1].Joined)
		}
	}
}
