package sql

import (
	"fmt"
	"io"
	"os"
	"time"
)

// A database in WAL mode is read through files beside it, which the last program that closed it has removed, and which a child has no
// right to make. While they are not there nobody writes, and the database is read as one that doesn't change; that it really didn't is
// checked afterwards.

// stillness is what a file was like when it was opened as one that doesn't change. The zero value is of a file that may.
type stillness struct {
	path     string
	modified time.Time
	size     int64
}

// stillWAL says whether the database is in WAL mode and nobody has it open, by its stillness, or else the zero value.
func stillWAL(path string) (stillness, error) {
	f, err := os.Open(path)
	if err != nil {
		return stillness{}, err
	}
	defer f.Close()
	// https://sqlite.org/fileformat.html: the read version at offset 19 is 2 for WAL.
	header := make([]byte, 20)
	if _, err := io.ReadFull(f, header); err != nil || header[19] != 2 {
		return stillness{}, nil
	}
	if wal, err := os.Stat(path + "-wal"); err == nil && wal.Size() > 0 {
		if _, err := os.Stat(path + "-shm"); err != nil {
			return stillness{}, fmt.Errorf("%s was not closed properly: open it once with a program that may write it", path)
		}
		return stillness{}, nil
	}
	info, err := f.Stat()
	if err != nil {
		return stillness{}, err
	}
	return stillness{path: path, modified: info.ModTime(), size: info.Size()}, nil
}

// lost says whether the file changed after all.
func (s stillness) lost() bool {
	if s.path == "" {
		return false
	}
	info, err := os.Stat(s.path)
	return err != nil || !info.ModTime().Equal(s.modified) || info.Size() != s.size
}
