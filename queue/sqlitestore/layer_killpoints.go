//go:build killpoints

package sqlitestore

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/ncruces/go-sqlite3/vfs"
)

// This is in no build but that of the crash test of the whole program.

// killAt in the environment names the point at which the process kills itself, and how often it passes it before: "after sync 12". A transaction
// writes to the log, syncs it, and is answered.
const killAt = "CONFLUENCE_KILL_AT"

// fileLayer is SQLite's file layer beneath a Store that names none: one that kills.
const fileLayer = "kills"

func init() {
	k := &killer{VFSFilename: vfs.Find("os").(vfs.VFSFilename)}
	order := os.Getenv(killAt)
	if space := strings.LastIndex(order, " "); space > 0 {
		passes, err := strconv.ParseInt(order[space+1:], 10, 64)
		if err != nil {
			panic(killAt + ": " + err.Error())
		}
		k.point = order[:space]
		k.left.Store(passes)
	}
	vfs.Register(fileLayer, k)
}

// killer is the system's files, and a death at a named point.
type killer struct {
	vfs.VFSFilename
	point string
	left  atomic.Int64
}

func (k *killer) pass(point string) {
	if point == k.point && k.left.Add(-1) < 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func (k *killer) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, flags, err := k.VFSFilename.OpenFilename(name, flags)
	if err != nil {
		return nil, flags, err
	}
	return &killerFile{file, k}, flags, nil
}

type killerFile struct {
	vfs.File
	killer *killer
}

func (f *killerFile) SharedMemory() vfs.SharedMemory {
	if shared, ok := f.File.(vfs.FileSharedMemory); ok {
		return shared.SharedMemory()
	}
	return nil
}

func (f *killerFile) WriteAt(p []byte, at int64) (int, error) {
	f.killer.pass("before write")
	n, err := f.File.WriteAt(p, at)
	f.killer.pass("after write")
	return n, err
}

func (f *killerFile) Sync(flags vfs.SyncFlag) error {
	f.killer.pass("before sync")
	err := f.File.Sync(flags)
	f.killer.pass("after sync")
	return err
}
