package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"confluence/queue/sqlitestore"
)

// inspect prints what is stored in a data folder.
func inspect(ctx context.Context, folder string, asJSON bool, out, errs io.Writer) int {
	stored, err := sqlitestore.Inspect(ctx, folder)
	if err == nil {
		if asJSON {
			err = printStoredJSON(out, stored)
		} else {
			err = printStored(out, stored)
		}
	}
	if err != nil {
		fmt.Fprintf(errs, "confluence: %v\n", err)
		return exitFailed
	}
	return exitDone
}

func printStoredJSON(out io.Writer, stored sqlitestore.Contents) error {
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	lines.SetIndent("", "  ")
	return lines.Encode(stored)
}

// printStored prints tables for a person. Texts are quoted, since they are strangers' and may steer a terminal, and cut.
func printStored(out io.Writer, stored sqlitestore.Contents) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "File\t%s, format %d\n", stored.File, stored.Format)
	fmt.Fprintf(table, "Saved\t%s\n", when(stored.SavedAt))
	fmt.Fprintf(table, "Last number\t%d\n", stored.Number)
	fmt.Fprintf(table, "Revision\t%d\n", stored.Revision)
	if stored.Paused {
		fmt.Fprintln(table, "Admission\tpaused")
	}
	if stored.Notice != "" {
		fmt.Fprintf(table, "Notice\t%s\n", strconv.Quote(stored.Notice))
	}
	fmt.Fprintf(table, "Last runs\t%s\n", durations(stored.Durations))
	if err := table.Flush(); err != nil {
		return err
	}
	if len(stored.Tickets) == 0 {
		fmt.Fprint(out, "\nNobody is in the line.\n")
	} else {
		fmt.Fprintf(out, "\nIn the line: %d\n\n", len(stored.Tickets))
		fmt.Fprintln(table, "PLACE\tNUMBER\tSTATUS\tJOINED\tSINCE\tTICKET\tRUN\tQUERY")
		for _, t := range stored.Tickets {
			fmt.Fprintf(table, "%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", t.Position, t.Number, t.Status, when(t.JoinedAt), when(t.Since), t.ID, orDash(t.RunID), text(t.Query))
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	if len(stored.Ended) == 0 {
		return nil
	}
	fmt.Fprintf(out, "\nEnded and remembered: %d\n\n", len(stored.Ended))
	fmt.Fprintln(table, "NUMBER\tREASON\tOUTCOME\tJOINED\tENDED\tTICKET\tRUN\tQUERY")
	for _, t := range stored.Ended {
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.Number, t.Reason, orDash(string(t.Outcome)), when(t.JoinedAt), when(t.Since), t.ID, orDash(t.RunID), text(t.Query))
	}
	return table.Flush()
}

// when is a date as people here read it.
func when(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// text is the beginning of a text, on one line.
func text(query string) string {
	const most = 40
	switch runes := []rune(query); {
	case query == "":
		return "-"
	case len(runes) > most:
		return strconv.Quote(string(runes[:most]) + "…")
	}
	return strconv.Quote(query)
}

// durations tells the last runs, the newest first.
func durations(seconds []float64) string {
	if len(seconds) == 0 {
		return "none has ended"
	}
	var words []string
	for i := len(seconds) - 1; i >= 0; i-- {
		words = append(words, strconv.FormatFloat(seconds[i], 'f', 1, 64))
	}
	return strings.Join(words, " ") + " seconds, the newest first"
}
