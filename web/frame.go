package web

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/coder/websocket"
)

// The frames of a websocket (RFC 6455, section 5), as far as a server needs them that only tells: it appends its own to a buffer, and of the
// client's it wants the pings, pongs and the close. With a reader of a hundred bytes a socket costs half of what it costs with the library's.

const (
	opContinuation = 0x0
	opText         = 0x1
	opBinary       = 0x2
	opClose        = 0x8
	opPing         = 0x9
	opPong         = 0xa

	finalBit   = 0x80
	maskBit    = 0x80
	headerMost = 10  // bytes of a server's header
	controlMax = 125 // bytes of a control frame's payload
)

// putHeader writes the header of a text frame whose payload is b[headerMost:], right before the payload, and gives where the frame begins.
func putHeader(b []byte) (from int) {
	size := len(b) - headerMost
	switch {
	case size <= controlMax:
		from = headerMost - 2
		b[from+1] = byte(size)
	case size <= 0xffff:
		from = headerMost - 4
		b[from+1] = 126
		binary.BigEndian.PutUint16(b[from+2:], uint16(size))
	default:
		b[from+1] = 127
		binary.BigEndian.PutUint64(b[from+2:], uint64(size))
	}
	b[from] = finalBit | opText
	return from
}

// appendControl appends a control frame; the payload has 125 bytes at most.
func appendControl(b []byte, opcode byte, payload []byte) []byte {
	return append(append(b, finalBit|opcode, byte(len(payload))), payload...)
}

// appendClose appends a close frame. Without a status it says none.
func appendClose(b []byte, code websocket.StatusCode) []byte {
	if code == websocket.StatusNoStatusRcvd {
		return appendControl(b, opClose, nil)
	}
	return appendControl(b, opClose, []byte{byte(code >> 8), byte(code)})
}

// closeAnswer is the status to answer a client's close frame with: its own, if that may be sent.
func closeAnswer(payload []byte) websocket.StatusCode {
	if len(payload) == 0 {
		return websocket.StatusNoStatusRcvd
	}
	if len(payload) == 1 {
		return websocket.StatusProtocolError
	}
	code := websocket.StatusCode(binary.BigEndian.Uint16(payload))
	switch {
	case code >= 3000 && code < 5000:
		return code
	case code < 1000, code > 1014, code == 1004, code == websocket.StatusNoStatusRcvd, code == websocket.StatusAbnormalClosure:
		return websocket.StatusProtocolError
	}
	return code
}

// Why a client's frames are not read any further.
var (
	errFrame    = errors.New("a client's frame breaks the protocol")
	errMessages = errors.New("a client's message is too long")
)

// frameReader reads a client's frames. It is one of the few things that each socket has of its own, so it is small: a header and a control
// frame fit into it.
type frameReader struct {
	from io.Reader
	b    [14 + controlMax]byte
	at   int // what isn't used yet is b[at:end]
	end  int
	said int  // bytes of the message that has begun
	more bool // it goes on
}

// need gives the next n bytes, of which there are len(r.b) at most. They are good until the next call.
func (r *frameReader) need(n int) ([]byte, error) {
	if r.at+n > len(r.b) {
		r.end = copy(r.b[:], r.b[r.at:r.end])
		r.at = 0
	}
	for r.end-r.at < n {
		got, err := r.from.Read(r.b[r.end:])
		r.end += got
		if err != nil && r.end-r.at < n {
			return nil, err
		}
	}
	b := r.b[r.at : r.at+n]
	if r.at += n; r.at == r.end {
		r.at, r.end = 0, 0
	}
	return b, nil
}

// next is the next control frame. What messages come before it are read and dropped; one of more than limit bytes is errMessages.
func (r *frameReader) next(limit int) (opcode byte, payload []byte, err error) {
	for {
		opcode, size, mask, err := r.header()
		if err != nil {
			return 0, nil, err
		}
		if opcode >= opClose {
			payload, err := r.need(int(size))
			for i := range payload {
				payload[i] ^= mask[i&3]
			}
			return opcode, payload, err
		}
		if size > uint64(limit-r.said) {
			return 0, nil, errMessages
		}
		r.said += int(size)
		if !r.more {
			r.said = 0
		}
		for size > 0 {
			n := min(size, uint64(len(r.b)))
			if _, err := r.need(int(n)); err != nil {
				return 0, nil, err
			}
			size -= n
		}
	}
}

// header reads the header of a frame, and checks what may be where.
func (r *frameReader) header() (opcode byte, size uint64, mask [4]byte, err error) {
	b, err := r.need(2)
	if err != nil {
		return 0, 0, mask, err
	}
	first, second := b[0], b[1]
	opcode, size = first&0xf, uint64(second&^maskBit)
	final := first&finalBit != 0
	switch {
	case first&0x70 != 0, second&maskBit == 0: // an extension that nobody agreed on; a client must mask
		return 0, 0, mask, errFrame
	case opcode == opClose, opcode == opPing, opcode == opPong:
		if !final || size > controlMax {
			return 0, 0, mask, errFrame
		}
	case opcode == opContinuation && r.more, (opcode == opText || opcode == opBinary) && !r.more:
		r.more = !final
	default:
		return 0, 0, mask, errFrame
	}
	switch size {
	case 126:
		if b, err = r.need(2); err == nil {
			size = uint64(binary.BigEndian.Uint16(b))
		}
	case 127:
		if b, err = r.need(8); err == nil {
			size = binary.BigEndian.Uint64(b)
		}
	}
	if err != nil {
		return 0, 0, mask, err
	}
	if b, err = r.need(4); err == nil {
		copy(mask[:], b)
	}
	return opcode, size, mask, err
}
