package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"confluence/queue/sqlitestore"
)

// TestBackupOfAServer: taken while visitors join, of a server that goes on. Put into another folder as the guide says, Confluence starts from it, and
// everybody who had been answered before the backup has the same place and number, with the same session.
func TestBackupOfAServer(t *testing.T) {
	data, ctx := dataWithDemo(t), t.Context()
	p := servingIn(t, data, patient)
	var early []*client
	var before []standing
	for range 20 {
		v := newClient(p.url, nil)
		at, err := v.join(ctx, "SELECT 1")
		if err != nil {
			t.Fatal(err)
		}
		early, before = append(early, v), append(before, at)
	}
	var full atomic.Bool
	var storm sync.WaitGroup
	for range 4 {
		storm.Go(func() {
			for !full.Load() {
				if _, err := newClient(p.url, nil).join(ctx, "SELECT 2"); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	var copies []string
	for i := range 3 {
		copies = append(copies, filepath.Join(t.TempDir(), fmt.Sprint("line-", i)))
		if code, said := backedUp(data, copies[i]); code != exitDone || !strings.Contains(said, copies[i]+": ") || !strings.Contains(said, " in the line, 0 ended and remembered") {
			t.Errorf("exit code %d: %s", code, said)
		}
	}
	full.Store(true)
	storm.Wait()
	last := copies[2]
	if code, said := backedUp(data, last); code != exitFailed || !strings.Contains(said, "choose another name") {
		t.Errorf("over a backup: exit code %d: %s", code, said)
	}
	if code, said := backedUp(t.TempDir(), filepath.Join(t.TempDir(), "none")); code != exitFailed || !strings.Contains(said, "no line is stored here") {
		t.Errorf("of an empty folder: exit code %d: %s", code, said)
	}
	if code, said := backedUp(data, filepath.Join(t.TempDir(), "none", "none")); code != exitFailed || !strings.Contains(said, "no such file or directory") {
		t.Errorf("into no folder: exit code %d: %s", code, said)
	}

	restored := dataWithDemo(t)
	copyFile(t, last, filepath.Join(restored, "line.sqlite"))
	copyFile(t, filepath.Join(data, keyFile), filepath.Join(restored, keyFile))
	next := servingIn(t, restored, patient)
	for i, v := range early {
		v.base = next.url
		now, err := v.status(ctx)
		if err != nil || now.TicketID != before[i].TicketID || now.Number != before[i].Number || now.Position != before[i].Position {
			t.Errorf("visitor %d stood at %+v and stands at %+v, %v", i, before[i], now, err)
		}
	}
	stored, err := sqlitestore.Inspect(ctx, restored)
	if err != nil || int64(len(stored.Tickets)) != stored.Number {
		t.Errorf("%d tickets, the last number is %d, %v", len(stored.Tickets), stored.Number, err)
	}
	if at, err := newClient(next.url, nil).join(ctx, ""); err != nil || at.Number != stored.Number+1 {
		t.Errorf("the next is %+v, %v", at, err)
	}
	if files, err := os.ReadDir(filepath.Dir(last)); err != nil || len(files) != 1 {
		t.Errorf("beside the backup there is %v, %v", files, err)
	}
}

// backedUp is the exit code of confluence backup, and what it says.
func backedUp(data, file string) (int, string) {
	var said bytes.Buffer
	code := run([]string{"backup", data, file}, nil, nil, &said, &said)
	return code, said.String()
}
