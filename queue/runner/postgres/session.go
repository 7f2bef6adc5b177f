package postgres

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// session is one connection to the server. What it does is not bounded by a context of its own but by a cancel that the server obeys, so
// that its end is seen. close must be called.
type session struct {
	conn     *pgconn.PgConn
	patience patience
	life     context.Context // ends with close
	end      context.CancelFunc
	abandon  context.CancelFunc // has the server cancel what it does
	ended    sync.WaitGroup
}

// patience is for how long a server is asked to cancel: then its process is ended, or it is given up when it can't be reached.
type patience struct {
	terminateAfter time.Duration
	lostAfter      time.Duration
}

const (
	firstRetry    = 50 * time.Millisecond // between two cancels; the first may fall between two statements
	lastRetry     = time.Second
	cancelTimeout = 2 * time.Second
)

// open connects. The server cancels what the session does when ctx ends; statementTimeout is for the case that it can't be asked to.
func (r *Runner) open(ctx context.Context, statementTimeout time.Duration) (*session, error) {
	config := r.config.Copy()
	if statementTimeout > 0 {
		config.RuntimeParams["statement_timeout"] = milliseconds(statementTimeout)
		config.RuntimeParams["idle_in_transaction_session_timeout"] = milliseconds(statementTimeout)
	}
	connecting, cancel := context.WithTimeout(ctx, r.options.ConnectTimeout)
	defer cancel()
	conn, err := pgconn.ConnectConfig(connecting, config)
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn, patience: r.patience}
	s.life, s.end = context.WithCancel(context.Background())
	abandoned, abandon := context.WithCancel(ctx)
	s.abandon = abandon
	s.ended.Go(func() {
		select {
		case <-abandoned.Done():
			s.cancel(config)
		case <-s.life.Done():
		}
	})
	return s, nil
}

// cancel has the server cancel until the session is closed.
func (s *session) cancel(config *pgconn.Config) {
	begun := time.Now()
	heard := begun
	for pause := firstRetry; s.life.Err() == nil; pause = min(2*pause, lastRetry) {
		bounded, done := context.WithTimeout(s.life, cancelTimeout)
		err := s.conn.CancelRequest(bounded)
		if err == nil && time.Since(begun) > s.patience.terminateAfter {
			err = s.terminate(bounded, config)
		}
		done()
		switch {
		case err == nil:
			heard = time.Now()
		case time.Since(heard) > s.patience.lostAfter:
			lose(s.conn.Conn()) // ends the wait for an answer that won't come
		}
		retry := time.NewTimer(pause)
		select {
		case <-retry.C:
		case <-s.life.Done():
			retry.Stop()
		}
	}
}

// terminate ends the server's process of this session, which a role may do to its own: code that catches every cancel doesn't catch that.
func (s *session) terminate(ctx context.Context, config *pgconn.Config) error {
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	pid := strconv.FormatUint(uint64(s.conn.PID()), 10)
	_, err = conn.Exec(ctx, "SELECT pg_terminate_backend("+pid+")").ReadAll()
	return errors.Join(err, conn.Close(context.Background()))
}

// close ends the connection and returns when the server has ended it, too. Nothing may be under way in it that was not abandoned.
func (s *session) close() {
	_ = s.conn.Close(context.Background()) // the server's side of it is what counts
	<-s.conn.CleanupDone()
	s.end()
	s.abandon()
	s.ended.Wait()
}

// milliseconds writes a time as a setting of PostgreSQL, where 0 would be no limit.
func milliseconds(d time.Duration) string { return strconv.FormatInt(max(1, d.Milliseconds()), 10) }
