package sql

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

func TestLineReader(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for name, in := range map[string]io.Reader{
		"at once":      strings.NewReader("a\n\n" + long + "\nb\n"),
		"byte by byte": iotest.OneByteReader(strings.NewReader("a\n\n" + long + "\nb\n")),
	} {
		t.Run(name, func(t *testing.T) {
			r := newLineReader(in, 300_000)
			for _, want := range []string{"a", "", long, "b"} {
				if line, err := r.next(); err != nil || string(line) != want {
					t.Fatalf("%.10q, %v, want %.10q", line, err, want)
				}
			}
			if _, err := r.next(); !errors.Is(err, io.EOF) {
				t.Error(err)
			}
		})
	}
	if _, err := newLineReader(strings.NewReader("a\nb"), 100).next(); err != nil {
		t.Error(err)
	}
	broken := newLineReader(strings.NewReader("breaks off"), 100)
	if _, err := broken.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if _, err := newLineReader(strings.NewReader(long+"\n"), 100_000).next(); !errors.Is(err, ErrProtocol) {
		t.Error(err)
	}
}

func TestLineReaderKnowsWhatIsThere(t *testing.T) {
	in, out := io.Pipe()
	r := newLineReader(in, 100)
	if r.ready() {
		t.Error("ready before anything came")
	}
	go func() {
		_, _ = io.WriteString(out, "one\ntwo\nthr")
		_, _ = io.WriteString(out, "ee\n")
	}()
	for _, want := range []struct {
		line  string
		ready bool
	}{{"one", true}, {"two", false}, {"three", false}} {
		if line, err := r.next(); err != nil || string(line) != want.line || r.ready() != want.ready {
			t.Errorf("%q, %v, want %q and then another one ready: %v", line, err, want.line, want.ready)
		}
	}
}

// chunks keeps each write.
type chunks struct {
	mu     sync.Mutex
	writes []string
	err    error
}

func (c *chunks) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes = append(c.writes, string(b))
	return len(b), c.err
}

func (c *chunks) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.writes)
}

func TestLineWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out chunks
		w := newLineWriter(&out)
		add := func(line string) {
			if err := w.add([]byte(line)); err != nil {
				t.Fatal(err)
			}
		}
		add("[1]\n")
		add("[2]\n")
		if out.count() != 0 {
			t.Error("written at once")
		}
		time.Sleep(writeDelay)
		synctest.Wait()
		if out.count() != 1 || out.writes[0] != "[1]\n[2]\n" {
			t.Errorf("after a while: %q", out.writes)
		}
		long := strings.Repeat("x", writeSize+1)
		add("[3]\n")
		add(long)
		if out.count() != 3 || out.writes[1] != "[3]\n" || out.writes[2] != long {
			t.Errorf("a long line: %.20q", out.writes)
		}
		for range writeSize / 4 {
			add("[4]\n")
		}
		add("[5]\n")
		if out.count() != 4 || len(out.writes[3]) != writeSize {
			t.Errorf("full: %.20q", out.writes[3:])
		}
		if err := w.addNow(reply{End: &end{}}); err != nil || out.writes[4] != "[5]\n{\"end\":{}}\n" {
			t.Errorf("the last: %q, %v", out.writes[4:], err)
		}
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
}

func TestLineWriterKeepsItsError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("full")
		w := newLineWriter(&chunks{err: full})
		if err := w.addNow(reply{End: &end{}}); !errors.Is(err, full) {
			t.Error(err)
		}
		if err := w.add([]byte("[1]\n")); !errors.Is(err, full) {
			t.Error(err)
		}
		if err := w.close(); !errors.Is(err, full) {
			t.Error(err)
		}
	})
}
