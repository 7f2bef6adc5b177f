// Command child is what the tests execute as a runner's child, and makes the demo library: built without the race detector, as in use.
package main

import (
	"fmt"
	"os"

	"confluence/queue/runner/sql"
)

func main() {
	sql.MaybeChild()
	if len(os.Args) != 3 || os.Args[1] != "demo" {
		fmt.Fprintln(os.Stderr, "usage: child demo FILE")
		os.Exit(2)
	}
	if err := sql.MakeDemo(os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
