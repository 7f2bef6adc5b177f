package sql

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// childMark is the variable whose presence makes a process a child, and the whole of a child's environment.
const childMark = "CONFLUENCE_SQL_CHILD"

// armed says that MaybeChild was called, so that executing this program again can make a child and not a second server.
var armed atomic.Bool

// MaybeChild takes over when this process was started as a runner's child, and then never returns. main must call it before anything
// else, and so must TestMain of tests that run queries.
func MaybeChild() {
	if os.Getenv(childMark) == "" {
		armed.Store(true)
		return
	}
	os.Exit(childMain(os.Stdin, os.Stdout))
}

// childMain answers the one request on in and returns the exit code.
func childMain(in io.Reader, out io.Writer) int {
	w := newLineWriter(out)
	err := serve(in, w)
	if e := w.close(); err == nil {
		err = e
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// serve errs only when it can't say so in the answer.
func serve(in io.Reader, w *lineWriter) error {
	if err := confine(); err != nil {
		return w.addNow(reply{Error: &fault{Kind: kindInternal, Log: err.Error()}})
	}
	lines := bufio.NewReader(in)
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	var req request
	if err := json.Unmarshal(line, &req); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	go endWithParent(lines)
	if err := confineMemory(req.MaxMemory); err != nil {
		return w.addNow(reply{Error: &fault{Kind: kindInternal, Log: err.Error()}})
	}
	last, err := answer(req, w)
	if err != nil {
		return err
	}
	return w.addNow(last)
}

// endWithParent ends this process when the parent has closed its end of the pipe, or is gone. It owns the rest of the process's life.
func endWithParent(in io.Reader) {
	_, _ = io.Copy(io.Discard, in)
	os.Exit(2)
}

// answer does what is asked and returns the last line. It errs when a row couldn't be written.
func answer(req request, w *lineWriter) (last reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			last, err = reply{Error: panicFault(p)}, nil
		}
	}()
	ctx := context.Background()
	if req.LimitMS > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(req.LimitMS)*time.Millisecond)
		defer cancel()
	}
	conn, still, err := connect(ctx, req.Database, req.MaxMemory)
	if err != nil {
		return reply{Error: &fault{Kind: kindUnavailable, Log: err.Error()}}, nil
	}
	// The connection is not closed: the process ends, and a statement that failed may hold it.
	switch req.Do {
	case doDescribe:
		return readSchema(conn), nil
	case doCheck, doRun:
		stmt, f := prepare(conn, req.Query)
		switch {
		case f != nil:
			return reply{Error: f}, nil
		case req.Do == doCheck:
			return reply{End: &end{}}, nil
		}
		last, err = sendRows(stmt, req, w)
		if still.lost() {
			last = reply{Error: &fault{Kind: kindFailed, Detail: "The database was changed while it was read. Run the query again."}}
		}
		return last, err
	}
	return reply{Error: &fault{Kind: kindInternal, Log: "unknown request " + req.Do}}, nil
}

// sendRows sends the columns and then each row as it is found, within the caps of the request.
func sendRows(stmt *sqlite3.Stmt, req request, w *lineWriter) (reply, error) {
	columns := make([]string, stmt.ColumnCount())
	for i := range columns {
		columns[i] = strings.ToValidUTF8(stmt.ColumnName(i), "\uFFFD")
	}
	if err := w.addNow(reply{Columns: &columns}); err != nil {
		return reply{}, err
	}
	var line []byte
	room := req.MaxBytes
	for n := 0; stmt.Step(); n++ {
		if n == req.MaxRows {
			return reply{End: &end{Truncated: cutRows}}, nil
		}
		var fits bool
		if line, fits = appendRow(line[:0], stmt, len(columns), room); !fits {
			return reply{End: &end{Truncated: cutBytes}}, nil
		}
		room -= int64(len(line))
		if err := w.add(line); err != nil {
			return reply{}, err
		}
	}
	if err := stmt.Err(); err != nil {
		return reply{Error: runFault(err)}, nil
	}
	return reply{End: &end{}}, nil
}

// panicFault tells what a panic means: the driver panics when SQLite gets no more memory.
func panicFault(p any) *fault {
	err, _ := p.(error)
	if errors.Is(err, syscall.ENOMEM) || err != nil && strings.HasSuffix(err.Error(), "out of memory") {
		return &fault{Kind: kindMemory, Log: err.Error()}
	}
	return &fault{Kind: kindInternal, Log: fmt.Sprintf("panic: %v\n%s", p, debug.Stack())}
}
