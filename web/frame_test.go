package web

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/coder/websocket"
)

// clientFrame is a frame as a client sends it.
func clientFrame(first byte, payload string) []byte {
	b := []byte{first}
	switch {
	case len(payload) <= 125:
		b = append(b, maskBit|byte(len(payload)))
	case len(payload) <= 0xffff:
		b = binary.BigEndian.AppendUint16(append(b, maskBit|126), uint16(len(payload)))
	default:
		b = binary.BigEndian.AppendUint64(append(b, maskBit|127), uint64(len(payload)))
	}
	mask := [4]byte{0x12, 0x34, 0x56, 0x78}
	b = append(b, mask[:]...)
	for i := range len(payload) {
		b = append(b, payload[i]^mask[i&3])
	}
	return b
}

func TestFramesOfAClient(t *testing.T) {
	text, more, rest := byte(finalBit|opText), byte(opText), byte(finalBit|opContinuation)
	long := strings.Repeat("x", 125)
	cases := []struct {
		name   string
		frames [][]byte
		want   []string // control frames
		err    error    // after them
	}{
		{"nothing", nil, nil, io.EOF},
		{"messages are dropped", [][]byte{clientFrame(text, "a"), clientFrame(finalBit|opBinary, ""), clientFrame(text, strings.Repeat("x", 1024))}, nil, io.EOF},
		{"control frames are told", [][]byte{clientFrame(finalBit|opPing, "p"), clientFrame(finalBit|opPong, ""), clientFrame(finalBit|opClose, "\x03\xe8bye"), clientFrame(finalBit|opPing, long)},
			[]string{"9 p", "10 ", "8 \x03\xe8bye", "9 " + long}, io.EOF},
		{"between fragments, too", [][]byte{clientFrame(more, "a"), clientFrame(finalBit|opPing, "p"), clientFrame(opContinuation, "b"), clientFrame(rest, "c"), clientFrame(text, "d"), clientFrame(finalBit|opPong, "q")},
			[]string{"9 p", "10 q"}, io.EOF},
		{"the limit is of a message", [][]byte{clientFrame(more, strings.Repeat("x", 1024)), clientFrame(finalBit|opPing, ""), clientFrame(opContinuation, ""), clientFrame(rest, "x")}, []string{"9 "}, errMessages},
		{"too long", [][]byte{clientFrame(text, strings.Repeat("x", 1025))}, nil, errMessages},
		{"longer than anything", [][]byte{binary.BigEndian.AppendUint64([]byte{text, 0xff}, 1<<63), {0, 0, 0, 0}}, nil, errMessages},
		{"cut in the header", [][]byte{{text}}, nil, io.EOF},
		{"cut in the payload", [][]byte{clientFrame(finalBit|opPing, "ping")[:8]}, nil, io.EOF},
		{"unmasked", [][]byte{{text, 1, 'x'}}, nil, errFrame},
		{"an extension", [][]byte{clientFrame(text|0x40, "x")}, nil, errFrame},
		{"a kind that isn't", [][]byte{clientFrame(finalBit|0x3, "x")}, nil, errFrame},
		{"a control kind that isn't", [][]byte{clientFrame(finalBit|0xb, "x")}, nil, errFrame},
		{"a control frame in pieces", [][]byte{clientFrame(opPing, "x")}, nil, errFrame},
		{"a long control frame", [][]byte{clientFrame(finalBit|opPing, long+"x")}, nil, errFrame},
		{"the rest of nothing", [][]byte{clientFrame(rest, "x")}, nil, errFrame},
		{"a message in a message", [][]byte{clientFrame(more, "x"), clientFrame(text, "x")}, nil, errFrame},
	}
	for _, test := range cases {
		for how, from := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "bytewise": iotest.OneByteReader, "the end with the last": iotest.DataErrReader,
		} {
			t.Run(test.name+"/"+how, func(t *testing.T) {
				r := frameReader{from: from(bytes.NewReader(bytes.Join(test.frames, nil)))}
				var got []string
				for {
					opcode, payload, err := r.next(readLimit)
					if err != nil {
						if !errors.Is(err, test.err) {
							t.Errorf("ended with %v, want %v", err, test.err)
						}
						break
					}
					got = append(got, map[byte]string{8: "8 ", 9: "9 ", 10: "10 "}[opcode]+string(payload))
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("got %q, want %q", got, test.want)
				}
			})
		}
	}
}

// A socket's reader has no buffer for what it drops, and allocates nothing.
func TestFrameReaderIsSmall(t *testing.T) {
	frames := bytes.NewReader(bytes.Join([][]byte{clientFrame(finalBit|opPong, "pong"), clientFrame(finalBit|opText, strings.Repeat("x", 1000)), clientFrame(finalBit|opPong, "pong")}, nil))
	r := frameReader{from: frames}
	if n := testing.AllocsPerRun(100, func() {
		_, _ = frames.Seek(0, io.SeekStart)
		for range 2 {
			if _, _, err := r.next(readLimit); err != nil {
				t.Fatal(err)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestFramesOfTheServer(t *testing.T) {
	for _, size := range []int{0, 1, 125, 126, 65535, 65536} {
		payload := bytes.Repeat([]byte("x"), size)
		b := append(make([]byte, headerMost), payload...)
		frame := b[putHeader(b):]
		at := 2
		switch frame[1] {
		case 126:
			at = 4
		case 127:
			at = 10
		}
		if frame[0] != 0x81 || !bytes.Equal(frame[at:], payload) {
			t.Errorf("%d bytes: % x", size, frame[:at])
		}
	}
}

func TestCloseAnswer(t *testing.T) {
	for payload, want := range map[string]websocket.StatusCode{
		"": 1005, "\x03": 1002, "\x03\xe8": 1000, "\x03\xe9bye": 1001, "\x03\xec": 1002, "\x03\xed": 1002, "\x03\xee": 1002, "\x03\xef": 1007, "\x03\xf6": 1014,
		"\x03\xf7": 1002, "\x03\xe7": 1002, "\x00\x00": 1002, "\x0b\xb8": 3000, "\x0f\xa1": 4001, "\x13\x87": 4999, "\x13\x88": 1002, "\xff\xff": 1002,
	} {
		if got := closeAnswer([]byte(payload)); got != want {
			t.Errorf("% x: %d, want %d", payload, got, want)
		}
	}
}
