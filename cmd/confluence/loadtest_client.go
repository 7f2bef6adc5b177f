package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

const impatient = 0.1 // of the programs, share, that send their claim again with the same key

// apiClient plays a program: it joins by the API, asks for its place at the pace that it is told or follows a stream of it, and sends its
// query when it is called.
type apiClient struct {
	*player
	polls bool
	key   string // names its query, so that it runs once however often it is sent
}

func (c *apiClient) join(ctx context.Context) error {
	if c.server.token == "" {
		asked := c.test.now()
		if err := c.server.open(ctx); err != nil {
			return err
		}
		c.test.times.add("session", c.test.now()-asked)
		c.key = rand.Text()
	}
	var v askView
	asked := c.test.now()
	if err := c.server.call(ctx, http.MethodPost, "queue/join", c.body(), &v); err != nil {
		return err
	}
	told := c.test.now()
	c.test.times.add("join", told-asked)
	c.seen = asked
	if v.Status == "ready" {
		c.window = asked + time.Duration(v.Window-1)*time.Second
	}
	c.saw(asked, told, v)
	return nil
}

func (c *apiClient) body() any { return map[string]string{"query": c.test.asked.Query} }

func (c *apiClient) await(ctx context.Context) error {
	if !c.polls {
		return c.stream(ctx)
	}
	c.following = "poll"
	for c.view.Status == "queued" {
		pause := time.Duration(max(1, c.view.PollAfter)) * time.Second
		if c.view.Ahead == 0 { // nearly there
			pause = time.Second
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := c.status(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stream follows the standing until it is no longer queued.
func (c *apiClient) stream(ctx context.Context) error {
	c.following = "stream"
	asked := c.test.now()
	opening, heard := asked, false
	return notFound(c.server.follow(ctx, http.MethodGet, "queue/status", nil, nil, func(ev askEvent) (bool, error) {
		told := c.test.now()
		if ev.name != "standing" {
			var gone struct {
				Reason string `json:"reason"`
				RunID  string `json:"run_id"`
			}
			if err := ev.into(&gone); err != nil {
				return false, err
			}
			return false, &ticketGone{reason: gone.Reason, run: gone.RunID}
		}
		var v askView
		if err := ev.into(&v); err != nil {
			return false, err
		}
		if !heard {
			c.test.times.add("stream", told-opening)
			c.seen, heard = opening, true
		}
		c.saw(asked, told, v)
		asked = told // what is told on a stream is told in order
		return v.Status == "queued", nil
	}))
}

// claim sends the query and reads its answer, as far as the connection goes.
func (c *apiClient) claim(ctx context.Context) error {
	err := c.send(ctx)
	refused := askRefusalOf(err)
	switch {
	case c.began && errors.Is(err, errAskCut) && ctx.Err() == nil:
		return nil // what there is of the answer is read by the run's own address
	case refused != nil && refused.Code == "run_in_progress" && refused.RunID != "":
		c.accepted(refused.RunID, c.test.now(), c.test.now())
		return nil
	case refused != nil && refused.Code == "busy" && refused.Standing != nil:
		c.saw(0, c.test.now(), *refused.Standing) // it came too early
		return nil
	}
	if err == nil && c.rand.Float64() < impatient {
		return c.sendAgain(ctx)
	}
	return notFound(err)
}

func (c *apiClient) send(ctx context.Context) error {
	asked := c.test.now()
	return c.server.follow(ctx, http.MethodPost, "query", c.body(), http.Header{"Idempotency-Key": {c.key}}, func(ev askEvent) (bool, error) {
		if ev.name != "accepted" {
			return c.take(ev)
		}
		id, err := acceptedRun(ev)
		told := c.test.now()
		c.test.times.add("claim", told-asked)
		c.accepted(id, asked, told)
		return true, err
	})
}

// sendAgain sends the query that ran once more: it is the same run that answers.
func (c *apiClient) sendAgain(ctx context.Context) error {
	return c.server.follow(ctx, http.MethodPost, "query", c.body(), http.Header{"Idempotency-Key": {c.key}}, func(ev askEvent) (bool, error) {
		if ev.name != "accepted" {
			return ev.name != "end", nil
		}
		id, err := acceptedRun(ev)
		if err == nil && id != c.run.id {
			c.test.check.twice(c.view.Number, c.run.id, id)
		}
		return true, err
	})
}

// acceptedRun is the run that an event of the kind accepted names.
func acceptedRun(ev askEvent) (string, error) {
	var accepted struct {
		RunID string `json:"run_id"`
	}
	err := json.Unmarshal([]byte(ev.data), &accepted)
	return accepted.RunID, err
}

func (c *apiClient) leave(ctx context.Context) error {
	if c.server.token == "" {
		return nil
	}
	asked := c.test.now()
	err := c.server.call(ctx, http.MethodDelete, "queue/ticket", nil, nil)
	if err == nil {
		c.test.times.add("leave", c.test.now()-asked)
	}
	return err
}
