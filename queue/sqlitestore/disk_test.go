package sqlitestore

import (
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// disk is a file layer beneath SQLite that a test can make slow to remember, faulty, or dead.
type disk struct {
	vfs.VFSFilename
	name string

	mu       sync.Mutex
	forgets  bool // sync does nothing, which is fast; for tests that are not about disks
	before   func(op operation) fault
	after    func(op operation)
	dead     bool
	unsynced map[string]*unsyncedFile // by path; nil: nobody wants to know
}

// operation is one that a test may let fail.
type operation string

const (
	opWrite operation = "write"
	opSync  operation = "sync"
)

// fault is how an operation fails.
type fault struct {
	err   error
	short bool // half of a write is done
	dies  bool // and nothing works from then on
}

// unsyncedFile is what a loss of power might take from a file.
type unsyncedFile struct {
	size    int64            // when it was synced
	sectors map[int64][]byte // as they were then, of those written since
}

const sector = 512

// newDisk registers a file layer for the test.
func newDisk(t testing.TB) *disk {
	d := &disk{VFSFilename: vfs.Find("os").(vfs.VFSFilename), name: t.Name()}
	vfs.Register(d.name, d)
	t.Cleanup(func() { vfs.Unregister(d.name) })
	return d
}

// fails sets what is asked before each operation; nil: nothing fails.
func (d *disk) fails(before func(op operation) fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.before = before
}

func (d *disk) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		return nil, flags, sqlite3.CANTOPEN
	}
	file, flags, err := d.VFSFilename.OpenFilename(name, flags)
	if err != nil {
		return nil, flags, err
	}
	return &diskFile{File: file, disk: d, path: name.String()}, flags, nil
}

func (d *disk) Delete(name string, syncDir bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		return sqlite3.IOERR_DELETE
	}
	return d.VFSFilename.Delete(name, syncDir)
}

// ask is what is to become of an operation. It is called with the disk locked.
func (d *disk) ask(op operation) fault {
	if d.dead {
		return fault{err: sqlite3.IOERR}
	}
	if d.before == nil {
		return fault{}
	}
	f := d.before(op)
	d.dead = d.dead || f.dies
	return f
}

func (d *disk) did(op operation) {
	if d.after != nil {
		d.after(op)
	}
}

type diskFile struct {
	vfs.File
	disk *disk
	path string
}

func (f *diskFile) SharedMemory() vfs.SharedMemory {
	if shared, ok := f.File.(vfs.FileSharedMemory); ok {
		return shared.SharedMemory()
	}
	return nil
}

func (f *diskFile) WriteAt(p []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	fault := f.disk.ask(opWrite)
	if fault.err != nil && !fault.short {
		return 0, fault.err
	}
	if fault.short {
		p = p[:len(p)/2]
	}
	if err := f.willWrite(at, int64(len(p))); err != nil {
		return 0, err
	}
	n, err := f.File.WriteAt(p, at)
	if err == nil {
		err = fault.err
	}
	f.disk.did(opWrite)
	return n, err
}

func (f *diskFile) Truncate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if fault := f.disk.ask(opWrite); fault.err != nil {
		return fault.err
	}
	return f.File.Truncate(size)
}

func (f *diskFile) Sync(flags vfs.SyncFlag) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if fault := f.disk.ask(opSync); fault.err != nil {
		return fault.err
	}
	if !f.disk.forgets {
		if err := f.File.Sync(flags); err != nil {
			return err
		}
	}
	delete(f.disk.unsynced, f.path)
	f.disk.did(opSync)
	return nil
}

// willWrite remembers what a loss of power may bring back.
func (f *diskFile) willWrite(at, n int64) error {
	if f.disk.unsynced == nil {
		return nil
	}
	size, err := f.Size()
	if err != nil {
		return err
	}
	u := f.disk.unsynced[f.path]
	if u == nil {
		u = &unsyncedFile{size: size, sectors: make(map[int64][]byte)}
		f.disk.unsynced[f.path] = u
	}
	for s := at / sector; s*sector < at+n; s++ {
		if _, ok := u.sectors[s]; ok {
			continue
		}
		was := make([]byte, max(0, min(sector, u.size-s*sector)))
		if len(was) > 0 {
			if _, err := f.ReadAt(was, s*sector); err != nil {
				return err
			}
		}
		u.sectors[s] = was
	}
	return nil
}

// losesPower leaves of what was written and not synced whatever it likes, sector by sector, and turns the power on again. Everybody must have
// closed the files, which they could only do when the disk was dead.
func (d *disk) losesPower(t testing.TB, random *rand.Rand) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for path, u := range d.unsynced {
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		for s, was := range u.sectors {
			if random.IntN(2) == 0 {
				continue
			}
			if _, err := file.WriteAt(append(was, make([]byte, sector-len(was))...), s*sector); err != nil {
				t.Fatal(err)
			}
		}
		if random.IntN(2) == 0 { // the new length was lost too
			if err := file.Truncate(u.size); err != nil {
				t.Fatal(err)
			}
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	d.unsynced = make(map[string]*unsyncedFile)
	d.dead, d.before = false, nil
}
