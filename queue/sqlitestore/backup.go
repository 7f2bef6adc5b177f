package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Backup writes a copy of the file as it stands at one instant, while the line goes on. The copy is a line.sqlite: it can be opened as one when
// it has that name in a folder. path must not be there; it is, whole and on the disk, or isn't.
func (s *Store) Backup(ctx context.Context, path string) (err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("a backup to %s: %w", path, errors.Join(fs.ErrExist, err))
	}
	if err := copyOf(ctx, s.file.path, path); err != nil {
		return fmt.Errorf("a backup to %s: %w", path, err)
	}
	return nil
}

func copyOf(ctx context.Context, from, to string) (err error) {
	conn, err := openReadOnly(ctx, from, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	part, err := os.OpenFile(to+".part", os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, part.Close()) }()
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part.Name()))
		}
	}()
	into, _, err := conn.Prepare("VACUUM INTO ?")
	if err != nil {
		return err
	}
	if err := errors.Join(into.BindText(1, part.Name()), into.Exec(), into.Close()); err != nil {
		return err
	}
	if err := part.Sync(); err != nil {
		return err
	}
	if err := os.Rename(part.Name(), to); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}
