package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// child is this program in another process, which obeys one line at a time and answers each with one. A process may have 20,000 files open,
// so the two ends of 15,000 sockets can't be in one.
type child struct {
	name  string
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Scanner
	hello string // its first line
}

func startChild(ctx context.Context, args ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{name: strings.Join(args, " "), cmd: exec.CommandContext(ctx, self, args...)}
	c.cmd.Stderr = os.Stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewScanner(out)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	if c.hello, err = c.answer(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *child) answer() (string, error) {
	if !c.out.Scan() {
		return "", fmt.Errorf("%s ended: %w", c.name, io.ErrUnexpectedEOF)
	}
	if fault, bad := strings.CutPrefix(c.out.Text(), "fault: "); bad {
		return "", fmt.Errorf("%s: %s", c.name, fault)
	}
	return c.out.Text(), nil
}

func (c *child) ask(format string, args ...any) (string, error) {
	if _, err := fmt.Fprintf(c.in, format+"\n", args...); err != nil {
		return "", err
	}
	return c.answer()
}

// number asks for one.
func (c *child) number(format string, args ...any) (float64, error) {
	text, err := c.ask(format, args...)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(text, 64)
}

// stop ends the child: it does so by itself when there is nothing left to read.
func (c *child) stop() {
	_ = c.in.Close()
	_ = c.cmd.Wait()
}

// obey is the child's side: it answers each line of the standard input.
func obey(hello string, do func(verb string, args []string) (any, error)) error {
	fmt.Println(hello)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		words := strings.Fields(in.Text())
		answer, err := do(words[0], words[1:])
		if err != nil {
			answer = "fault: " + strings.ReplaceAll(err.Error(), "\n", " ")
		}
		fmt.Println(answer)
	}
	return in.Err()
}
