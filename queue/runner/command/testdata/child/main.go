// Command child is what the tests execute as supervisor: built without the race detector, as in use.
package main

import (
	"fmt"
	"os"

	"confluence/queue/runner/command"
)

func main() {
	command.MaybeChild()
	fmt.Fprintln(os.Stderr, "only for tests")
	os.Exit(2)
}
