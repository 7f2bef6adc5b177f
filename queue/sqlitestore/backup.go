package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"
)

// Backup writes a copy of the folder's file as it stands at one instant, whether a server has it open or not, and tells what is in it. The copy
// is a line.sqlite: it is opened as one when it has that name in a folder, alone. path must not be there; it is, whole and on the disk, or isn't.
// It errs with ErrNoLine if there is nothing to copy, with fs.ErrExist, and as Open does.
func Backup(ctx context.Context, folder, path string) (c Contents, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("a backup of %s: %w", folder, err)
		}
	}()
	from, err := filepath.Abs(filepath.Join(folder, lineFile))
	if err != nil {
		return c, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return c, err
	}
	switch _, err := os.Lstat(path); {
	case err == nil:
		return c, fmt.Errorf("%s: %w: choose another name", path, fs.ErrExist)
	case !errors.Is(err, fs.ErrNotExist):
		return c, err
	}
	part, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return c, err
	}
	defer func() {
		err = errors.Join(err, part.Close())
		if err != nil {
			err = errors.Join(err, os.Remove(part.Name()))
		}
	}()
	err = reading(ctx, from, func(conn *sqlite3.Conn, _ int) error {
		if err := part.Truncate(0); err != nil { // another try
			return err
		}
		return copyInto(conn, part.Name())
	})
	if err != nil {
		return c, err
	}
	if c, err = inspect(ctx, part.Name()); err != nil {
		return c, err
	}
	c.File = path
	if err := part.Sync(); err != nil {
		return c, err
	}
	if err := os.Rename(part.Name(), path); err != nil {
		return c, err
	}
	return c, syncFolder(filepath.Dir(path))
}

func copyInto(conn *sqlite3.Conn, path string) error {
	into, _, err := conn.Prepare("VACUUM INTO ?")
	if err != nil {
		return err
	}
	return unreadable(errors.Join(into.BindText(1, path), into.Exec(), into.Close()))
}
