package web

import (
	"errors"
	"os"
)

// scroll is bytes that only grow, so what has been handed out stays as it is: in memory at first, and in a file when they are many. It has no
// lock of its own.
type scroll struct {
	folder *resultFolder // nil: all stays in memory
	memory []byte
	file   *os.File // open for writing until the scroll is closed
	path   string   // of the file; empty: all is in memory
	size   int64
}

// add appends b. After an error the scroll holds what it held before, and takes no more.
func (s *scroll) add(b []byte) error {
	if s.path == "" && s.folder != nil && s.size+int64(len(b)) > s.folder.beyond {
		if err := s.move(); err != nil {
			return err
		}
	}
	if s.path == "" {
		s.memory = append(s.memory, b...)
	} else if _, err := s.file.WriteAt(b, s.size); err != nil {
		return err
	}
	s.size += int64(len(b))
	return nil
}

// move puts what there is into a file.
func (s *scroll) move() error {
	file, err := s.folder.create()
	if err != nil {
		return err
	}
	if _, err := file.Write(s.memory); err != nil {
		return errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	s.file, s.path, s.memory = file, file.Name(), nil
	return nil
}

// close says that nothing more is added.
func (s *scroll) close() error {
	if s.file == nil {
		s.memory = append([]byte(nil), s.memory...) // growing left it room
		return nil
	}
	file := s.file
	s.file = nil
	return file.Close()
}

// settle puts what there is of a closed scroll into a file, too.
func (s *scroll) settle() error {
	if s.path != "" || s.size == 0 {
		return nil
	}
	if err := s.move(); err != nil {
		return err
	}
	return s.close()
}

// remove drops the file. Who has it open reads on.
func (s *scroll) remove() error {
	if s.path == "" {
		return nil
	}
	return os.Remove(s.path)
}
