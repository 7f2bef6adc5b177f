package queue

import (
	"crypto/rand"
	"encoding/base64"
)

// ids makes the unguessable names of tickets and runs: 96 random bits in 16 characters of [A-Za-z0-9_-]. It asks the system for many at a
// time, since one system call a name would cost more than all else in a join.
type ids struct {
	random []byte
}

const idBytes = 12

func newIDs() *ids { return &ids{} }

func (s *ids) ticket() string { return s.make("q_") }
func (s *ids) run() string    { return s.make("r_") }

func (s *ids) make(prefix string) string {
	if len(s.random) == 0 {
		s.random = make([]byte, 64*idBytes)
		rand.Read(s.random) // never errs
	}
	name := make([]byte, 0, 18)
	name = append(name, prefix...)
	name = base64.RawURLEncoding.AppendEncode(name, s.random[:idBytes])
	s.random = s.random[idBytes:]
	return string(name)
}
