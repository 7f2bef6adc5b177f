package web

import (
	"context"
	"errors"
	"fmt"

	"github.com/labstack/echo/v4"

	"confluence/queue"
	"confluence/views/i18n"
)

// claimsAgain is how often a claim is made again that met its own call.
const claimsAgain = 3

// apiQuery is POST /api/v1/query: claim, run, answer. The run ends with the connection.
func (s *Server) apiQuery(c echo.Context) error {
	text, given, err := s.readQuery(c)
	if err != nil {
		return err
	}
	key, err := keyOf(c)
	if err != nil {
		return err
	}
	if !given && s.session(c) == "" {
		return errInvalidQuery // nobody has kept one
	}
	session, err := s.ensureSession(c)
	if err != nil {
		return err
	}
	settled, err := s.admit(c, session, false)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	x, replayed, err := s.startQuery(ctx, session, key, askedQuery{text: text, given: given})
	for again := 0; errors.Is(err, queue.ErrBusy) && again < claimsAgain; again++ {
		if v, missing := s.o.Controller.Peek(ctx, session); missing != nil || v.Status != queue.Ready {
			break
		}
		// It was called since: who holds a reservation is never told busy.
		x, replayed, err = s.startQuery(ctx, session, key, askedQuery{text: text, given: given})
	}
	settled()
	if err != nil {
		return s.withStanding(ctx, session, err)
	}
	c.Response().Header().Set("Confluence-Run-Id", x.id)
	if replayed {
		c.Response().Header().Set(replayHeader, "true")
	}
	switch negotiate(c.Request().Header.Get(echo.HeaderAccept), typeJSON, typeEvents, typeCSV) {
	case typeEvents:
		return s.streamRun(c, x, 0, true)
	case typeCSV:
		return s.streamTable(c, x, csvFormat, false)
	default:
		return s.sendResult(c, x)
	}
}

// withStanding tells who is refused as busy where they stand, if they have a ticket.
func (s *Server) withStanding(ctx context.Context, session string, err error) error {
	if !errors.Is(err, queue.ErrBusy) {
		return err
	}
	v, missing := s.o.Controller.Peek(ctx, session)
	if missing != nil {
		return err
	}
	return &refusal{err: err, standing: &v, detail: i18n.Msg("problem.busy.kept")}
}

// keptText is the text that the session kept at its join, also of a turn that has passed: the claim will tell.
func (s *Server) keptText(ctx context.Context, session string) (string, error) {
	if session == "" {
		return "", errInvalidQuery
	}
	kept := queue.Kept{}
	v, err := s.o.Controller.Peek(ctx, session)
	var missing *queue.NotFoundError
	switch {
	case err == nil:
		kept = v.Kept
	case errors.As(err, &missing) && missing.Ended.Reason == queue.ReasonLapsed:
		kept = missing.Ended.Kept
	case missing == nil:
		return "", fmt.Errorf("the kept text: %w", err)
	}
	if kept.Query == "" {
		return "", errInvalidQuery
	}
	return kept.Query, nil
}
