package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"confluence/queue/sqlitestore"
)

// backup writes a copy of the line of a data folder, in use or not, and says what is in it.
func backup(folder, path string, out, errs io.Writer) int {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) // so that no half of a copy stays behind
	defer release()
	stored, err := sqlitestore.Backup(ctx, folder, path)
	if err != nil {
		fmt.Fprintf(errs, "confluence: %v\n", err)
		return exitFailed
	}
	fmt.Fprintf(out, "%s: %d in the line, %d ended and remembered, the last number is %d, as saved at %s\n",
		stored.File, len(stored.Tickets), len(stored.Ended), stored.Number, when(stored.SavedAt))
	return exitDone
}
