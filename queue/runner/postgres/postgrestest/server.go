// Package postgrestest starts a real PostgreSQL for tests: a new, empty one in a folder of its own, which ends with its tests.
package postgrestest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Server is a PostgreSQL that runs. It listens on a free port of the loopback, where each role needs its password, and on a socket in its
// folder, where the superuser "postgres" needs none.
type Server struct {
	Port   int
	folder string
	cmd    *exec.Cmd
	stderr bytes.Buffer
	ended  chan error
}

const (
	// Password is every role's, the superuser's included. It holds characters that a URL must write otherwise.
	Password     = "s3cret/@word"
	startTimeout = time.Minute
)

// Start makes a cluster in a new folder below the system's for temporary files, and starts it. Stop must be called.
func Start() (*Server, error) {
	folder, err := os.MkdirTemp("", "postgres")
	if err != nil {
		return nil, err
	}
	s := &Server{folder: folder, ended: make(chan error, 1)}
	if err := s.start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start PostgreSQL: %w\n%s", err, &s.stderr), os.RemoveAll(folder))
	}
	return s, nil
}

func (s *Server) start() error {
	asUser, err := s.giveFolderAway()
	if err != nil {
		return err
	}
	passwords := filepath.Join(s.folder, "password")
	if err := os.WriteFile(passwords, []byte(Password+"\n"), 0o644); err != nil {
		return err
	}
	data := filepath.Join(s.folder, "data")
	initdb, err := program("initdb")
	if err != nil {
		return err
	}
	cluster := exec.Command(initdb, "--pgdata="+data, "--username=postgres", "--pwfile="+passwords, "--auth-local=trust", "--auth-host=scram-sha-256",
		"--encoding=UTF8", "--locale=C", "--no-sync")
	cluster.Dir, cluster.SysProcAttr, cluster.Env = s.folder, asUser, []string{"PATH=" + os.Getenv("PATH"), "TZ=UTC"}
	if said, err := cluster.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, said)
	}
	if s.Port, err = freePort(); err != nil {
		return err
	}
	postgres, err := program("postgres")
	if err != nil {
		return err
	}
	s.cmd = exec.Command(postgres, "-D", data, "-h", "127.0.0.1", "-p", strconv.Itoa(s.Port), "-k", s.folder,
		"-c", "fsync=off", "-c", "shared_buffers=32MB", "-c", "max_connections=40", "-c", "autovacuum=off", "-c", "jit=off")
	s.cmd.Dir, s.cmd.SysProcAttr, s.cmd.Stderr, s.cmd.Env = s.folder, asUser, &s.stderr, cluster.Env
	return s.launch()
}

// giveFolderAway gives the folder to the user that PostgreSQL's package brings, since the server refuses to run as root.
func (s *Server) giveFolderAway() (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return &syscall.SysProcAttr{}, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.Atoi(account.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(account.Gid)
	if err != nil {
		return nil, err
	}
	credential := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return &syscall.SysProcAttr{Credential: credential}, os.Chown(s.folder, uid, gid)
}

// launch starts the server and waits until it answers.
func (s *Server) launch() error {
	started := make(chan error)
	go func() {
		// Its parent's end ends the server, too, should the tests be killed; the system watches the thread that started it.
		runtime.LockOSThread()
		endWithParent(s.cmd.SysProcAttr)
		err := s.cmd.Start()
		started <- err
		if err == nil {
			s.ended <- s.cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := s.Exec(ctx, "postgres", "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case e := <-s.ended:
			s.ended <- e
			return fmt.Errorf("it ended: %w", e)
		case <-ctx.Done():
			return errors.Join(err, s.halt())
		}
	}
}

// Stop ends the server and removes its folder.
func (s *Server) Stop() error { return errors.Join(s.halt(), os.RemoveAll(s.folder)) }

// halt ends the server at once, with all its sessions.
func (s *Server) halt() error {
	if err := s.cmd.Process.Signal(syscall.SIGQUIT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	err := <-s.ended
	s.ended <- err
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil // as it does after that signal
	}
	return err
}

// Interrupt ends the server with all its sessions. resume starts it again, on the same port.
func (s *Server) Interrupt() (resume func() error, err error) {
	if err := s.halt(); err != nil {
		return nil, err
	}
	<-s.ended
	return func() error {
		again := exec.Command(s.cmd.Path, s.cmd.Args[1:]...)
		again.Dir, again.SysProcAttr, again.Stderr, again.Env = s.cmd.Dir, s.cmd.SysProcAttr, &s.stderr, s.cmd.Env
		s.cmd = again
		return s.launch()
	}, nil
}

// URL is where a role finds a database, over TCP.
func (s *Server) URL(role, database string) string {
	return (&url.URL{
		Scheme: "postgres", User: url.UserPassword(role, Password), Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port)), Path: "/" + database,
	}).String()
}

// SocketURL is where the superuser finds a database, over the socket.
func (s *Server) SocketURL(database string) string {
	return fmt.Sprintf("postgres://postgres@/%s?host=%s&port=%d", database, url.QueryEscape(s.folder), s.Port)
}

// Exec has the superuser execute statements.
func (s *Server) Exec(ctx context.Context, database, statements string) error {
	_, err := s.Query(ctx, database, statements)
	return err
}

// Query has the superuser execute statements, and returns the first cell of the last one's answer.
func (s *Server) Query(ctx context.Context, database, statements string) (string, error) {
	conn, err := pgconn.Connect(ctx, s.SocketURL(database))
	if err != nil {
		return "", err
	}
	results, err := conn.Exec(ctx, statements).ReadAll()
	err = errors.Join(err, conn.Close(ctx))
	if err != nil || len(results) == 0 || len(results[len(results)-1].Rows) == 0 {
		return "", err
	}
	return string(results[len(results)-1].Rows[0][0]), nil
}

// program finds a program of PostgreSQL, which Debian does not put into the path.
func program(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("%s is not there: make tools installs it", name)
	}
	slices.Sort(found)
	return found[len(found)-1], nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}
