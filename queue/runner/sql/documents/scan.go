package documents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
	"unicode/utf8"
)

// endings are of the names of files that are indexed.
var endings = map[string]bool{
	".md": true, ".markdown": true, ".mdown": true, ".mkd": true, ".txt": true, ".text": true, ".rst": true, ".adoc": true, ".asciidoc": true, ".org": true,
}

// found is a file that may be indexed.
type found struct {
	path     string // from the folder, with slashes
	size     int64
	modified time.Time
}

// scan is one look at the folder: what may be indexed, in the order of the paths, and what is left out, with the reason.
type scan struct {
	options Options
	root    *os.Root
	enter   func(folder string) // called before a folder is read
	files   []found
	left    map[string]string
	bytes   int64
	entries int
}

// look walks through the folder. It errs when the folder itself can't be read; a folder in it that can't is left out.
func (s *scan) look(ctx context.Context) error {
	s.left = map[string]string{}
	err := fs.WalkDir(s.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if s.entries++; s.entries > maxEntries {
			return errTooManyEntries
		}
		switch {
		case err != nil && name == ".":
			return err
		case err != nil && errors.Is(err, fs.ErrNotExist):
			return nil // it went away meanwhile
		case err != nil:
			s.left[name] = "it can't be read"
			return nil
		case entry.IsDir() && name != "." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.IsDir():
			s.enter(name)
			return nil
		}
		s.file(name, entry)
		return nil
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFolder, err)
	}
	return nil
}

// file takes or leaves a file by what can be seen from outside.
func (s *scan) file(name string, entry fs.DirEntry) {
	if strings.HasPrefix(entry.Name(), ".") || !endings[strings.ToLower(path.Ext(name))] {
		return
	}
	info, err := s.root.Stat(name) // follows links, but not out of the folder
	link := entry.Type()&fs.ModeSymlink != 0
	switch {
	case errors.Is(err, fs.ErrNotExist) && !link:
		return // it went away meanwhile
	case err != nil && link:
		s.left[name] = "it is a link that leads out of the folder, or nowhere"
	case err != nil:
		s.left[name] = "it can't be read"
	case !info.Mode().IsRegular():
		s.left[name] = "it is not a file"
	case !utf8.ValidString(name):
		s.left[name] = "its name is not UTF-8"
	case info.Size() > s.options.MaxFileBytes:
		s.left[name] = fmt.Sprintf("it has %d bytes, more than %d", info.Size(), s.options.MaxFileBytes)
	case len(s.files) >= s.options.MaxFiles:
		s.left[name] = fmt.Sprintf("there are more than %d files", s.options.MaxFiles)
	case s.bytes+info.Size() > s.options.MaxBytes:
		s.left[name] = fmt.Sprintf("the files have more than %d bytes together", s.options.MaxBytes)
	default:
		s.bytes += info.Size()
		s.files = append(s.files, found{name, info.Size(), info.ModTime()})
	}
}
